internal import CLibcurl
internal import COpenSSL
internal import LupineCore

/// Adds the roots of a file to those of the system, once a connection.
final class ExtraRoots {
    private let file: String

    init?(_ authorities: CertificateAuthorities) {
        guard case .systemAnd(let file) = authorities.storage else { return nil }
        self.file = file
    }

    func add(to context: OpaquePointer) -> Bool { SSL_CTX_load_verify_file(context, file) == 1 }
}

/// What is set for each new connection over TLS.
enum SecureContext {
    /// `CURLOPT_SSL_CTX_FUNCTION`.
    static let thunk: lupine_curl_ssl_context = { _, ssl, context in
        let ssl = OpaquePointer(ssl)
        // libcurl takes an end without close_notify for one in order; a body that ends with the connection may then have
        // been cut by anybody (RFC 9112 section 9.8).
        lupine_ssl_ctx_demand_notice(ssl)
        guard let context else { return CURLE_OK }
        let roots = Unmanaged<ExtraRoots>.fromOpaque(context).takeUnretainedValue()
        return roots.add(to: ssl) ? CURLE_OK : CURLE_SSL_CACERT_BADFILE
    }
}
