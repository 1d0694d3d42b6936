import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

/// Names in part fields, as the HTML standard escapes them (4.10.21.8): AFNetworking's known fault, done right.
@Suite(.timeLimit(.minutes(1)))
struct MultipartEscapingTests {
    static let names = [
        ("plain.txt", "plain.txt"),
        (#"my "x".pdf"#, "my %22x%22.pdf"),
        ("a\r\nX: y.txt", "a%0D%0AX: y.txt"),
        ("a\n\rb", "a%0A%0Db"),
        ("naïve.txt", "naïve.txt"),
        ("☺😂 ★星★.txt", "☺😂 ★星★.txt"),
        (#"back\slash"#, #"back\slash"#),
        (#"\""#, #"\%22"#),
        ("50%22", "50%22"),
        ("a;b=c", "a;b=c"),
        ("tab\t bell\u{7} del\u{7F}", "tab\t bell\u{7} del\u{7F}"),
        ("\"\u{301}", "%22\u{301}"),
        ("\r\n", "%0D%0A"),
        ("", ""),
        ("e\u{301}", "e\u{301}"),
        (String(repeating: "\"", count: 1000), String(repeating: "%22", count: 1000)),
    ]

    @Test(arguments: names) func namesAndFileNames(_ name: String, _ escaped: String) async throws {
        var form = try MultipartFormData(boundary: "B")
        try form.append(data: Data("x".utf8), name: name, fileName: name, mimeType: "a/b")
        let expected =
            "--B\r\nContent-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"
            + "Content-Type: a/b\r\n\r\nx\r\n--B--\r\n"
        // By bytes: texts that differ in their normal form are equal as strings.
        #expect(try await bytes(of: form.body) == Array(expected.utf8))
        // A reader sees exactly one part.
        let parts = try await form.received()
        #expect(parts.count == 1 && parts[0].headers.count == 2)
    }

    /// B43: header injection by any name or value has one error, and adds nothing.
    @Test(arguments: ["a/b\r\nX: 1", "a/b\n", "a/b\0", "", "a/b/c\r", " \t", "\u{7F}"])
    func whatIsNoTypeIsRefused(_ type: String) async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write([1], to: "f")
        var form = MultipartFormData()
        let appends: [(inout MultipartFormData) throws -> Void] = [
            { try $0.append(data: Data(), name: "a", fileName: "a", mimeType: type) },
            { try $0.append(file: file, name: "a", mimeType: type) },
            { try $0.append(stream: { ZeroReader(count: 1) }, length: 1, name: "a", fileName: "a", mimeType: type) },
            { try $0.append(stream: ZeroReader(count: 1), length: 1, name: "a", fileName: "a", mimeType: type) },
            { try $0.append(body: .text("a"), name: "a", mimeType: type) },
            { try $0.append(UploadPart(data: Data(), name: "a", mimeType: type)) },
        ]
        for append in appends { #expect(await code { try append(&form) } == .requestSerializationFailed) }
        #expect(form.isEmpty)
        #expect(form.contentLength == 0)
    }

    @Test(arguments: [
        ("X\r\n", "1"), ("", "1"), ("X Y", "1"), ("X:", "1"), ("Ü", "1"), ("X\0", "1"), ("X", "1\r\nY: 2"), ("X", "\n"),
        ("X", "\r"), ("X", "\0"), ("X", "\u{7F}"),
    ])
    func fieldsThatWouldChangeTheFormAreRefused(_ name: String, _ value: String) async throws {
        var form = MultipartFormData()
        #expect(
            await code { try form.append(headers: ["A": "b", name: value], body: Data()) }
                == .requestSerializationFailed)
        #expect(form.isEmpty)
    }

    /// A message about a part stays one line, whatever its name.
    @Test func messagesAreOneLine() throws {
        var form = MultipartFormData()
        let error = #expect(throws: LupineError.self) {
            try form.append(data: Data(), name: "a\r\nb", fileName: "x", mimeType: "\r\n")
        }
        #expect(error?.message.contains { $0.isNewline } == false)
    }
}
