/// Where the parts of a URL end, in its UTF-8.
struct HTTPURLOffsets: Hashable {
    var schemeEnd: Int
    var hostEnd: Int
    var pathStart: Int
    var pathEnd: Int
}

extension HTTPURLOffsets {
    /// The offsets of a text that already has the canonical form, as most that a program holds do; `nil` for any other
    /// text, which ``HTTPURLParser`` then reads. It tells less than the parser, never something else.
    init?(canonical text: String) {
        // Contiguous in all native strings; others take the long way.
        guard let offsets = text.utf8.withContiguousStorageIfAvailable(Self.scan) ?? nil else { return nil }
        self = offsets
    }

    private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPURLOffsets? {
        guard bytes.count < Int(Int32.max), let schemeEnd = scheme(bytes) else { return nil }
        let hostStart = schemeEnd + 3
        var index = hostStart
        var labelStart = hostStart
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                guard index > labelStart else { return nil }
                labelStart = index + 1
            } else if !byte.isASCIILowercase && !byte.isASCIIDigit && byte != UInt8(ascii: "-") {
                break
            }
            index += 1
        }
        guard index > labelStart, index < bytes.count else { return nil }
        // A last label that begins with a letter is no number, in whatever base: the host is no IPv4 address.
        guard bytes[labelStart].isASCIILowercase || isDottedQuad(bytes, hostStart..<index) else { return nil }
        let hostEnd = index
        if bytes[index] == UInt8(ascii: ":") {
            guard let end = portEnd(bytes, after: index, isSecure: schemeEnd == 5) else { return nil }
            index = end
        }
        let pathStart = index
        guard index < bytes.count, bytes[index] == UInt8(ascii: "/") else { return nil }
        while index < bytes.count, bytes[index] != UInt8(ascii: "?") {
            // A dot that begins a segment may be a dot segment.
            guard bytes[index].isURLPathByte,
                bytes[index] != UInt8(ascii: ".") || bytes[index - 1] != UInt8(ascii: "/")
            else { return nil }
            index += 1
        }
        let pathEnd = index
        guard isQuery(bytes, from: pathEnd) else { return nil }
        return HTTPURLOffsets(schemeEnd: schemeEnd, hostEnd: hostEnd, pathStart: pathStart, pathEnd: pathEnd)
    }

    /// Whether the rest is a query as it is to be sent: a `%` begins a triplet, which stays as it is written.
    private static func isQuery(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var index = start
        while index < bytes.count {
            if bytes[index].isURLQueryByte {
                index += 1
            } else {
                guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1].isASCIIHexDigit,
                    bytes[index + 2].isASCIIHexDigit
                else { return false }
                index += 3
            }
        }
        return true
    }

    private static func scheme(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        // By index: a string's own bytes come one by one through its index.
        guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"),
            bytes[2] == UInt8(ascii: "t"), bytes[3] == UInt8(ascii: "p")
        else { return nil }
        let end = bytes[4] == UInt8(ascii: "s") ? 5 : 4
        let slash = UInt8(ascii: "/")
        return bytes[end] == UInt8(ascii: ":") && bytes[end + 1] == slash && bytes[end + 2] == slash ? end : nil
    }

    /// Four numbers from 0 to 255 without leading zeros.
    private static func isDottedQuad(_ bytes: UnsafeBufferPointer<UInt8>, _ host: Range<Int>) -> Bool {
        var dots = 0, value = 0, digits = 0
        for index in host {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                dots += 1
                guard digits > 0 else { return false }
                (value, digits) = (0, 0)
            } else {
                guard byte.isASCIIDigit, digits == 0 || value > 0 else { return false }
                value = value * 10 + Int(byte - 0x30)
                digits += 1
                guard value <= 255 else { return false }
            }
        }
        return dots == 3 && digits > 0
    }

    /// The end of a port that is not the scheme's default and is written in one way only.
    private static func portEnd(_ bytes: UnsafeBufferPointer<UInt8>, after colon: Int, isSecure: Bool) -> Int? {
        var index = colon + 1, port = 0
        while index < bytes.count, bytes[index].isASCIIDigit, port <= 65535 {
            port = port * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        guard index > colon + 1, port <= 65535, bytes[colon + 1] != 0x30, port != (isSecure ? 443 : 80) else {
            return nil
        }
        return index
    }
}
