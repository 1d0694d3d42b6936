internal import LupineCore

/// What `lupine help` says.
enum Help {
    /// - Throws: ``UsageError``: there is no such command.
    static func text(about command: String?) throws(UsageError) -> String {
        switch command {
        case nil: return overview
        case "demo": return demo
        case "reachability": return reachability
        case "help": return "lupine help [COMMAND]\n\nWhat a command does and takes.\n"
        case let command? where Invocation.methods.contains(command) || command == "request":
            return requestText(command)
        case let command?:
            if Invocation.laterCommands.contains(command) { throw .unsupported("the command \(command)") }
            throw UsageError("there is no command \(command.quotedForMessage)")
        }
    }

    private static let overview = """
        lupine: HTTP from the command line, by the library of that name

          lupine get|head|post|put|patch|delete|options URL [options]
                                   one request; the body goes to standard output
          lupine request METHOD URL [options]
                                   the same with any method
          lupine reachability [--host NAME] [--watch]
                                   what the network allows now, and each change
          lupine demo              a tour of the library, against a server of its own
          lupine help [COMMAND]    what a command does and takes, with examples
          lupine --version

        Options stand anywhere. Exit status: 0 done; 1 no connection, no usable answer, a file; 2 wrong use;
        3 TLS or trust; 4, 5 a status 4xx, 5xx; 6 a time limit; 7 an incomplete body; 8 a body that is not what it
        should be; 130, 143 interrupted.

        """

    private static let demo = """
        lupine demo

        A tour: starts a server in this process and shows each main feature working against it, with its source.
        Needs no network and takes about ten seconds. Exit status 1: a scene did not go as told.

        """

    private static let reachability = """
        lupine reachability [--host NAME] [--watch]

        Says on one line whether, and over what, a default route leads out of this machine: reachable via ethernet, wifi
        or cellular, or not reachable. Nothing is sent: that somebody answers is not said.

              --host NAME                   whether a way leads to a host, by name or address
              --watch                       a line for each change too, as it happens, until interrupted
          Example: lupine reachability --host example.com --watch

        Exit status: 0 reachable; 1 not reachable (not-reachable); 130, 143 interrupted.

        """

    private static func requestText(_ command: String) -> String {
        let isAnyMethod = command == "request"
        var text = "lupine \(command) \(isAnyMethod ? "METHOD " : "")URL [options]\n\n"
        text +=
            "Sends one request\(isAnyMethod ? " with any method" : "") and writes the body of its answer to standard output."
        if command == "head" { text += "\nAn answer to HEAD has no body: -i shows its head." }
        text += "\n"
        for group in groups {
            text += "\n\(group.title)\n"
            for line in group.options { text += lines(line.option, line.text) }
            text += "  Example: \(group.example)\n"
        }
        return text
    }

    private static let column = 34

    private static func lines(_ option: CommandOption, _ text: String) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        let name = "  \(letter)--\(option.name)\(option.argument.map { " \($0)" } ?? "")"
        let parts = text.split(separator: "\n")
        let padding = String(repeating: " ", count: column)
        let gap = name.count + 2 > column ? "\n\(padding)" : String(repeating: " ", count: column - name.count)
        return "\(name)\(gap)\(parts.joined(separator: "\n\(padding)"))\n"
    }
}
