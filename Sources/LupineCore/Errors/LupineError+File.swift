internal import Glibc

extension LupineError {
    /// What a call on a file said: `no-space` or `file-failed`, with the path and the system's words.
    package static func file(_ what: String, _ path: String, _ number: Int32) -> LupineError {
        let code: Code = number == ENOSPC || number == EDQUOT ? .noSpace : .fileFailed
        return LupineError(code, "\(what) \(path.quotedForMessage): \(String(cString: strerror(number)))")
    }
}
