internal import Glibc

/// What went wrong in the testing kit: in a script, on its socket, or making a certificate.
public struct LoopbackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure this is.
    public let code: Code
    /// One line for people.
    public let message: String

    /// Makes one; a script may throw its own.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// `code: message`.
    public var description: String { "\(code): \(message)" }

    /// The kind of a failure. An open set: switch with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable text of the code.
        public let rawValue: String
        /// A code of that text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable text of the code.
        public var description: String { rawValue }

        /// The server was stopped while the script waited. Ends the script; not counted as a failure.
        public static let serverStopped = Self(rawValue: "server-stopped")
        /// The peer went away where the script did not need it. Ends the script; not counted as a failure.
        public static let peerDisconnected = Self(rawValue: "peer-disconnected")
        /// The peer went away in the middle of what the script had to read.
        public static let unexpectedEnd = Self(rawValue: "unexpected-end")
        /// What came is no request.
        public static let malformedRequest = Self(rawValue: "malformed-request")
        /// The script used a connection that it had closed.
        public static let connectionClosed = Self(rawValue: "connection-closed")
        /// A call of the system failed.
        public static let socketFailed = Self(rawValue: "socket-failed")
        /// TLS failed: the handshake, or a record.
        public static let tlsFailed = Self(rawValue: "tls-failed")
        /// A certificate or key could not be made.
        public static let certificateFailed = Self(rawValue: "certificate-failed")
        /// A file could not be written.
        public static let fileFailed = Self(rawValue: "file-failed")
    }
}

extension LoopbackError {
    /// The failure of a system call, from `errno`.
    static func system(_ call: String) -> LoopbackError {
        let number = errno
        return LoopbackError(.socketFailed, "\(call): \(String(cString: strerror(number)))")
    }

    /// Whether the end of a script by this error is nothing to complain about.
    var isExpectedEnd: Bool { code == .serverStopped || code == .peerDisconnected }
}
