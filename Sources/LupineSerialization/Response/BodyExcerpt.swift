internal import FoundationEssentials
internal import LupineCore

/// The start of a textual body after a colon, for a message: one line of 200 characters at most. Empty for a body
/// that is empty or not stated to be text.
func excerptForMessage(of data: Data, type: ContentType?) -> String {
    guard let type, type.isTextual else { return "" }
    // More bytes than 200 characters commonly have; a scalar cut at the end is shown as such.
    let text = String(decoding: data.prefix(1000), as: UTF8.self).onOneLine
    return text.isEmpty ? "" : ": \(text)"
}

extension ContentType {
    fileprivate var isTextual: Bool {
        type == "text" || isJSON || subtype == "xml" || subtype.hasSuffix("+xml") || subtype == "javascript"
            || subtype == "x-www-form-urlencoded"
    }
}

extension String {
    /// For a message: at most 200 characters, white space as single spaces, other control characters left out.
    var onOneLine: String {
        var line = String.UnicodeScalarView()
        var count = 0
        var hasGap = false
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace {
                hasGap = count > 0
                continue
            }
            switch scalar.properties.generalCategory {
            // Formats among them turn the direction of what follows.
            case .control, .format, .lineSeparator, .paragraphSeparator: continue
            default: break
            }
            if hasGap { line.append(" ") }
            line.append(scalar)
            count += hasGap ? 2 : 1
            hasGap = false
            if count > 200 { return String(line.prefix(199)) + "…" }
        }
        return String(line)
    }
}
