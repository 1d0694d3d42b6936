import CCodings
import FoundationEssentials
import Lupine
import LupineTesting
import Testing

/// Forms as parsers read them that nobody here wrote: Python's `email` and python-multipart behind h11, and Werkzeug's in
/// httpbin.
@Suite(.serialized, .enabled(if: LivePeers.forms != nil, LivePeers.hint), .timeLimit(.minutes(20)))
struct LivePeerMultipartTests {
    private static let session = URLSessionManager.direct { $0.options.timeouts.idle = .seconds(300) }
    private static let api = HTTPSessionManager(configuration: session.configuration)
    private let forms: String

    init() throws { forms = try #require(LivePeers.forms) }

    private func crc32(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { Int(CCodings.crc32(0, $0.baseAddress, UInt32($0.count))) }
    }

    private func expect(_ random: RandomForm, in told: JSONValue, _ seed: UInt64) {
        guard !random.parts.isEmpty else {
            #expect(told["length"] == 0, "seed \(seed)")
            return
        }
        let expected = random.parts.map { part -> JSONValue in
            [
                "name": JSONValue(part.name), "filename": part.fileName.map { JSONValue($0) } ?? nil,
                "type": part.type.map { JSONValue($0) } ?? nil, "length": JSONValue(part.content.count),
                "crc32": JSONValue(crc32(part.content)),
            ]
        }
        for parser in ["email", "python-multipart"] {
            #expect(told[parser]?.arrayValue == expected, "seed \(seed), \(parser): \(told)")
        }
        let isSized = random.parts.allSatisfy { $0.source != .stream }
        let length = told["length"]?.intValue ?? -1
        #expect(told["framing"] == (isSized ? JSONValue("\(length)") : "chunked"), "seed \(seed)")
    }

    /// 500 at night: 0 to 3 parts, names with quotes, line breaks and emoji, contents of 0 bytes to 70 MB.
    @Test func randomFormsComeBackEqual() async throws {
        let folder = try TemporaryDirectory()
        var bytes = 0
        for seed in 0..<UInt64(isNightly ? 500 : 80) {
            let largest = isNightly && seed % 25 == 0 ? 70_000_000 : seed % 10 == 0 ? 3_000_000 : 50_000
            let random = RandomForm(seed: seed, largest: largest, count: 0...3)
            let answer = try await Self.api.post(forms, multipart: { try random.add(to: &$0, folder) })
            let told = try JSONValue(parsing: answer.data)
            expect(random, in: told, seed)
            bytes += told["length"]?.intValue ?? 0
        }
        print("multipart, live: \(bytes) bytes")
    }

    /// The largest beside the smallest.
    @Test func aLargePartBetweenSmallOnes() async throws {
        let size = isNightly ? 70_000_000 : 8_000_000
        let folder = try TemporaryDirectory()
        let content = Array(PatternReader.bytes(size))
        let path = try folder.write(content, to: "large.bin")
        let answer = try await Self.api.put(
            forms, parameters: ["empty": ""],
            multipart: { form in
                try form.append(file: path, name: "large")
                try form.append(data: Data([7]), name: "one", fileName: "one")
            })
        let told = try JSONValue(parsing: answer.data)
        for parser in ["email", "python-multipart"] {
            #expect(told[parser]?.arrayValue?.map { $0["length"]?.intValue } == [0, size, 1])
            #expect(told[parser]?[1]?["crc32"]?.intValue == crc32(content))
        }
    }

    /// AFNetworking's `POSTWithConstructingBody`, against the server that it was written for.
    @Test func postWithConstructingBody() async throws {
        let base = try #require(LivePeers.httpbin)
        let answer = try await Self.api.post(
            "\(base)/post", parameters: ["key": "value", "list": ["a", "ü 🐘"], "my \"x\"": "q"],
            headers: ["field": "value"],
            multipart: { form in
                try form.append(data: Data("Data".utf8), name: "DataName", fileName: "DataFileName", mimeType: "data")
            })
        let echo = try JSONValue(parsing: answer.data)
        #expect(echo["files"] == ["DataName": "Data"])
        #expect(echo["form"]?["key"] == "value")
        #expect(echo["form"]?["list[]"] == ["a", "ü 🐘"])
        #expect(echo["form"]?["my \"x\""] == "q")
        #expect(echo["headers"]?["Field"] == "value")
        #expect(echo["headers"]?["Transfer-Encoding"] == nil)
    }

    /// B47: sent again after a redirect that keeps the method.
    @Test func aRedirectedForm() async throws {
        let base = try #require(LivePeers.httpbin)
        let folder = try TemporaryDirectory()
        let path = try folder.write(Array("a file's".utf8), to: "f.txt")
        let answer = try await Self.api.post(
            "\(base)/redirect-to?url=/post&status_code=307", multipart: { try $0.append(file: path, name: "f") })
        #expect(try JSONValue(parsing: answer.data)["files"] == ["f": "a file's"])
    }
}
