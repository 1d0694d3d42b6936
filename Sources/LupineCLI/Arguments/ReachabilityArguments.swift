internal import LupineCore

/// What the command `reachability` is asked for.
struct ReachabilityArguments: Equatable {
    /// A name or an address; the default route where absent.
    var host: String?
    /// Each change too, until it is interrupted.
    var watches = false

    init(
        operands: ArraySlice<String>, options: [(option: CommandOption, argument: String?)]
    ) throws(UsageError) {
        if let operand = operands.first {
            throw UsageError("\(operand.quotedForMessage) is one argument too many; a host is named by --host")
        }
        for (option, argument) in options {
            switch option {
            case .host where host == nil:
                guard let argument, !argument.isEmpty else { throw UsageError("--host needs a name or an address") }
                host = argument
            case .watch where !watches: watches = true
            case .host, .watch: throw UsageError("--\(option.name) is given twice")
            default: throw UsageError("reachability takes no option --\(option.name)")
            }
        }
    }
}
