import LupineTesting

/// What the bytes of a connection that then ends mean as an answer to GET, read leniently (RFC 9112): a success may not
/// claim more than this.
enum FramingOracle {
    enum Meaning: Equatable {
        /// A whole body, in its content coding, and whether the head says that there is a coding.
        case whole([UInt8], isCoded: Bool)
        case cut
        /// No answer at all, or one that contradicts itself.
        case unreadable
    }

    static func meaning(of bytes: [UInt8]) -> Meaning {
        var rest = bytes[...]
        while true {
            guard let lines = head(&rest), let status = status(lines.first ?? []) else { return .unreadable }
            if (100..<200).contains(status) { continue }
            return body(rest, status: status, fields: fields(lines.dropFirst()))
        }
    }

    /// Whether bytes come after the answer's end.
    static func hasExcess(_ bytes: [UInt8]) -> Bool {
        guard case .whole = meaning(of: bytes) else { return false }
        return meaning(of: bytes.dropLast()) == meaning(of: bytes)
    }

    /// The lines up to the empty one, which is taken away too.
    private static func head(_ rest: inout ArraySlice<UInt8>) -> [[UInt8]]? {
        var lines: [[UInt8]] = []
        while let end = rest.firstIndex(of: 0x0A) {
            var line = Array(rest[..<end])
            rest = rest[(end + 1)...]
            while line.last == 0x0D { line.removeLast() }
            if line.isEmpty, !lines.isEmpty { return lines }
            if isBlank(line.first), lines.count > 1 {
                lines[lines.count - 1] += line  // folded
            } else if !line.isEmpty {
                lines.append(line)
            }
        }
        return nil
    }

    private static func status(_ line: [UInt8]) -> Int? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 0x20) else { return nil }
        let digits = line[(space + 1)...].drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func fields(_ lines: some Sequence<[UInt8]>) -> [(name: String, value: String)] {
        lines.compactMap { line in
            guard let colon = line.firstIndex(of: 0x3A) else { return nil }
            var value = line[(colon + 1)...].drop(while: isBlank)
            while isBlank(value.last) { value.removeLast() }
            return (
                String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                String(decoding: value, as: UTF8.self).lowercased()
            )
        }
    }

    /// Whether a known coding is to be removed. A body whose codings are not all known is delivered as it came.
    private static func isCoded(_ fields: [(name: String, value: String)]) -> Bool {
        let codings = fields.filter { $0.name == "content-encoding" }
            .flatMap { $0.value.split(separator: ",").map(String.init) }
            .filter { $0 != "identity" }
        return !codings.isEmpty && codings.allSatisfy { ["gzip", "x-gzip", "deflate", "br", "zstd"].contains($0) }
    }

    private static func body(
        _ rest: ArraySlice<UInt8>, status: Int, fields: [(name: String, value: String)]
    ) -> Meaning {
        let isCoded = isCoded(fields)
        if status == 204 || status == 304 { return .whole([], isCoded: false) }
        if fields.contains(where: { $0.name == "transfer-encoding" && $0.value.contains("chunked") }) {
            return chunked(rest, isCoded: isCoded)
        }
        let lengths = Set(fields.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return .whole(Array(rest), isCoded: isCoded) }
        guard lengths.count == 1, let length = Int(text.split(separator: ",").first ?? ""), length >= 0 else {
            return .unreadable
        }
        return rest.count < length ? .cut : .whole(Array(rest.prefix(length)), isCoded: isCoded)
    }

    private static func chunked(_ bytes: ArraySlice<UInt8>, isCoded: Bool) -> Meaning {
        var rest = bytes, body: [UInt8] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let digits = rest[..<end].drop { $0 == 0x20 }.prefix {
                (0x30...0x39).contains($0) || (0x41...0x46).contains($0 & 0xDF)
            }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return .unreadable }
            rest = rest[(end + 1)...]
            if size == 0 {
                // The trailers' empty line ends it (section 7.1).
                while let end = rest.firstIndex(of: 0x0A) {
                    if rest[..<end].allSatisfy({ $0 == 0x0D }) { return .whole(body, isCoded: isCoded) }
                    rest = rest[(end + 1)...]
                }
                return .cut
            }
            guard rest.count >= size else { return .cut }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            while rest.first == 0x0D { rest = rest.dropFirst() }
            guard let next = rest.first else { return .cut }
            guard next == 0x0A else { return .unreadable }
            rest = rest.dropFirst()
        }
        return .cut
    }
}
