/// A generator whose numbers follow from its seed alone (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// An answer's bytes, damaged by a seed, in the pieces in which they are sent.
struct MutatedAnswer: Sendable {
    let bytes: [UInt8]
    let pieces: [[UInt8]]
    /// Whether the connection ends in order after them.
    let ends: Bool
    let isDamaged: Bool

    /// The body of every answer before damage.
    static let text = Array(
        (0..<12).map { "Line \($0) of a body that is neither short nor long.\n" }.joined().utf8)

    /// `text` with gzip.
    static let gzipped: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 149, 209, 201, 13, 128, 48, 12, 4, 192, 63, 85, 108, 5, 136, 251, 232, 33,
        77, 4, 97, 72, 36, 100, 75, 137, 63, 116, 143, 40, 97, 11, 152, 215, 132, 172, 130, 14, 118, 33, 226, 176,
        243, 133, 167, 232, 200, 21, 42, 217, 147, 20, 212, 100, 197, 161, 86, 240, 152, 222, 109, 19, 126, 208, 179,
        96, 96, 193, 200, 130, 137, 5, 51, 11, 22, 22, 172, 44, 216, 88, 176, 211, 113, 124, 53, 115, 253, 1, 249,
        238, 188, 112, 78, 2, 0, 0,
    ]

    private static let bases: [[UInt8]] = {
        let length = "Content-Length: \(text.count)\r\n", type = "Content-Type: text/plain\r\n"
        let chunks = chunked(text, by: 100)
        return [
            Array("HTTP/1.1 200 OK\r\n\(length)\(type)\r\n".utf8) + text,
            Array("HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\n\r\n".utf8) + chunks
                + Array("0\r\n\r\n".utf8),
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + chunks
                + Array("0\r\nX-Trailer: t\r\n\r\n".utf8),
            Array("HTTP/1.1 200 OK\r\n\(type)Connection: close\r\n\r\n".utf8) + text,
            Array("HTTP/1.0 200 OK\r\n\(length)\r\n".utf8) + text,
            Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\(length)X-A: 1\r\nX-A: 2\r\n\r\n".utf8) + text,
            Array("HTTP/1.1 404 Not Found\r\n\(length)\(type)\r\n".utf8) + text,
            Array("HTTP/1.1 204 No Content\r\nServer: s\r\n\r\n".utf8),
            Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzipped.count)\r\n\r\n".utf8)
                + gzipped,
            Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                + chunked(gzipped, by: 17) + Array("0\r\n\r\n".utf8),
        ]
    }()

    private static func chunked(_ bytes: [UInt8], by size: Int) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: size).flatMap { start in
            let chunk = bytes[start..<min(start + size, bytes.count)]
            return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
        }
    }

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Self.bases[Int.random(in: 0..<Self.bases.count, using: &random)]
        let count = Int.random(in: 0...3, using: &random)
        let original = bytes
        for _ in 0..<count { Self.damage(&bytes, &random) }
        isDamaged = bytes != original
        self.bytes = bytes
        ends = Int.random(in: 0..<8, using: &random) > 0
        var pieces: [[UInt8]] = [], rest = bytes[...]
        while !rest.isEmpty, pieces.count < 4 {
            let size = Int.random(in: 1...rest.count, using: &random)
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        self.pieces = rest.isEmpty ? pieces : pieces + [Array(rest)]
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        // Half of the damage is in the head, where it does most.
        let head = Bool.random(using: &random) ? min(bytes.count, 120) : bytes.count
        let place = Int.random(in: 0..<head, using: &random)
        let length = Int.random(in: 0...min(20, bytes.count - place), using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes = Array(bytes[..<place])
        case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        case 5:
            let words = [
                "\r\n", "\n", "0", ":", " ", "\t", "\0", "Content-Length: 5\r\n", ",", ";", "0\r\n\r\n", "-", "+",
            ]
            bytes.insert(contentsOf: (words.randomElement(using: &random) ?? "").utf8, at: place)
        default:
            let other = Int.random(in: 0..<bytes.count, using: &random)
            bytes.swapAt(place, other)
        }
    }
}
