internal import LupineCore

/// A command line that cannot be carried out as it stands: one line, and an exit status.
struct UsageError: Error, Equatable {
    let message: String
    let status: Int32

    init(_ message: String, status: Int32 = ExitStatus.usage) {
        self.message = message
        self.status = status
    }

    static func unknownOption(_ name: String) -> UsageError {
        UsageError("there is no option \(name.quotedForMessage)")
    }

    /// What the command's contract names and this version does not do.
    static func unsupported(_ what: String) -> UsageError {
        UsageError("unsupported: \(what) is not in this version", status: ExitStatus.of(.unsupported))
    }
}
