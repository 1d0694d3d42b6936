internal import LupineCore

/// A command line that cannot be carried out as it stands: one line, and exit status 2.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }

    static func unknownOption(_ name: String) -> UsageError {
        UsageError("there is no option \(name.quotedForMessage)")
    }

    /// What the command's contract names and this version does not do.
    static func unsupported(_ what: String) -> UsageError {
        UsageError("unsupported: \(what) is not in this version")
    }
}
