internal import COpenSSL
internal import Glibc
internal import LupineCore

/// A certificate made for a test, with its key (P-256, ECDSA with SHA-256).
///
/// Made by a ``TestCertificateAuthority``, or ``selfSigned(for:commonName:validity:isAuthority:)``. Its key is no secret.
public final class TestCertificate: Sendable {
    let x509: X509Object
    let key: PrivateKey
    /// The common name of the subject.
    public let commonName: String
    /// Who signed it; `nil` when it signed itself.
    public let issuer: TestCertificate?

    init(
        commonName: String, names: [String], validity: Validity, isAuthority: Bool, issuer: TestCertificate?
    ) throws(LoopbackError) {
        self.commonName = commonName
        self.issuer = issuer
        let key = try PrivateKey()
        let x509 = try X509Object()
        let builder = CertificateBuilder(x509: x509, issuer: issuer?.x509 ?? x509)
        try builder.setSerial()
        try builder.set(validity)
        try builder.setNames(subject: commonName)
        try builder.set(publicKey: key)
        try builder.addExtensions(names: names, isAuthority: isAuthority)
        try builder.sign(with: issuer?.key ?? key)
        self.key = key
        self.x509 = x509
    }

    /// A certificate that vouches for itself.
    ///
    /// - Parameters:
    ///   - names: host names (`*.example.com` too) and IP addresses. The loopback names by default.
    ///   - commonName: the first of the names by default.
    ///   - isAuthority: whether it may sign others. `false` by default.
    /// - Throws: ``LoopbackError`` with `certificate-failed`.
    public static func selfSigned(
        for names: [String] = loopbackNames, commonName: String? = nil, validity: Validity = .current,
        isAuthority: Bool = false
    ) throws(LoopbackError) -> TestCertificate {
        try TestCertificate(
            commonName: commonName ?? names.first ?? "", names: names, validity: validity, isAuthority: isAuthority,
            issuer: nil)
    }

    /// `localhost`, `127.0.0.1` and `::1`.
    public static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// The certificates between this one and its root, this one's issuer first. Without both ends.
    public var intermediates: [TestCertificate] {
        var found: [TestCertificate] = []
        var next = issuer
        while let certificate = next, certificate.issuer != nil {
            found.append(certificate)
            next = certificate.issuer
        }
        return found
    }

    /// The certificate, DER.
    public var der: [UInt8] { x509.der }
    /// The certificate, PEM.
    public var pem: String { x509.pem }
    /// The certificate and its ``intermediates``, PEM, in the order in which a server sends them.
    public var chainPEM: String { pem + intermediates.map(\.pem).joined() }
    /// The private key, PKCS #8 PEM, not encrypted.
    public var keyPEM: String { key.pem }
    /// The public key, DER: the SubjectPublicKeyInfo that pins of public keys are made of.
    public var publicKeyDER: [UInt8] { key.publicKeyDER }

    /// Writes the certificate, PEM.
    ///
    /// - Parameter includingChain: its ``intermediates`` too. `false` by default.
    /// - Throws: ``LoopbackError`` with `file-failed`.
    public func writePEM(to path: String, includingChain: Bool = false) throws(LoopbackError) {
        try writeFile((includingChain ? chainPEM : pem).utf8, to: path)
    }

    /// Writes the private key, PEM.
    ///
    /// - Throws: ``LoopbackError`` with `file-failed`.
    public func writeKeyPEM(to path: String) throws(LoopbackError) { try writeFile(keyPEM.utf8, to: path) }

    /// Writes the certificate, DER, as pinned certificates are bundled.
    ///
    /// - Throws: ``LoopbackError`` with `file-failed`.
    public func writeDER(to path: String) throws(LoopbackError) { try writeFile(der, to: path) }
}

extension TestCertificate {
    /// When a certificate is valid, counted from the moment it is made. Whole seconds count.
    public struct Validity: Hashable, Sendable {
        /// The beginning; negative: in the past.
        public var notBefore: Duration
        /// The end.
        public var notAfter: Duration

        /// Any span.
        public init(notBefore: Duration, notAfter: Duration) {
            self.notBefore = notBefore
            self.notAfter = notAfter
        }

        /// From yesterday for 30 days.
        public static let current = Validity(notBefore: .days(-1), notAfter: .days(30))
        /// Ended yesterday.
        public static let expired = Validity(notBefore: .days(-30), notAfter: .days(-1))
        /// Begins tomorrow.
        public static let notYetValid = Validity(notBefore: .days(1), notAfter: .days(30))
    }
}

extension Duration {
    fileprivate static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
