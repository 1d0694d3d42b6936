internal import COpenSSL

/// An `SSL_CTX` of a server.
final class TLSContext: @unchecked Sendable {
    // Safe to share: it is set up in init and not changed afterwards; OpenSSL makes connections from one context on
    // any thread.
    let pointer: OpaquePointer

    init(_ options: LoopbackTLS) throws(LoopbackError) {
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .openSSL(.tlsFailed, "SSL_CTX_new") }
        self.pointer = pointer
        lupine_ssl_ctx_prepare(pointer)
        lupine_ssl_ctx_offer_http(pointer, options.offersHTTP2 ? 1 : 0)
        let certificate = options.certificate
        let versions = options.versions
        guard
            lupine_ssl_ctx_set_versions(
                pointer, Int32(versions.lowerBound.rawValue), Int32(versions.upperBound.rawValue)) == 1,
            SSL_CTX_use_certificate(pointer, certificate.x509.pointer) == 1,
            SSL_CTX_use_PrivateKey(pointer, certificate.key.pointer) == 1
        else { throw .openSSL(.tlsFailed, "the server's certificate cannot be used") }
        if options.sendsIntermediates {
            for intermediate in certificate.intermediates
            where lupine_ssl_ctx_add_chain_certificate(pointer, intermediate.x509.pointer) != 1 {
                throw .openSSL(.tlsFailed, "the chain cannot be used")
            }
        }
        switch options.clientCertificate {
        case .none: break
        case .requested: lupine_ssl_ctx_ask_client_certificate(pointer, 0)
        case .required: lupine_ssl_ctx_ask_client_certificate(pointer, 1)
        }
        // Resumption with client certificates needs a name for the context.
        let name = Array("lupine".utf8)
        SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
    }

    deinit { SSL_CTX_free(pointer) }
}

extension LoopbackError {
    /// A failure with the reason that OpenSSL has put on this thread's queue.
    static func openSSL(_ code: Code, _ what: String) -> LoopbackError {
        let number = ERR_peek_last_error()
        ERR_clear_error()
        guard number != 0 else { return LoopbackError(code, what) }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(number, &text, text.count)
        let reason = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return LoopbackError(code, "\(what): \(String(decoding: reason, as: UTF8.self))")
    }
}
