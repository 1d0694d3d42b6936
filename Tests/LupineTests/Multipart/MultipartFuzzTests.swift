import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Random forms, encoded and read back by a reader that knows RFC 2046 and not the encoder.
///
/// A failure names its seed; `LUPINE_FUZZ_SEED=N` runs that one alone.
@Suite(.timeLimit(.minutes(20)))
struct MultipartFuzzTests {
    private static let seeds: Range<UInt64> = {
        if let seed = UInt64(environment("LUPINE_FUZZ_SEED") ?? "") { return seed..<seed + 1 }
        return 0..<(isNightly ? 6000 : 300)
    }()

    private static func read(_ body: HTTPBody, by count: Int) async throws -> [UInt8] {
        switch body.source {
        case .bytes(let data): return Array(data)
        case .reader(let open):
            let reader = try open("the form")
            defer { reader.close() }
            var bytes: [UInt8] = []
            while let piece = try await reader.read(upTo: count) {
                if piece.isEmpty || piece.count > count {
                    Issue.record("\(piece.count) bytes where \(count) were asked for")
                }
                bytes += piece
            }
            return bytes
        }
    }

    @Test func whatIsEncodedIsFoundAgain() async throws {
        let folder = try TemporaryDirectory()
        var sizes = 0
        for seed in Self.seeds {
            let random = RandomForm(seed: seed, largest: seed % 16 == 0 ? 300_000 : 400, count: 0...6)
            var form = MultipartFormData()
            try random.add(to: &form, folder)
            let body = form.body
            let whole = try await Self.read(body, by: 1 << 20)
            if let length = body.length { #expect(length == Int64(whole.count), "seed \(seed)") }
            guard !random.parts.isEmpty else {
                #expect(whole.isEmpty, "seed \(seed)")
                continue
            }
            let difference = random.difference(from: try ReceivedPart.parse(whole, boundary: form.boundary))
            #expect(difference == nil, "seed \(seed)")
            guard body.isRewindable else { continue }
            let counts = whole.count < 3000 ? Array(1...whole.count + 1) : [1, 7, 4096, 65_536, whole.count - 1]
            for count in counts where count < 100 || count % 17 == Int(seed % 17) || count >= whole.count - 40 {
                sizes += 1
                if try await Self.read(body, by: count) != whole {
                    Issue.record("seed \(seed), by \(count): other bytes")
                }
            }
        }
        print("multipart fuzz: \(Self.seeds.count) forms, \(sizes) read sizes")
    }

    /// Damaged, a form is whole for no reader: the reader itself is on trial here.
    @Test func damagedFormsEndInAnAnswer() async throws {
        let folder = try TemporaryDirectory()
        for seed in Self.seeds.prefix(isNightly ? 6000 : 300) {
            let random = RandomForm(seed: seed, largest: 400, count: 1...3)
            var form = MultipartFormData()
            try random.add(to: &form, folder)
            var bytes = try await Self.read(form.body, by: 1 << 20)
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            _ = try? ReceivedPart.parse(bytes, boundary: form.boundary)
        }
    }
}
