internal import COpenSSL
internal import Glibc

/// A connection through TLS: an `SSL` over a non-blocking socket.
final class TLSChannel: ByteChannel {
    let socket: ConnectedSocket
    private(set) var details: TLSDetails?
    private let ssl: OpaquePointer
    /// After a fatal error nothing more may be asked of the object.
    private var isBroken = false

    init(socket: ConnectedSocket, context: TLSContext) throws(LoopbackError) {
        guard let ssl = SSL_new(context.pointer) else { throw .openSSL(.tlsFailed, "SSL_new") }
        self.ssl = ssl
        self.socket = socket
        // The BIO made here does not own the descriptor.
        guard SSL_set_fd(ssl, socket.descriptor) == 1 else { throw .openSSL(.tlsFailed, "SSL_set_fd") }
    }

    deinit { SSL_free(ssl) }

    func handshake() throws(LoopbackError) {
        while true {
            ERR_clear_error()
            let result = SSL_accept(ssl)
            if result == 1 { break }
            guard try recover(from: result, call: "handshake") else {
                throw LoopbackError(.peerDisconnected, "the client ended within the handshake")
            }
        }
        details = TLSDetails(
            version: SSL_version(ssl) == TLSVersion.tls12.rawValue ? .tls12 : .tls13,
            serverName: SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) },
            applicationProtocol: chosenProtocol,
            clientCertificate: SSL_get1_peer_certificate(ssl).map { X509Object(owning: $0).der },
            isResumed: SSL_session_reused(ssl) == 1)
    }

    private var chosenProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        return name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
    }

    func receive(upTo count: Int) throws(LoopbackError) -> [UInt8] {
        while true {
            ERR_clear_error()
            var result: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                result = SSL_read(ssl, buffer.baseAddress, Int32(clamping: count))
                initialized = max(0, Int(result))
            }
            if result > 0 { return bytes }
            guard try recover(from: result, call: "read") else { return [] }
        }
    }

    func send(_ bytes: [UInt8]) throws(LoopbackError) {
        var sent = 0
        while sent < bytes.count {
            ERR_clear_error()
            let result = bytes.withUnsafeBytes { buffer in
                SSL_write(ssl, buffer.baseAddress?.advanced(by: sent), Int32(clamping: buffer.count - sent))
            }
            if result > 0 {
                sent += Int(result)
            } else if try !recover(from: result, call: "write") {
                throw LoopbackError(.peerDisconnected, "the peer ended TLS")
            }
        }
    }

    func finishSending(notify: Bool) throws(LoopbackError) {
        if notify, !isBroken {
            ERR_clear_error()
            while true {
                let result = SSL_shutdown(ssl)
                // 0: ours is sent; the peer's is not waited for.
                if result >= 0 { break }
                guard try recover(from: result, call: "shutdown") else { break }
            }
        }
        try socket.finishSending()
    }

    /// Waits for what OpenSSL wants and answers `true`: call again. `false`: the peer has ended.
    private func recover(from result: Int32, call: String) throws(LoopbackError) -> Bool {
        let number = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: _ = try socket.wait(for: POLLIN)
        case SSL_ERROR_WANT_WRITE: _ = try socket.wait(for: POLLOUT)
        case SSL_ERROR_ZERO_RETURN: return false
        case SSL_ERROR_SYSCALL:
            isBroken = true
            if number == 0 { return false }
            try socket.recover(from: number, call: "TLS \(call)", waitingFor: POLLIN)
        default:
            isBroken = true
            throw .openSSL(.tlsFailed, "TLS \(call)")
        }
        return true
    }
}
