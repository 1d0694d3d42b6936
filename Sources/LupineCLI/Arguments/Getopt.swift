internal import CLupineLinux
internal import Glibc
internal import LupineCore

/// Words told apart by the C library's getopt_long: options with their arguments, and operands, in the order given.
enum Getopt {
    enum Item: Equatable {
        case option(CommandOption, argument: String?)
        case operand(String)
    }

    /// getopt_long keeps its place in global variables.
    private static let lock = Lock(())

    /// - Parameter words: without the program's name.
    static func parse(_ words: [String]) throws(UsageError) -> [Item] {
        try lock.withLock { _ throws(UsageError) in try parseLocked(words) }
    }

    private static func parseLocked(_ words: [String]) throws(UsageError) -> [Item] {
        if let word = words.first(where: { $0.utf8.contains(0) }) {
            throw UsageError("the argument \(word.quotedForMessage) holds a null byte")
        }
        let options = CommandOption.allCases
        let names = options.map { strdup($0.name) }
        var pointers: [UnsafeMutablePointer<CChar>?] = [strdup("lupine")]
        for word in words { pointers.append(strdup(word)) }
        pointers.append(nil)
        defer { for pointer in names + pointers { free(pointer) } }
        var table: [CLupineLinux.option] = []
        for (index, option) in options.enumerated() {
            table.append(
                CLupineLinux.option(
                    name: names[index], has_arg: option.argument == nil ? no_argument : required_argument, flag: nil,
                    val: firstValue + Int32(index)))
        }
        table.append(CLupineLinux.option())
        // "-": operands in their place, whatever POSIXLY_CORRECT says; ":": a missing argument is told from an unknown option.
        let shortOptions = options.reduce(into: "-:") { text, option in
            if let letter = option.letter { text += "\(letter)\(option.argument == nil ? "" : ":")" }
        }

        var items: [Item] = []
        lupine_getopt_restart()
        while true {
            let step = lupine_getopt_next(Int32(words.count + 1), &pointers, shortOptions, table)
            let argument = step.argument.map { String(cString: $0) }
            let word = words.indices.contains(Int(step.word) - 1) ? words[Int(step.word) - 1] : ""
            switch step.value {
            case -1:
                // After "--" all are operands.
                return items + words.dropFirst(Int(step.next) - 1).map(Item.operand)
            case 1: items.append(.operand(argument ?? ""))
            case Int32(UInt8(ascii: "?")), Int32(UInt8(ascii: ":")):
                throw fault(step, word: word)
            default:
                guard let option = known(step.value) else { throw fault(step, word: word) }
                // The C library also takes the beginning of a name, which the next version may make ambiguous.
                if step.value >= firstValue, word.optionName != "--\(option.name)" {
                    throw .unknownOption(word.optionName)
                }
                items.append(.option(option, argument: argument))
            }
        }
    }

    /// Values of long options: beyond those of the letters.
    private static let firstValue: Int32 = 256

    private static func known(_ value: Int32) -> CommandOption? {
        if value >= firstValue {
            let options = CommandOption.allCases
            return options.indices.contains(Int(value - firstValue)) ? options[Int(value - firstValue)] : nil
        }
        return CommandOption.allCases.first { $0.letter?.asciiValue.map(Int32.init) == value }
    }

    private static func fault(_ step: lupine_getopt_step, word: String) -> UsageError {
        let letter = UInt8(exactly: step.short_option).flatMap { $0 < 0x80 && $0 > 0x20 ? Character(.init($0)) : nil }
        let isLong = word.hasPrefix("--")
        let name = isLong ? word.optionName : letter.map { "-\($0)" } ?? word.quotedForMessage
        if step.value == Int32(UInt8(ascii: ":")) { return UsageError("\(name) needs an argument") }
        if isLong, word.contains("="), CommandOption.allCases.contains(where: { "--\($0.name)" == name }) {
            return UsageError("\(name) takes no argument")
        }
        return .unknownOption(name)
    }
}

extension String {
    /// The option without an argument that is written into the same word: it may be a secret.
    fileprivate var optionName: String { String(prefix { $0 != "=" }) }
}
