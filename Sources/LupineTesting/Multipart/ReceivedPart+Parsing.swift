internal import Glibc
internal import LupineCore

// Written from RFC 2046 section 5.1.1, not from what Lupine sends: it is to judge that.
extension ReceivedPart {
    /// Reads a form.
    ///
    /// - Throws: ``LoopbackError`` with `malformed-request`.
    package static func parse(_ bytes: [UInt8], boundary: String) throws(LoopbackError) -> [ReceivedPart] {
        let delimiter = Array("--\(boundary)".utf8)
        // Line breaks may stand before the first delimiter; no other preamble is taken.
        var position = bytes.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? bytes.count
        guard bytes[position...].starts(with: delimiter) else { throw fault("it does not begin with its boundary") }
        position += delimiter.count
        var parts: [ReceivedPart] = []
        while true {
            let rest = bytes[position...]
            // Whatever follows the last delimiter is an epilogue, to be ignored.
            if rest.starts(with: "--".utf8) { return parts }
            guard rest.starts(with: "\r\n".utf8) else { throw fault("a delimiter is followed by neither CRLF nor --") }
            let (headers, start) = try fields(in: bytes, from: position + 2)
            let end = try contentEnd(in: bytes, from: start, delimiter: delimiter)
            parts.append(ReceivedPart(headers: headers, body: Array(bytes[start..<end])))
            position = end + 2 + delimiter.count
        }
    }

    private static func fields(
        in bytes: [UInt8], from start: Int
    ) throws(LoopbackError) -> (HTTPHeaders, end: Int) {
        var headers = HTTPHeaders()
        var position = start
        while true {
            guard let end = bytes[position...].firstIndex(where: { $0 == 0x0D || $0 == 0x0A }), bytes[end] == 0x0D,
                end + 1 < bytes.count, bytes[end + 1] == 0x0A
            else { throw fault("a field does not end in CRLF") }
            let line = bytes[position..<end]
            position = end + 2
            if line.isEmpty { return (headers, position) }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw fault("a field has no colon") }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard name.isHTTPToken else { throw fault("\(name.quotedForMessage) is no name of a field") }
            headers.add(
                name: name, value: String(String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingOWS))
        }
    }

    /// Where the CRLF before the next delimiter begins. What looks like a delimiter and goes on otherwise is content.
    private static func contentEnd(
        in bytes: [UInt8], from start: Int, delimiter: [UInt8]
    ) throws(LoopbackError) -> Int {
        // The CRLF may be the one that ended the fields.
        var position = start - 2
        let line = Array("\r\n".utf8) + delimiter
        while let found = firstIndex(of: line, in: bytes, from: position) {
            let rest = bytes[(found + line.count)...]
            if rest.starts(with: "\r\n".utf8) || rest.starts(with: "--".utf8) {
                guard found >= start else { throw fault("a part has no content") }
                return found
            }
            position = found + 1
        }
        throw fault("its last delimiter is missing")
    }

    private static func firstIndex(of needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let first = needle.first else { return nil }
            var position = start
            while position + needle.count <= bytes.count {
                let last = bytes.count - needle.count
                guard let found = memchr(base + position, Int32(first), last - position + 1) else { return nil }
                position = UnsafeRawPointer(found) - base
                if memcmp(found, needle, needle.count) == 0 { return position }
                position += 1
            }
            return nil
        }
    }

    private static func fault(_ message: String) -> LoopbackError {
        LoopbackError(.malformedRequest, "no form: \(message)")
    }
}
