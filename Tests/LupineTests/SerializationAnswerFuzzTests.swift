import FoundationEssentials
import Glibc
import Lupine
import LupineCore
import Testing

/// Damaged content types, charsets and bodies: each ends, in a value or in one error that carries the bytes.
///
/// A failure names its seed; `LUPINE_FUZZ_SEED=N` runs that one alone.
@Suite(.timeLimit(.minutes(10)))
struct SerializationAnswerFuzzTests {
    private static let seeds: Range<UInt64> = {
        if let seed = UInt64(environment("LUPINE_FUZZ_SEED") ?? "") { return seed..<seed + 1 }
        return 0..<(isNightly ? 200_000 : 4_000)
    }()

    private static let types = [
        "text/html; charset=gb2312", "text/plain;charset=\"iso-2022-jp\"; x=y", "application/json",
        "text/json; charset=utf-16",
        "application/x-plist", "text/plain; charset=big5-hkscs", "image/svg+xml ;charset = shift_jis",
        "a/b;c=\"d\\\"e\";f",
        "text/html;charset=utf-7", "text/plain; charset=euc-kr, text/html", "*/*", "text/plain; charset=cp1258",
    ]

    private static let charsets = [
        "utf-8", "utf-16", "utf-16be", "utf-32", "gb2312", "gb18030", "big5", "euc-jp", "shift_jis", "iso-2022-jp",
        "euc-kr",
        "iso-2022-kr", "iso-2022-cn", "euc-tw", "utf-7", "windows-1252", "windows-1258", "koi8-r", "iso-8859-8",
        "macintosh",
        "tis-620", "tcvn", "johab", "ibm1047", "iso-2022-jp-3", "euc-jisx0213",
    ]

    private static let bodies: [[UInt8]] = {
        let list =
            "<?xml version=\"1.0\"?><plist><dict><key>a</key><array><integer>1</integer><real>2.5</real></array></dict></plist>"
        let binary: [UInt8] =
            Array("bplist00".utf8) + [
                0xD1, 1, 2, 0x51, 0x61, 0xA2, 3, 4, 0x10, 0x01, 0x23, 0x40, 0x04, 0, 0, 0, 0, 0, 0,
            ]
            + [8, 11, 13, 16, 18] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [5, 0, 27].flatMap { [0, 0, 0, 0, 0, 0, 0, UInt8($0)] }
        return [
            Array(#"{"a":[1,2.5e3,null,"é😀\n"],"b":{"c":true}}"#.utf8), Array(list.utf8), binary,
            Array("中文, русский, 日本語, é".utf8), [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x41],
            [0xD6, 0xD0, 0xCE, 0xC4, 0x81, 0x30, 0x81, 0x30], [0xFF, 0xFE, 0x41, 0, 0x3D, 0xD8, 0, 0xDE],
            [0x88, 0x62, 0x88, 0x66, 0xA4, 0xA4], [0x8E, 0xA1, 0xA1, 0xA1, 0x8F, 0xA2, 0xAF],
        ]
    }()

    private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...8, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = .random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4:
                bytes.insert(
                    contentsOf: [";", "\"", "=", "/", "\\", " ", ",", "é"].randomElement(using: &random)?.utf8
                        ?? "".utf8, at: place)
            default: bytes = Array(bytes[..<place])
            }
        }
        return bytes
    }

    @Test func contentTypes() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let base = Self.types[Int.random(in: 0..<Self.types.count, using: &random)]
            let text = String(decoding: Self.damaged(Array(base.utf8), &random), as: UTF8.self)
            guard let type = ContentType(text) else { continue }
            // What is written again is read alike.
            #expect(ContentType(type.description) == type, "seed \(seed): \(text)")
            #expect(type.essence == type.essence.lowercased(), "seed \(seed)")
            #expect(ContentTypeSet([type.essence]).contains(type), "seed \(seed)")
            if let charset = type.charset { _ = try? Charset(charset).decode([0x41, 0xD6, 0xD0]) }
        }
    }

    @Test func charsets() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let charset = Charset(Self.charsets[Int.random(in: 0..<Self.charsets.count, using: &random)])
            let bytes = Self.damaged(Self.bodies[Int.random(in: 0..<Self.bodies.count, using: &random)], &random)
            do throws(CharsetError) {
                let text = try charset.decode(bytes)
                #expect(text.utf8.count <= bytes.count * 8, "seed \(seed)")
            } catch {
                #expect(error.charset == charset, "seed \(seed)")
                // What stands before the fault is text; of an escape sequence, which changes what follows, perhaps half.
                guard let offset = error.offset, (0..<bytes.count).contains(offset) else {
                    Issue.record("seed \(seed): \(error) of \(bytes.count) bytes")
                    continue
                }
                if charset.name.hasPrefix("iso-2022") || charset.name == "utf-7" { continue }
                if (try? charset.decode(bytes[..<offset])) == nil { Issue.record("seed \(seed): \(charset) \(bytes)") }
            }
        }
    }

    @Test func serializers() throws {
        struct Content: Decodable, Sendable { let a: [Double?] }
        let request = HTTPRequest(url: try HTTPURL("http://a.test/"))
        var outcomes: [String: Int] = [:]
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let base = Self.types[Int.random(in: 0..<Self.types.count, using: &random)]
            let type = String(decoding: Self.damaged(Array(base.utf8), &random), as: UTF8.self)
            let data = Data(Self.damaged(Self.bodies[Int.random(in: 0..<Self.bodies.count, using: &random)], &random))
            var response = HTTPResponse(status: [200, 200, 200, 204, 404][Int.random(in: 0..<5, using: &random)])
            response.headers.add(name: "Content-Type", value: type)
            var json = JSONResponseSerializer()
            json.convertsDeclaredCharset = Bool.random(using: &random)
            json.removesKeysWithNullValues = Bool.random(using: &random)
            json.removesNullElements = Bool.random(using: &random)
            json.acceptableContentTypes = Bool.random(using: &random) ? .json : nil
            func run<Serializer: ResponseSerializer>(_ name: String, _ serializer: Serializer) {
                do throws(LupineError) {
                    let _: Serializer.Value = try serializer.serialize(data, response: response, request: request)
                    outcomes["\(name): value", default: 0] += 1
                } catch {
                    outcomes["\(name): \(error.code)", default: 0] += 1
                    #expect(error.data == data && error.response == response, "seed \(seed)")
                    #expect(error.message.count < 1000 && !error.message.contains("\n"), "seed \(seed)")
                }
            }
            run("json", json)
            run("decodable", DecodableResponseSerializer(Content.self, acceptableContentTypes: nil))
            run("text", StringResponseSerializer())
            run("list", PropertyListResponseSerializer(acceptableContentTypes: nil))
            run("decodable list", PropertyListResponseSerializer(Content.self, acceptableContentTypes: nil))
        }
        print("fuzz: \(outcomes.sorted { $0.key < $1.key })")
    }
}
