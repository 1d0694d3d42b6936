internal import FoundationEssentials
internal import LupineCore

/// The start of a textual body after a colon, for a message: one line of 200 characters at most. Empty for a body
/// that is empty or not stated to be text.
func excerptForMessage(of data: Data, type: ContentType?) -> String {
    guard let type, type.isTextual else { return "" }
    // More bytes than 200 characters commonly have.
    let start = data.prefix(1000)
    let charset = data.charset(type, default: .utf8)
    // A character may be cut at the end.
    let read = (0..<4).lazy.compactMap { try? charset.decode(start.dropLast($0)) }.first
    let text = (read ?? String(decoding: start, as: UTF8.self)).onOneLine
    return text.isEmpty ? "" : ": \(text)"
}

extension ContentType {
    fileprivate var isTextual: Bool {
        type == "text" || isJSON || subtype == "xml" || subtype.hasSuffix("+xml") || subtype == "javascript"
            || subtype == "x-www-form-urlencoded"
    }
}
