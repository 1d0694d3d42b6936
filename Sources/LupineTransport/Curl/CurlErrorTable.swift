internal import CLibcurl
internal import LupineCore

/// The one table from libcurl's results to error codes.
///
/// Every result of the installed header has a row; a test proves it. Results of other protocols than HTTP, which an
/// exchange cannot end with, are listed as such and read as `unsupported`.
enum CurlErrorTable {
    /// A result's code before anything is known of how far the exchange came.
    static func code(_ result: CURLcode) -> LupineError.Code { codes[result.rawValue] ?? .unsupported }

    /// The code when the final head had come: whatever then breaks the connection cuts the body.
    static func code(_ result: CURLcode, afterHead: Bool) -> LupineError.Code {
        let code = code(result)
        return afterHead && code == .connectionLost ? .incompleteBody : code
    }

    /// The code where one result of libcurl's stands for several faults and only its text tells them apart.
    static func code(_ result: CURLcode, detail: String, afterHead: Bool) -> LupineError.Code? {
        if result == CURLE_HTTP2_STREAM, !afterHead, judgements.contains(where: detail.contains) { return .badResponse }
        // Said by a proxy of the first SOCKS, which is given addresses only: the name is the request's.
        if result == CURLE_PROXY, detail.hasPrefix("Could not resolve host") { return .couldNotResolve }
        guard result == CURLE_RECV_ERROR else { return nil }
        if detail.hasPrefix("Too large response headers") || detail.hasPrefix("Out of memory in chunked") {
            return .responseTooLarge
        }
        return detail.hasSuffix("in chunked-encoding") ? .badResponse : nil
    }

    /// How one side of HTTP/2 judged the other (RFC 9113 section 7): sent again, the request would be judged so again.
    private static let judgements = [
        "PROTOCOL_ERROR", "FLOW_CONTROL_ERROR", "FRAME_SIZE_ERROR", "COMPRESSION_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
    ]

    static let codes: [UInt32: LupineError.Code] = [
        CURLE_UNSUPPORTED_PROTOCOL.rawValue: .badResponse,  // an HTTP/0.9 answer; other schemes never get here
        CURLE_FAILED_INIT.rawValue: .unsupported,
        CURLE_URL_MALFORMAT.rawValue: .invalidURL,
        CURLE_NOT_BUILT_IN.rawValue: .unsupported,
        CURLE_COULDNT_RESOLVE_PROXY.rawValue: .proxyFailed,
        CURLE_COULDNT_RESOLVE_HOST.rawValue: .couldNotResolve,
        CURLE_COULDNT_CONNECT.rawValue: .couldNotConnect,
        CURLE_WEIRD_SERVER_REPLY.rawValue: .badResponse,
        CURLE_HTTP2.rawValue: .connectionLost,
        CURLE_PARTIAL_FILE.rawValue: .incompleteBody,
        CURLE_HTTP_RETURNED_ERROR.rawValue: .unacceptableStatus,
        CURLE_WRITE_ERROR.rawValue: .badResponse,
        CURLE_UPLOAD_FAILED.rawValue: .unsupported,  // a body of unknown length to a server of HTTP/1.0
        CURLE_READ_ERROR.rawValue: .uploadSourceFailed,
        CURLE_OUT_OF_MEMORY.rawValue: .unsupported,
        CURLE_OPERATION_TIMEDOUT.rawValue: .timedOut,
        CURLE_RANGE_ERROR.rawValue: .badResponse,
        CURLE_HTTP_POST_ERROR.rawValue: .connectionLost,
        CURLE_SSL_CONNECT_ERROR.rawValue: .tlsFailed,
        CURLE_BAD_DOWNLOAD_RESUME.rawValue: .resumeMismatch,
        CURLE_ABORTED_BY_CALLBACK.rawValue: .connectionLost,
        CURLE_BAD_FUNCTION_ARGUMENT.rawValue: .invalidRequest,
        CURLE_INTERFACE_FAILED.rawValue: .couldNotConnect,
        CURLE_TOO_MANY_REDIRECTS.rawValue: .tooManyRedirects,
        CURLE_UNKNOWN_OPTION.rawValue: .unsupported,
        CURLE_SETOPT_OPTION_SYNTAX.rawValue: .invalidRequest,
        CURLE_GOT_NOTHING.rawValue: .connectionLost,
        CURLE_SSL_ENGINE_NOTFOUND.rawValue: .tlsFailed,
        CURLE_SSL_ENGINE_SETFAILED.rawValue: .tlsFailed,
        CURLE_SEND_ERROR.rawValue: .connectionLost,
        CURLE_RECV_ERROR.rawValue: .connectionLost,
        CURLE_SSL_CERTPROBLEM.rawValue: .tlsFailed,
        CURLE_SSL_CIPHER.rawValue: .tlsFailed,
        CURLE_PEER_FAILED_VERIFICATION.rawValue: .trustRejected,
        CURLE_BAD_CONTENT_ENCODING.rawValue: .contentDecodingFailed,
        CURLE_FILESIZE_EXCEEDED.rawValue: .responseTooLarge,
        CURLE_USE_SSL_FAILED.rawValue: .tlsFailed,
        CURLE_SEND_FAIL_REWIND.rawValue: .connectionLost,
        CURLE_SSL_ENGINE_INITFAILED.rawValue: .tlsFailed,
        CURLE_LOGIN_DENIED.rawValue: .authenticationFailed,
        CURLE_SSL_CACERT_BADFILE.rawValue: .tlsFailed,
        CURLE_SSL_SHUTDOWN_FAILED.rawValue: .tlsFailed,
        CURLE_AGAIN.rawValue: .connectionLost,
        CURLE_SSL_CRL_BADFILE.rawValue: .tlsFailed,
        CURLE_SSL_ISSUER_ERROR.rawValue: .trustRejected,
        CURLE_CHUNK_FAILED.rawValue: .badResponse,
        CURLE_NO_CONNECTION_AVAILABLE.rawValue: .couldNotConnect,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: .pinMismatch,
        CURLE_SSL_INVALIDCERTSTATUS.rawValue: .trustRejected,
        CURLE_HTTP2_STREAM.rawValue: .connectionLost,
        CURLE_RECURSIVE_API_CALL.rawValue: .unsupported,
        CURLE_AUTH_ERROR.rawValue: .authenticationFailed,
        CURLE_HTTP3.rawValue: .connectionLost,
        CURLE_QUIC_CONNECT_ERROR.rawValue: .couldNotConnect,
        CURLE_PROXY.rawValue: .proxyFailed,
        CURLE_SSL_CLIENTCERT.rawValue: .tlsFailed,
        CURLE_UNRECOVERABLE_POLL.rawValue: .unsupported,
    ]

    /// Results of FTP, TFTP, LDAP, TELNET, SSH, RTSP and of file access, and numbers out of use.
    static let otherProtocols: Set<UInt32> = Set([
        9, 10, 11, 12, 13, 14, 15, 17, 19, 20, 21, 24, 29, 30, 31, 32, 34, 36, 37, 38, 39, 40, 41, 44, 46, 48, 49, 50,
        51, 57, 62, 63, 68, 69, 70, 71, 72, 73, 74, 75, 76, 78, 79, 84, 85, 86, 87,
    ]).subtracting(codes.keys)
}
