internal import Glibc
internal import LupineCore

/// What the process ends with: the kind of failure, for scripts.
enum ExitStatus {
    static let success: Int32 = 0
    static let usage: Int32 = 2
    /// The reader of the standard output has gone: as if SIGPIPE had ended the process.
    static let closedPipe = signal(SIGPIPE)

    /// The row of each error code.
    static let table: [LupineError.Code: Int32] = [
        .invalidURL: 1, .couldNotResolve: 1, .couldNotConnect: 1, .connectionLost: 1, .proxyFailed: 1, .badResponse: 1,
        .tooManyRedirects: 1, .authenticationFailed: 1, .uploadSourceFailed: 1, .fileExists: 1, .noSpace: 1,
        .fileFailed: 1, .responseTooLarge: 1, .notReachable: 1, .cancelled: 1, .unsupported: 1,
        .invalidRequest: 2,
        .tlsFailed: 3, .trustRejected: 3, .pinMismatch: 3,
        // By its class: see below.
        .unacceptableStatus: 1,
        .timedOut: 6,
        .incompleteBody: 7, .checksumMismatch: 7, .resumeMismatch: 7,
        .unacceptableContentType: 8, .responseSerializationFailed: 8, .contentDecodingFailed: 8,
        .requestSerializationFailed: 8,
    ]

    static func of(_ error: LupineError) -> Int32 {
        if error.code == .unacceptableStatus, let status = error.response?.status {
            if status.isClientError { return 4 }
            if status.isServerError { return 5 }
        }
        return of(error.code)
    }

    static func of(_ code: LupineError.Code) -> Int32 { table[code] ?? 1 }

    /// Ended by a signal, as shells count it.
    static func signal(_ number: Int32) -> Int32 { 128 + number }
}
