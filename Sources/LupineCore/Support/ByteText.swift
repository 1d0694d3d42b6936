/// Bytes as text: that which they are in UTF-8, else a character for each (ISO 8859-1, RFC 9110 section 5.5), so that what came
/// can be sent again as it was. Equal bytes have equal texts.
package struct ByteText: Hashable, Sendable {
    package let text: String
    /// Each character stands for one byte, and the bytes are no UTF-8.
    package let isLatin1: Bool

    package init(_ text: String) {
        self.text = text
        isLatin1 = false
    }

    package init(bytes: [UInt8]) {
        let utf8 = String(validating: bytes, as: UTF8.self)
        text = utf8 ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
        isLatin1 = utf8 == nil
    }

    /// Part of a text that came so.
    package init(_ part: Substring, isLatin1: Bool) {
        let text = String(part)
        if isLatin1, !text.utf8.allSatisfy({ $0 < 0x80 }) {
            self.init(bytes: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        } else {
            self.init(text)
        }
    }

    package var bytes: [UInt8] {
        isLatin1 ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
    }

    package var isEmpty: Bool { text.isEmpty }

    /// How many bytes.
    package var count: Int { isLatin1 ? text.unicodeScalars.count : text.utf8.count }
}
