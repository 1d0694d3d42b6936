internal import LupineCore

/// What a command line asks for.
enum Invocation: Equatable {
    case request(RequestArguments)
    case demo
    case reachability(ReachabilityArguments)
    /// About one command, or all.
    case help(String?)
    case version

    /// The request commands, with their methods.
    static let methods = ["get", "head", "post", "put", "patch", "delete", "options"]
    /// The commands that the contract names and this version does not have.
    static let laterCommands = ["download", "upload", "stream", "image"]
    static var commands: [String] { methods + ["request", "reachability", "demo", "help"] }

    /// Reads a command line.
    ///
    /// - Parameter words: without the program's name.
    init(_ words: [String]) throws(UsageError) {
        // An option of a command that is not there yet is unknown, but the command is what has to be told.
        if let later = words.first, Self.laterCommands.contains(later) { throw .unsupported("the command \(later)") }
        let items = try Getopt.parse(words)
        var operands: [String] = []
        var options: [(option: CommandOption, argument: String?)] = []
        for item in items {
            switch item {
            case .operand(let text): operands.append(text)
            case .option(let option, let argument): options.append((option, argument))
            }
        }
        let command = operands.first
        if let command, Self.laterCommands.contains(command) { throw .unsupported("the command \(command)") }
        if options.contains(where: { $0.option == .help }) {
            self = .help(command == "help" ? operands.dropFirst().first : command)
            return
        }
        if options.contains(where: { $0.option == .version }) {
            self = .version
            return
        }
        guard let command else { throw UsageError("name a command, such as: lupine get URL") }
        guard Self.commands.contains(command) else {
            let isURL = command.hasURLScheme
            throw UsageError(
                "there is no command \(command.quotedForMessage)\(isURL ? "; to ask for a URL: lupine get URL" : "")")
        }
        switch command {
        case "demo", "help":
            if let option = options.first?.option { throw UsageError("\(command) takes no option --\(option.name)") }
            guard operands.count <= (command == "help" ? 2 : 1) else {
                throw UsageError("\(operands[operands.count - 1].quotedForMessage) is one argument too many")
            }
            self = command == "demo" ? .demo : .help(operands.dropFirst().first)
        case "reachability":
            self = .reachability(try ReachabilityArguments(operands: operands.dropFirst(), options: options))
        case "request":
            guard operands.count > 1 else { throw UsageError("request needs a method and a URL") }
            self = .request(
                try RequestArguments(method: operands[1], operands: operands.dropFirst(2), options: options))
        default:
            let method = String(decoding: command.utf8.map { $0 & ~0x20 }, as: UTF8.self)
            self = .request(try RequestArguments(method: method, operands: operands.dropFirst(), options: options))
        }
    }
}
