internal import Glibc

// Bytes and tokens of the RFCs. All comparisons here are ASCII's, never the locale's.

extension String {
    /// Equal but for the case of ASCII letters (RFC 9110 section 5.1).
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        let left = utf8, right = other.utf8
        guard left.count == right.count, let first = left.first, let start = right.first,
            first.asciiLowercased == start.asciiLowercased
        else { return left.isEmpty && right.isEmpty }
        // Most that differ have differed by now.
        return self == other || left.elementsEqual(right) { $0 == $1 || ($0.asciiLowercased == $1.asciiLowercased) }
    }

    /// Equal byte by byte: Swift's own equality also takes different spellings of one character for the same.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSo = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard let start = bytes.baseAddress, let otherStart = other.baseAddress else { return true }
                return memcmp(start, otherStart, bytes.count) == 0
            }
        }
        return (isSo ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether it begins with the bytes of another.
    package func hasBytes(of start: String) -> Bool {
        guard utf8.count >= start.utf8.count else { return false }
        let isSo = utf8.withContiguousStorageIfAvailable { bytes in
            start.utf8.withContiguousStorageIfAvailable { start in
                guard let one = bytes.baseAddress, let other = start.baseAddress else { return start.isEmpty }
                return memcmp(one, other, start.count) == 0
            }
        }
        return (isSo ?? nil) ?? utf8.starts(with: start.utf8)
    }

    package var asciiLowercased: String {
        utf8.contains { $0.isASCIIUppercase } ? String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) : self
    }

    /// Whether the whole is a `token` of RFC 9110 section 5.6.2.
    package var isHTTPToken: Bool { !isEmpty && everyByte(\.isHTTPTokenByte) }

    /// Whether the whole may be a field value: no CR, LF, NUL or other control but the tab (RFC 9110 section 5.5).
    package var isHTTPFieldValue: Bool { everyByte { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) } }

    /// The number when the whole is digits: `1*DIGIT` of RFC 9110 section 8.6, without a sign. `nil`: something else, or
    /// beyond `Int64`.
    package var decimalLength: Int64? {
        utf8.withContiguousStorageIfAvailable(Self.decimalLength) ?? Self.decimalLength(utf8)
    }

    private static func decimalLength(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var length: Int64 = 0
        for byte in digits {
            guard byte.isASCIIDigit else { return nil }
            let (product, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - 0x30))
            guard !overflow, !carry else { return nil }
            length = sum
        }
        return length
    }

    /// Native strings, most of all, are read in place: several times as fast as by iteration.
    private func everyByte(_ isRight: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? utf8.allSatisfy(isRight)
    }

    /// In quotes, control characters shown as escapes: a message stays one line whatever the input held.
    package var quotedForMessage: String {
        var shown = "\""
        for scalar in unicodeScalars.prefix(200) { shown += scalar.escaped(asASCII: scalar.breaksLine) }
        return shown + (unicodeScalars.count > 200 ? "…\"" : "\"")
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Without optional white space at either end (RFC 9110 section 5.6.3).
    package var trimmingOWS: Substring {
        // By bytes: a character may be a space with a mark on it.
        var slice = self[...].utf8
        while let first = slice.first, first == 0x20 || first == 0x09 { slice.removeFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice.removeLast() }
        return Substring(slice)
    }
}

extension Unicode.Scalar {
    /// Whether it can end a line, or turn the direction of what follows, where a message is shown.
    fileprivate var breaksLine: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

// Inlined across modules: parsers ask these of every byte.
extension UInt8 {
    @inlinable package var isASCIIUppercase: Bool { self &- 0x41 < 26 }
    @inlinable package var isASCIILowercase: Bool { self &- 0x61 < 26 }
    @inlinable package var isASCIIAlpha: Bool { isASCIIUppercase || isASCIILowercase }
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }
    @inlinable package var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }

    @inlinable package var isASCIIHexDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }

    @inlinable package var isHTTPTokenByte: Bool {
        if isASCIIAlpha || isASCIIDigit { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }
}
