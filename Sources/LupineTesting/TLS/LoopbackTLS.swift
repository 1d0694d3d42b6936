/// How a server speaks TLS. Every property but the certificate has a default.
public struct LoopbackTLS: Sendable {
    /// What the server shows, with its key.
    public var certificate: TestCertificate
    /// Whether the certificates between the server's own and its authority are sent. `true` by default; a client cannot do
    /// without them unless it has them.
    public var sendsIntermediates = true
    /// The versions to speak. TLS 1.2 and 1.3 by default.
    public var versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    /// Whether the client is asked for a certificate. Not by default. Any certificate is accepted: the script looks at
    /// ``TLSDetails/clientCertificate``.
    public var clientCertificate = ClientCertificateRequest.none
    /// Whether a client that knows HTTP/2 is given it, by ALPN. `false` by default. The script then reads and writes frames
    /// (RFC 9113) itself, byte by byte; what ``TLSDetails/applicationProtocol`` says was agreed.
    public var offersHTTP2 = false
    /// What goes wrong in the handshake. Nothing by default.
    public var handshakeFault: HandshakeFault?

    /// TLS with a certificate, all else by default.
    public init(certificate: TestCertificate) { self.certificate = certificate }

    /// Whether the client is asked for a certificate.
    public enum ClientCertificateRequest: Hashable, Sendable {
        /// Not asked for.
        case none
        /// Asked for; a client without one is served.
        case requested
        /// A client without one is refused: by an alert, which over TLS 1.3 reaches it after its own handshake.
        case required
    }

    /// What a server does, instead of a handshake, when the client's first bytes have come. The script does not run.
    public enum HandshakeFault: Hashable, Sendable {
        /// Ends the connection in order.
        case close
        /// Resets it.
        case reset
        /// Says nothing until the client goes away.
        case stall
        /// Answers in the clear, as an HTTP server does that was called by the wrong scheme.
        case plaintext
    }
}

/// A version of TLS.
public enum TLSVersion: Int, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// RFC 5246.
    case tls12 = 0x0303
    /// RFC 8446.
    case tls13 = 0x0304

    /// As OpenSSL names it: `TLSv1.3`.
    public var description: String { self == .tls12 ? "TLSv1.2" : "TLSv1.3" }

    /// The older is less.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// What a handshake agreed.
public struct TLSDetails: Hashable, Sendable {
    /// The version.
    public let version: TLSVersion
    /// The name that the client asked for (SNI, RFC 6066 section 3); clients send none for an IP address.
    public let serverName: String?
    /// The protocol chosen by ALPN: `h2`, `http/1.1`, or `nil` when the client offered none that is known.
    public let applicationProtocol: String?
    /// The client's certificate, DER, when it was asked for and gave one.
    public let clientCertificate: [UInt8]?
    /// Whether an earlier session was resumed.
    public let isResumed: Bool
}
