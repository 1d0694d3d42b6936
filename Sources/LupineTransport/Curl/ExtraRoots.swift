internal import CLibcurl
internal import COpenSSL
internal import LupineCore

/// Adds the roots of a file to those of the system, once a connection.
final class ExtraRoots {
    let file: String

    init?(_ authorities: CertificateAuthorities) {
        guard case .systemAnd(let file) = authorities.storage else { return nil }
        self.file = file.systemPath
    }

    /// `CURLOPT_SSL_CTX_FUNCTION`.
    static let thunk: lupine_curl_ssl_context = { _, ssl, context in
        guard let context else { return CURLE_SSL_CACERT_BADFILE }
        let roots = Unmanaged<ExtraRoots>.fromOpaque(context).takeUnretainedValue()
        return SSL_CTX_load_verify_file(OpaquePointer(ssl), roots.file) == 1 ? CURLE_OK : CURLE_SSL_CACERT_BADFILE
    }
}
