import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

/// A form byte for byte: AFNetworking's `AFMultipartBodyStream`, and its rows on the wire.
@Suite(.timeLimit(.minutes(1)))
struct MultipartWireTests {
    @Test func theBoundaryIsRandomForEachForm() throws {
        let boundaries = (0..<100).map { _ in MultipartFormData().boundary }
        #expect(Set(boundaries).count == 100)
        for boundary in boundaries {
            #expect(boundary.hasPrefix("Boundary+"))
            #expect(boundary.utf8.count == 25)
            #expect(boundary.dropFirst(9).allSatisfy { "0123456789ABCDEF".contains($0) })
        }
    }

    @Test func theFormOnTheWire() async throws {
        var form = try MultipartFormData(boundary: "B")
        try form.append(data: Data("1".utf8), name: "a")
        try form.append(data: Data("{}".utf8), name: "b", fileName: "b.json")
        try form.append(data: Data(), name: "c", fileName: "c", mimeType: "text/plain; charset=utf-8")
        try form.append(headers: ["Content-Language": "de", "X-Own": "é"], body: Data("ja".utf8))
        try form.append(body: Data())
        #expect(
            try await form.text() == """
                --B\r
                Content-Disposition: form-data; name="a"\r
                \r
                1\r
                --B\r
                Content-Disposition: form-data; name="b"; filename="b.json"\r
                Content-Type: application/json\r
                \r
                {}\r
                --B\r
                Content-Disposition: form-data; name="c"; filename="c"\r
                Content-Type: text/plain; charset=utf-8\r
                \r
                \r
                --B\r
                Content-Language: de\r
                X-Own: é\r
                \r
                ja\r
                --B\r
                \r
                \r
                --B--\r

                """)
    }

    /// With AFNetworking's boundary of 25 characters the delimiters have 29, 31 and 33 bytes.
    @Test func theDelimitersHaveTheirLengths() async throws {
        var form = MultipartFormData()
        try form.append(body: Data())
        #expect(form.contentLength == Int64(29 + 2 + 33))
        try form.append(body: Data())
        #expect(form.contentLength == Int64(29 + 2 + 31 + 2 + 33))
        let text = try await form.text()
        #expect(text.utf8.count == 97)
        #expect(text.hasPrefix("--\(form.boundary)\r\n"))
        // A strict server loses the last part without the CRLF at the end.
        #expect(text.hasSuffix("\r\n--\(form.boundary)--\r\n"))
    }

    /// The length is that of the bytes, for every kind of part.
    @Test func theContentLengthIsTheExactSum() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write([UInt8](repeating: 7, count: 100_001), to: "ü.bin")
        var form = MultipartFormData()
        #expect(form.contentLength == 0)
        let appends: [(inout MultipartFormData) throws -> Void] = [
            { try $0.append(text: "naïve 🐘", name: "ü\"\r\n") },
            { try $0.append(data: Data(count: 70_000), name: "d", fileName: "🐘.png") },
            { try $0.append(file: file, name: "f") },
            { try $0.append(stream: { ZeroReader(count: 1001) }, length: 1001, name: "s", fileName: "s") },
            { try $0.append(stream: ZeroReader(count: 5), length: 5, name: "o", fileName: "o") },
            { try $0.append(headers: ["A": "b"], body: .text("c")) },
            { try $0.append(parameters: ["a": ["b": [1, true, nil]]]) },
        ]
        for (index, append) in appends.enumerated() {
            try append(&form)
            if index == 4 { continue }
            let length = try #require(form.contentLength)
            #expect(form.body.length == length)
            if index != 5, index != 6 { #expect(try await bytes(of: form.body).count == Int(length)) }
        }
        #expect(try await bytes(of: form.body).count == Int(form.contentLength ?? -1))
        try form.append(stream: { ZeroReader(count: 3) }, length: nil, name: "u", fileName: "u")
        #expect(form.contentLength == nil && form.body.length == nil)
        try form.append(text: "after", name: "v")
        #expect(form.contentLength == nil)
    }

    @Test func theRequestHasTypeAndBody() throws {
        var form = try MultipartFormData(boundary: "B")
        try form.append(text: "1", name: "a")
        var request = HTTPRequest(method: .put, url: try HTTPURL("http://example.test/"), body: .text("old"))
        request.headers = ["content-type": "text/plain", "X-A": "1"]
        let made = try form.serialize(request)
        #expect(made.headers.map(\.description) == ["Content-Type: multipart/form-data; boundary=B", "X-A: 1"])
        #expect(made.body.length == form.contentLength)
        #expect(made.method == .put)
    }

    @Test func noPartsAtAllIsAPlainRequest() throws {
        let request = HTTPRequest(
            method: .post, url: try HTTPURL("http://example.test/"), headers: ["X-A": "1"], body: .text("old"))
        let made = try MultipartFormData().serialize(request)
        #expect(made.headers == request.headers)
        #expect(made.body.length == 3)
        #expect(MultipartFormData().body.isEmpty)
        #expect(MultipartFormData().isEmpty)
    }

    @Test(arguments: [HTTPMethod.get, .head]) func getAndHeadCarryNoForm(_ method: HTTPMethod) async throws {
        let request = HTTPRequest(method: method, url: try HTTPURL("http://example.test/"))
        #expect(await code { _ = try MultipartFormData().serialize(request) } == .invalidRequest)
    }

    @Test(arguments: [
        ("gc0pJq0M:08jU534c0p", #"multipart/form-data; boundary="gc0pJq0M:08jU534c0p""#),
        ("Boundary+0123456789ABCDEF", "multipart/form-data; boundary=Boundary+0123456789ABCDEF"),
        ("a b", #"multipart/form-data; boundary="a b""#),
        ("'()+_,-./:=?", #"multipart/form-data; boundary="'()+_,-./:=?""#),
    ])
    func aBoundaryOfOnesOwn(_ boundary: String, _ type: String) async throws {
        var form = MultipartFormData()
        try form.append(text: "1", name: "a")
        try form.setBoundary(boundary)
        #expect(form.contentType == type)
        #expect(try await form.received().map(\.text) == ["1"])
        #expect(try await form.text().utf8.count == Int(form.contentLength ?? -1))
    }

    @Test(arguments: [
        "", " ", "a ", "a\r\nX: 1", "a\"b", "ü", "a;b", "a\\b", "a\0", String(repeating: "x", count: 71),
    ])
    func whatIsNoBoundaryIsRefused(_ boundary: String) async throws {
        #expect(await code { _ = try MultipartFormData(boundary: boundary) } == .requestSerializationFailed)
        var form = MultipartFormData()
        let before = form.boundary
        #expect(await code { try form.setBoundary(boundary) } == .requestSerializationFailed)
        #expect(form.boundary == before)
    }

    @Test func aBoundaryOfSeventyCharacters() throws {
        #expect(try MultipartFormData(boundary: String(repeating: "x", count: 70)).boundary.utf8.count == 70)
    }

    /// Parameters by the rules of a query, unescaped.
    @Test func parametersAreFieldsInTheOrderOfAQuery() async throws {
        var form = MultipartFormData()
        try form.append(parameters: [
            "z": "ü &=\"", "n": 1.50, "t": true, "f": false, "null": nil, "empty": "", "none": [], "no": [:],
            "a": ["x", ["y"], ["k": 2]], "o": ["p": ["q": 3], "r": [nil]], "": "nameless",
        ])
        let parts = try await form.received()
        #expect(
            parts.map { [$0.name ?? "none", $0.text] } == [
                ["", "nameless"], ["a[]", "x"], ["a[][]", "y"], ["a[][k]", "2"], ["empty", ""], ["f", "0"],
                ["n", "1.5"],
                ["null", ""], ["o[p][q]", "3"], ["o[r][]", ""], ["t", "1"], ["z", "ü &=\""],
            ])
        #expect(parts.allSatisfy { $0.headers.count == 1 && $0.fileName == nil })
    }

    @Test func parametersByOtherRules() async throws {
        struct Post: Encodable { let title = "t", tags = ["a", "b"], isDraft = true }
        var form = MultipartFormData(), rules = QueryEncoding()
        rules.arrays = .noBrackets
        rules.bools = .literal
        rules.sortsNames = false
        try form.append(parameters: ["z": [1, 2], "a": false], encoding: rules)
        try form.append(parameters: .encoding(Post()))
        try form.append(parameters: .encoding(Int?.none))
        #expect(
            try await form.received().map { [$0.name ?? "none", $0.text] } == [
                ["z", "1"], ["z", "2"], ["a", "false"], ["isDraft", "1"], ["tags[]", "a"], ["tags[]", "b"],
                ["title", "t"],
            ])
    }

    @Test func parametersThatAreNoObject() async throws {
        var form = MultipartFormData()
        for parameters in [["a"], Parameters("a"), Parameters(1)] {
            #expect(await code { try form.append(parameters: parameters) } == .requestSerializationFailed)
        }
        var deep: JSONValue = 1
        for _ in 0..<1200 { deep = [deep] }
        #expect(
            await code { try form.append(parameters: ["ok": 1, "deep": deep]) } == .requestSerializationFailed)
        #expect(form.isEmpty)
    }

    /// AFNetworking: `ThatAFHTTPRequestSerialiationSerializesMIMETypeCorrectly`.
    @Test func thatAFHTTPRequestSerialiationSerializesMIMETypeCorrectly() async throws {
        let folder = try TemporaryDirectory()
        var form = MultipartFormData()
        try form.append(file: folder.write([1, 2, 3], to: "ADNNetServerTrustChain.cer"), name: "test")
        let part = try #require(try await form.received().first)
        #expect(part.contentType == "application/x-x509-ca-cert")
        #expect(part.fileName == "ADNNetServerTrustChain.cer")
    }

    @Test func aCopyIsAFormOfItsOwn() async throws {
        var form = MultipartFormData()
        try form.append(text: "1", name: "a")
        var copy = form
        try copy.append(text: "2", name: "b")
        #expect(form.count == 1 && copy.count == 2)
        #expect(form.boundary == copy.boundary)
    }

    @Test func partsAsValues() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(Array("hi".utf8), to: "note.txt")
        var form = MultipartFormData()
        for part in [
            UploadPart(text: "t", name: "a"), UploadPart(data: Data("d".utf8), name: "b"),
            UploadPart(data: Data("e".utf8), name: "c", fileName: "c.png"), UploadPart(file: file, name: "d"),
            UploadPart(file: file, name: "e", fileName: "other", mimeType: "a/b"),
            UploadPart(body: .stream { ZeroReader(count: 1) }, name: "f", mimeType: "x/y"),
        ] { try form.append(part) }
        #expect(
            try await form.received().map { [$0.name, $0.fileName, $0.contentType, $0.text] } == [
                ["a", nil, nil, "t"], ["b", nil, nil, "d"], ["c", "c.png", "image/png", "e"],
                ["d", "note.txt", "text/plain", "hi"], ["e", "other", "a/b", "hi"], ["f", nil, "x/y", "\0"],
            ])
        #expect(await code { try form.append(UploadPart(file: "\(file)x", name: "g")) } == .uploadSourceFailed)
        #expect(form.count == 6)
    }
}
