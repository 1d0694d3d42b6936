import FoundationEssentials
import Lupine
import LupineTesting
import Testing

/// One request to httpbin and what its answer must say.
struct HTTPBinRow: Sendable, CustomTestStringConvertible {
    var method = HTTPMethod.get
    var target: String
    var headers: HTTPHeaders = [:]
    var body = HTTPBody.empty
    var status: HTTPStatus = 200
    var fields: HTTPHeaders = [:]
    var answer: Answer

    enum Answer: Sendable {
        /// These members, with others beside them; inside them the same. `HOST` stands for the server's address.
        case json(JSONValue)
        case bytes([UInt8])
        case text(String)
        /// So many bytes, when the number is stated, which begin like this.
        case start([UInt8], count: Int? = nil)
        case contains(String)
    }

    var testDescription: String { "\(method) \(target)" }

    init(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        status: HTTPStatus = 200, fields: HTTPHeaders = [:], _ answer: Answer
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.status = status
        self.fields = fields
        self.answer = answer
    }

    /// A GET.
    init(
        _ target: String, headers: HTTPHeaders = [:], status: HTTPStatus = 200, fields: HTTPHeaders = [:],
        _ answer: Answer
    ) {
        self.init(.get, target, headers: headers, status: status, fields: fields, answer)
    }
}

@Suite(.serialized, .enabled(if: LivePeers.httpbin != nil, LivePeers.hint), .timeLimit(.minutes(2)))
struct LivePeerHTTPBinTests {
    /// Each answer as it is: neither followed, nor changed by what one before it has left.
    private static let session = URLSessionManager.direct {
        $0.redirects.maximumRedirects = 0
        $0.options.handlesCookies = false
    }
    private let base: String

