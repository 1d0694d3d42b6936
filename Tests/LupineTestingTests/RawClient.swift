import COpenSSL
import Glibc
import LupineTesting

/// A blocking client that sends what it is told, for driving the server. Confined to its test.
final class RawClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var descriptor: Int32
    private var ssl: OpaquePointer?
    private var context: OpaquePointer?

    init(_ server: LoopbackServer) throws {
        switch server.address {
        case .ipv4:
            let address = sockaddr_in(
                sin_family: sa_family_t(AF_INET), sin_port: in_port_t(server.port).bigEndian,
                sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
            descriptor = try Self.connected(AF_INET, to: address)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(server.port).bigEndian
            address.sin6_addr = in6addr_loopback
            descriptor = try Self.connected(AF_INET6, to: address)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            descriptor = try Self.connected(AF_UNIX, to: address)
        }
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
        close()
    }

    private static func connected<Address>(_ family: Int32, to address: Address) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // So that a fault of the server fails a test instead of hanging it.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafeBytes(of: address) {
            connect(
                descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(MemoryLayout<Address>.size))
        }
        guard result == 0 else {
            let failure = Failure(description: "connect: \(String(cString: strerror(errno)))")
            Glibc.close(descriptor)
            throw failure
        }
        return descriptor
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let rest = bytes[sent...]
            let count = rest.withUnsafeBytes { buffer in
                if let ssl { return Int(SSL_write(ssl, buffer.baseAddress, Int32(buffer.count))) }
                return Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    /// Something that has come; empty at the end. Throws on a reset.
    func receive(upTo count: Int = 64 << 10) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got: Int
        if let ssl {
            got = Int(SSL_read(ssl, &buffer, Int32(count)))
            if got <= 0 {
                guard SSL_get_error(ssl, Int32(got)) == SSL_ERROR_ZERO_RETURN else {
                    throw Failure(description: "TLS ended without close_notify")
                }
                return []
            }
        } else {
            got = recv(descriptor, &buffer, count, 0)
        }
        guard got >= 0 else { throw Failure(description: "receive: \(String(cString: strerror(errno)))") }
        return Array(buffer.prefix(got))
    }

    /// Everything to the end, as text.
    func receiveAll() throws -> String {
        var bytes: [UInt8] = []
        while true {
            let piece = try receive()
            if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece
        }
    }

    /// Receives until the text so far ends with `end`.
    func receive(until end: String) throws -> String {
        var bytes: [UInt8] = []
        while !bytes.reversed().starts(with: end.utf8.reversed()) {
            let piece = try receive(upTo: 1)
            guard !piece.isEmpty else { throw Failure(description: "the end came before \(end)") }
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func exchange(_ text: String, until end: String) throws -> String {
        try send(text)
        return try receive(until: end)
    }

    func closeWrite() {
        if let ssl { SSL_shutdown(ssl) }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

// TLS.
extension RawClient {
    struct TLSOptions {
        /// PEM of the authorities to trust. `nil`: trust any.
        var trusted: String?
        /// The name to ask for and to check.
        var host: String?
        var protocols: [String] = []
        /// PEM files of a certificate and a key to show.
        var identity: (certificate: String, key: String)?
        var maximumVersion: TLSVersion = .tls13
    }

    /// Shakes hands. Throws when the server's certificate is not trusted.
    func startTLS(_ options: TLSOptions = TLSOptions()) throws {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Failure(description: "no context") }
        self.context = context
        guard lupine_ssl_ctx_set_versions(context, 0x0303, Int32(options.maximumVersion.rawValue)) == 1 else {
            throw Failure(description: "versions")
        }
        if let trusted = options.trusted {
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            guard SSL_CTX_load_verify_locations(context, trusted, nil) == 1 else {
                throw Failure(description: "no authorities in \(trusted)")
            }
        }
        if let identity = options.identity {
            guard SSL_CTX_use_certificate_chain_file(context, identity.certificate) == 1,
                SSL_CTX_use_PrivateKey_file(context, identity.key, SSL_FILETYPE_PEM) == 1
            else { throw Failure(description: "no identity") }
        }
        guard let ssl = SSL_new(context) else { throw Failure(description: "no SSL") }
        self.ssl = ssl
        SSL_set_fd(ssl, descriptor)
        if let host = options.host {
            _ = lupine_ssl_set_server_name(ssl, host)
            SSL_set1_host(ssl, host)
        }
        if !options.protocols.isEmpty {
            let list = options.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            SSL_set_alpn_protos(ssl, list, UInt32(list.count))
        }
        ERR_clear_error()
        guard SSL_connect(ssl) == 1 else {
            let verdict = SSL_get_verify_result(ssl)
            let reason =
                verdict == Int(X509_V_OK) ? "handshake" : String(cString: X509_verify_cert_error_string(verdict))
            throw Failure(description: "TLS: \(reason)")
        }
    }

    var chosenProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        return name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
    }
}
