import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting

/// A form that follows from a seed, and what a reader must find in it.
struct RandomForm: Sendable {
    struct Part: Sendable {
        var name: String
        var fileName: String?
        var type: String?
        var content: [UInt8]
        var source: Source
    }

    enum Source: CaseIterable { case data, file, stream, sized, once, fields }

    let boundary: String?
    let parts: [Part]

    /// - Parameters:
    ///   - largest: how much a part may hold.
    ///   - count: how many parts there may be.
    init(seed: UInt64, largest: Int, count: ClosedRange<Int>) {
        var random = SeededGenerator(seed: seed)
        let boundary = ["--own:/boundary--", "a b=c?d", "'own'", String(repeating: "z", count: 70)].randomElement(
            using: &random)
        self.boundary = Int.random(in: 0..<4, using: &random) == 0 ? boundary : nil
        let used = self.boundary ?? "Boundary+"
        parts = (0..<Int.random(in: count, using: &random)).map { _ in
            let source = Source.allCases.randomElement(using: &random) ?? .data
            let isFile = source != .data || Bool.random(using: &random)
            return Part(
                name: Self.name(&random), fileName: isFile ? Self.name(&random) : nil,
                type: isFile ? Self.types.randomElement(using: &random) : nil,
                content: Self.content(largest, used, &random), source: source)
        }
    }

    private static let types = ["text/plain", "image/png", "application/octet-stream", "text/html; charset=utf-8"]

    /// Without what readers of forms take differently: backslashes, percent signs, and controls but line breaks.
    private static func name(_ random: inout SeededGenerator) -> String {
        let signs = [
            "a", "Z", "0", "\"", "\r", "\n", "\r\n", " ", ";", "=", "é", "e\u{301}", "🐘", "👩‍👩‍👧", "中", "'", "/", "[", "]",
            ":", "--", ".txt", "\u{202E}",
        ]
        let inner = (0..<Int.random(in: 0...12, using: &random)).map { _ in signs.randomElement(using: &random) ?? "" }
        // White space at the ends is not everyone's.
        return "n" + inner.joined() + "e"
    }

    /// Pieces of what the form itself is made of, or bytes at random.
    private static func content(_ largest: Int, _ boundary: String, _ random: inout SeededGenerator) -> [UInt8] {
        // As often small as large, in every magnitude.
        let magnitude = Double.random(in: 0...1, using: &random)
        let size = Int.random(in: 0..<8, using: &random) == 0 ? 0 : Int(pow2(magnitude * log2(largest + 1))) - 1
        if size > 1 << 16 {
            let start = UInt8.random(in: 0...255, using: &random)
            return (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) &+ start }
        }
        let words = [
            "\r\n", "--", "\r", "\n", "-", "--no\(boundary)", "\r\n--B", "Content-Type: a\r\n\r\n", "\0", "\u{FF}",
        ]
        var bytes: [UInt8] = []
        while bytes.count < size {
            if Bool.random(using: &random) {
                bytes += (words.randomElement(using: &random) ?? "").utf8
            } else {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            }
        }
        return Array(bytes.prefix(size))
    }

    private static func log2(_ value: Int) -> Double { Double(Int.bitWidth - value.leadingZeroBitCount) }
    private static func pow2(_ exponent: Double) -> Double {
        let whole = Int(exponent)
        return Double(1 << whole) * (1 + exponent - Double(whole))
    }

    /// Adds the parts to a form, files by way of a folder.
    func add(to form: inout MultipartFormData, _ folder: TemporaryDirectory) throws {
        if let boundary { try form.setBoundary(boundary) }
        for (index, part) in parts.enumerated() {
            let data = Data(part.content), length = Int64(data.count)
            let fileName = part.fileName ?? "", name = part.name
            switch part.source {
            case .data:
                if part.fileName == nil {
                    try form.append(data: data, name: name)
                } else {
                    try form.append(data: data, name: name, fileName: fileName, mimeType: part.type)
                }
            case .file:
                try form.append(
                    file: folder.write(data, to: "\(index)"), name: name, fileName: fileName, mimeType: part.type)
            case .stream:
                try form.append(
                    stream: { ChoppingReader(data) }, length: nil, name: name, fileName: fileName, mimeType: part.type)
            case .sized:
                try form.append(
                    stream: { ChoppingReader(data) }, length: length, name: name, fileName: fileName,
                    mimeType: part.type)
            case .once:
                try form.append(
                    stream: ChoppingReader(data), length: length, name: name, fileName: fileName, mimeType: part.type)
            case .fields:
                try form.append(body: .bytes(data), name: name, fileName: fileName, mimeType: part.type)
            }
        }
    }

    /// Whether what a reader found is what was put in.
    func difference(from received: [ReceivedPart]) -> String? {
        guard received.count == parts.count else { return "\(received.count) parts of \(parts.count)" }
        for (index, (part, found)) in zip(parts, received).enumerated() {
            let texts = [(part.name, found.name), (part.fileName, found.fileName), (part.type, found.contentType)]
            for (expected, found) in texts where expected.map({ Array($0.utf8) }) != found.map({ Array($0.utf8) }) {
                return "part \(index): \(found.debugDescription) for \(expected.debugDescription)"
            }
            if part.content != found.body { return "part \(index): another content" }
        }
        return nil
    }
}

/// Gives data in pieces of changing size, some of them empty, some larger than asked for.
private final class ChoppingReader: BodyReader {
    private let state: Lock<(rest: Data, turn: Int)>

    init(_ data: Data) { state = Lock((data, 0)) }

    func read(upTo count: Int) async throws -> Data? {
        state.withLock { state in
            guard !state.rest.isEmpty else { return nil }
            state.turn += 1
            let size = [1, 0, 1000, 3, 70_000][state.turn % 5]
            defer { state.rest = state.rest.dropFirst(size) }
            return state.rest.prefix(size)
        }
    }
}