    init() throws { base = try #require(LivePeers.httpbin) }

    @Test(arguments: HTTPBinRow.reading + HTTPBinRow.echoing + HTTPBinRow.codings + HTTPBinRow.answers)
    func answersAsStated(_ row: HTTPBinRow) async throws {
        let reply = try await Self.session.send(row.method, base + row.target, headers: row.headers, body: row.body)
        #expect(reply.status == row.status)
        for field in row.fields {
            #expect(reply.headers.values(for: field.name) == row.fields.values(for: field.name), "\(field.name)")
        }
        switch row.answer {
        case .json(let expected):
            let host = String(base.dropFirst("http://".count))
            let answer = try JSONValue(parsing: try #require(reply.text).replacing(host, with: "HOST"))
            #expect(expected.differences(in: answer) == [])
        case .bytes(let expected): #expect(Array(reply.data) == expected)
        case .text(let expected): #expect(reply.text == expected)
        case .start(let start, let count):
            #expect(Array(reply.data.prefix(start.count)) == start)
            if let count { #expect(reply.data.count == count) }
        case .contains(let part): #expect(reply.text?.contains(part) == true)
        }
        #expect(reply.sendings == 1)
        #expect(reply.response.url?.string == (try HTTPURL(base + row.target)).string)
    }

    @Test(arguments: [
        200, 201, 202, 203, 204, 205, 206, 226, 300, 303, 304, 307, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409,
        410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504,
        505, 507, 508, 511, 599,
    ])
    func statusIsAnAnswer(_ code: Int) async throws {
        let reply = try await Self.session.send(.get, "\(base)/status/\(code)")
        #expect(reply.status.rawValue == code)
        #expect(reply.sendings == 1)
        if code == 204 || code == 304 { #expect(reply.data.isEmpty) }
    }

    @Test func redirectsAreFollowed() async throws {
        let session = URLSessionManager.direct()
        for (path, count) in [("redirect/5", 5), ("relative-redirect/20", 20), ("absolute-redirect/3", 3)] {
            let reply = try await session.send(.get, "\(base)/\(path)")
            #expect(reply.status == 200)
            #expect(reply.request.url.path == "/get")
            #expect(reply.redirects.count == count)
        }
        #expect(try await session.failure(.get, "\(base)/redirect/21").error.code == .tooManyRedirects)
        let kept = try await session.send(
            .post, "\(base)/redirect-to?url=/post&status_code=307", body: .stream { PiecesReader(["ab", "c"]) })
        #expect(try JSONValue(parsing: kept.data)["data"] == "abc")
        let changed = try await session.send(.post, "\(base)/redirect-to?url=/get&status_code=303", body: .text("abc"))
        #expect(changed.request.method == .get)
        #expect(try JSONValue(parsing: changed.data)["headers"]?["Content-Length"] == nil)
        await session.invalidate()
    }

    @Test func cookiesComeBack() async throws {
        let session = URLSessionManager.direct()
        let set = try await session.send(.get, "\(base)/cookies/set?a=1&b=two")
        #expect(try JSONValue(parsing: set.data)["cookies"] == ["a": "1", "b": "two"])
        let left = try await session.send(.get, "\(base)/cookies/delete?a")
        #expect(try JSONValue(parsing: left.data)["cookies"] == ["b": "two"])
        #expect(session.cookieStorage.cookies.map(\.name) == ["b"])
        await session.invalidate()
    }

    @Test func parametersByTheirMethods() async throws {
        let api = HTTPSessionManager(baseURL: base, configuration: Self.session.configuration)
        let parameters: Parameters = ["name": "Ada Lovelace", "tags": ["a&b", "c=d"], "n": 7, "ü": "ß+ "]
        let query = try await JSONValue(parsing: api.get("get", parameters: parameters).data)
        let expected: JSONValue = ["n": "7", "name": "Ada Lovelace", "tags[]": ["a&b", "c=d"], "ü": "ß+ "]
        #expect(query["args"] == expected)
        let form = try await JSONValue(parsing: api.post("post", parameters: parameters).data)
        #expect(form["form"] == expected)
        #expect(form["headers"]?["Content-Type"] == "application/x-www-form-urlencoded")
        let json = try await JSONValue(
            parsing: api.put("put", parameters: parameters, serializer: JSONRequestSerializer()).data)
        #expect(try json["json"].map { (try parameters.tree()).differences(in: $0) } == [])
        #expect(json["headers"]?["Content-Type"] == "application/json")
        let deleted = try await JSONValue(parsing: api.delete("delete", parameters: ["id": 3]).data)
        #expect(deleted["args"] == ["id": "3"])
        #expect(deleted["headers"]?["Content-Length"] == nil)
    }

    @Test func unacceptableStatusCarriesTheAnswer() async throws {
        let api = HTTPSessionManager(baseURL: base, configuration: Self.session.configuration)
        let error = await #expect(throws: LupineError.self) { try await api.get("status/418") }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status == 418)
        #expect(error?.data.map { String(decoding: $0, as: UTF8.self) }?.contains("teapot") == true)
    }

    @Test func credentialsOfTheURLAreSentAndNotShown() async throws {
        let url = try HTTPURL(base.replacing("http://", with: "http://us%40er:pass%3Aword@") + "/headers")
        let reply = try await Self.session.data(for: HTTPRequest(url: url, options: Self.session.configuration.options))
        let sent = try JSONValue(parsing: reply.data)["headers"]?["Authorization"]?.stringValue
        #expect(sent == "Basic " + Data("us@er:pass:word".utf8).base64EncodedString())
        #expect(!"\(reply.request.url)".contains("pass"))
    }

    @Test func delayMeetsItsTimeout() async throws {
        let (error, after) = try await Self.session.failure(.get, "\(base)/delay/5") {
            $0.timeouts.total = .milliseconds(300)
        }
        #expect(error.code == .timedOut)
        #expect(after >= .milliseconds(290) && after < .seconds(25))
        let (idle, _) = try await Self.session.failure(.get, "\(base)/drip?numbytes=3&duration=9") {
            $0.timeouts.idle = .milliseconds(400)
        }
        #expect(idle.code == .timedOut)
        #expect(idle.response?.status == 200)
        let reply = try await Self.session.send(.get, "\(base)/drip?numbytes=5&duration=0.5") {
            $0.timeouts.idle = .seconds(3)
        }
        #expect(reply.text == "*****")
    }

    @Test func streamedUploadArrivesWhole() async throws {
        let count: Int64 = 300_000
        let body = HTTPBody.stream { PatternReader(count: count) }
        let reply = try await Self.session.send(
            .post, "\(base)/post", headers: ["Content-Type": "application/octet-stream"], body: body)
        let echo = try JSONValue(parsing: reply.data)
        #expect(echo["headers"]?["Transfer-Encoding"] == "chunked")
        #expect(echo["headers"]?["Content-Length"] == nil)
        #expect(echo["headers"]?["Expect"] == nil)
        let prefix = "data:application/octet-stream;base64,"
        let text = try #require(echo["data"]?.stringValue)
        #expect(text.hasPrefix(prefix))
        let expected = PatternReader.bytes(Int(count))
        #expect(Data(base64Encoded: String(text.dropFirst(prefix.count))) == expected)
        #expect(reply.metrics.sentBytes == count)
    }

    @Test func uuidsDiffer() async throws {
        var seen: Set<String> = []
        for _ in 0..<3 {
            let reply = try await Self.session.send(.get, "\(base)/uuid")
            seen.insert(try #require(JSONValue(parsing: reply.data)["uuid"]?.stringValue))
        }
        #expect(seen.count == 3)
        #expect(seen.allSatisfy { $0.utf8.count == 36 })
    }
}

extension JSONValue {
    /// Where `other` lacks a member of this value or has another value for it: one line each.
    func differences(in other: JSONValue, at path: String = "") -> [String] {
        guard case .object(let object) = self, case .object(let others) = other else {
            return self == other ? [] : ["\(path): \(other) instead of \(self)"]
        }
        return object.flatMap { member in
            guard let value = others[member.name] else { return ["\(path).\(member.name) is missing"] }
            return member.value.differences(in: value, at: "\(path).\(member.name)")
        }
    }
}
