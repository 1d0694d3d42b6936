internal import Lupine

extension RequestArguments.Part {
    /// What has curl send the part. Type and name of a file are told always: curl guesses them in its own way.
    var curlWords: [String] {
        let path: String
        switch content {
        case .text(let text): return ["--form-string", "\(name)=\(text)"]
        case .file("-"): path = "./-"
        case .file(let file): path = file
        case .standardInput: path = "-"
        }
        let fileName = fileName ?? String(path.split(separator: "/").last ?? "")
        let type = mimeType ?? FileTypes.system.type(of: fileName)
        return ["--form", "\(name)=@\(Self.quoted(path));type=\(type);filename=\(Self.quoted(fileName))"]
    }

    /// In quotes, in which a backslash escapes.
    private static func quoted(_ text: String) -> String {
        text == "-" ? text : "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
