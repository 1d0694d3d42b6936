// Foreign text in messages for people.

extension String {
    /// For a message: at most 200 characters, white space as single spaces, other control characters left out.
    package var onOneLine: String {
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

    /// Without what stands before an `@`: libcurl repeats the address of a proxy as it was given, password and all.
    package var withoutUserinfo: String {
        guard let at = lastIndex(of: "@") else { return self }
        let start = firstRange(of: "://")?.upperBound ?? firstIndex(of: "'").map(index(after:)) ?? startIndex
        return start < at ? "\(self[..<start])<redacted>\(self[at...])" : self
    }
}

extension Error {
    /// For a message: what it says of itself, as text from elsewhere.
    package var onOneLine: String { "\(self)".onOneLine }
}
