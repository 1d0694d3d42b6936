internal import Lupine

extension RequestArguments {
    /// A part of a multipart form.
    struct Part: Equatable {
        var name: String
        var content: Data
        /// `nil`: a text has none, a file by its path, standard input `-`.
        var fileName: String?
        /// `nil`: a text has none, a file by the extension of its name.
        var mimeType: String?
    }
}

extension RequestArguments.Part {
    /// `name=text`, taken as it stands, or `name=@path`, `name=@-` for standard input, with `;type=MIME` and `;filename=NAME` in
    /// any order behind it.
    init(argument text: String) throws(UsageError) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw UsageError("--part needs NAME=VALUE or NAME=@FILE")
        }
        name = String(text[..<equals])
        let value = text[text.index(after: equals)...]
        guard value.first == "@" else {
            content = .text(String(value))
            return
        }
        let options = [";type=", ";filename="]
        // A path or a value ends where the next option begins: other semicolons are its own.
        var rest = value.dropFirst()
        let path = Self.take(from: &rest, upTo: options)
        content = path == "-" ? .standardInput : .file(path)
        while let option = options.first(where: { rest.hasPrefix($0) }) {
            rest = rest.dropFirst(option.count)
            let value = Self.take(from: &rest, upTo: options)
            let isType = option == ";type="
            guard isType ? mimeType == nil : fileName == nil else {
                throw UsageError("--part \(name.quotedForMessage): \(option.dropFirst().dropLast()) is given twice")
            }
            if isType { mimeType = value } else { fileName = value }
        }
    }

    private static func take(from rest: inout Substring, upTo ends: [String]) -> String {
        let end = ends.compactMap { rest.firstRange(of: $0)?.lowerBound }.min() ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }
}
