import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// What AFNetworking's own tests of `AFHTTPRequestSerializer` assert, each under its name there, and the rows on its properties.
/// Part types are with the tests of multipart forms; escaping and query strings with those of `QueryEncoding`.
@Suite struct HTTPRequestSerializationTests {
    private let api = HTTPSessionManager(baseURL: "http://api.test/v1/", transport: StubTransport([]))

    private func body(_ request: HTTPRequest) -> String? {
        guard case .bytes(let data) = request.body.source else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func thatAFHTTPRequestSerializationSerializesPOSTRequestsProperly() throws {
        let made = try api.makeRequest(.post, "a", parameters: ["key": "value"])
        #expect(body(made) == "key=value")
        #expect(made.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func thatAFHTTPRequestSerializationSerializesPOSTRequestsProperlyWhenNoParameterIsProvided() throws {
        let made = try api.makeRequest(.post, "a")
        #expect(body(made) == "")
        #expect(made.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func thatAFHTTPRequestSerialiationSerializesQueryParametersCorrectly() throws {
        #expect(try api.makeRequest(.get, "a", parameters: ["key": "value"]).url.query == "key=value")
    }

    @Test func thatEmptyDictionaryParametersAreProperlyEncoded() throws {
        #expect(try api.makeRequest(.get, "a", parameters: [:]).url.description == "http://api.test/v1/a")
    }

    @Test func thatAFHTTPRequestSerialiationSerializesURLEncodableQueryParametersCorrectly() throws {
        let made = try api.makeRequest(.get, "a", parameters: ["key": " :#[]@!$&'()*+,;=/?"])
        #expect(made.url.query == "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?")
    }

    @Test func thatAFHTTPRequestSerialiationSerializesURLEncodedQueryParametersCorrectly() throws {
        let made = try api.makeRequest(.get, "a", parameters: ["key": "%20%21%22%3A%7C%7F"])
        #expect(made.url.query == "key=%2520%2521%2522%253A%257C%257F")
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func thatAFHTTPRequestSerialiationSerializesQueryParametersCorrectlyFromQuerySerializationBlock(
        method: HTTPMethod
    ) throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryStringSerialization = { request, parameters in
            #expect(request.url.path == "/v1/a")
            return try parameters.tree().objectValue?.map { "\($0.name)**\($0.value.stringValue ?? "")" }.joined() ?? ""
        }
        let made = try api.makeRequest(method, "a", parameters: ["key": "value"], serializer: serializer)
        #expect((method == .get ? made.url.query : body(made)) == "key**value")
    }

    @Test func queryStringSerializationCanFailWithError() throws {
        struct Refusal: Error, Equatable { let number = 7 }
        var serializer = HTTPRequestSerializer()
        serializer.queryStringSerialization = { _, _ in throw Refusal() }
        #expect {
            try api.makeRequest(.get, "a", parameters: ["a": 1], serializer: serializer)
        } throws: { error in
            let error = error as? LupineError
            return error?.code == .requestSerializationFailed && error?.underlying as? Refusal == Refusal()
        }
        struct Long: Error, CustomStringConvertible {
            var description: String { "first\nsecond" + String(repeating: "x", count: 5000) }
        }
        serializer.queryStringSerialization = { _, _ in throw Long() }
        #expect {
            try api.makeRequest(.get, "a", parameters: ["a": 1], serializer: serializer)
        } throws: { error in
            let message = (error as? LupineError)?.message ?? ""
            return message.contains("first second") && message.count < 300
        }
        let own = LupineError(.unsupported, "no queries here")
        serializer.queryStringSerialization = { _, _ in throw own }
        #expect {
            try api.makeRequest(.get, "a", parameters: ["a": 1], serializer: serializer)
        } throws: {
            ($0 as? LupineError)?.message == own.message
        }
    }

    @Test func thatValueForHTTPHeaderFieldReturnsSetValue() {
        api.setValue("Actual Value", forHTTPHeaderField: "Set-Header")
        #expect(api.value(forHTTPHeaderField: "set-header") == "Actual Value")
    }

    @Test func thatValueForHTTPHeaderFieldReturnsNilForUnsetHeader() {
        #expect(api.value(forHTTPHeaderField: "Unset-Header") == nil)
    }

    @Test func thatHTTPHeaderValueCanBeRemoved() throws {
        api.setValue("TestValue", forHTTPHeaderField: "TestHeader")
        #expect(try api.makeRequest(.get, "a").headers["TestHeader"] == "TestValue")
        api.setValue(nil, forHTTPHeaderField: "TestHeader")
        #expect(try api.makeRequest(.get, "a").headers.isEmpty)
    }

    @Test func thatHTTPHeaderValueCanBeSetToReferenceCountedStringFromMultipleThreadsWithoutCrashing() async {
        await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask { [api] in
                    api.setValue(
                        "a value that is no small string: \(number)", forHTTPHeaderField: "Header-\(number % 10)")
                    _ = api.value(forHTTPHeaderField: "Header-0")
                }
            }
        }
        #expect(api.headers.count == 10)
    }

    @Test func authorizationHeaderField() throws {
        api.setAuthorizationHeaderField(username: "user", password: "pässword")
        #expect(try api.makeRequest(.get, "a").headers["Authorization"] == "Basic dXNlcjpww6Rzc3dvcmQ=")
        api.setAuthorizationHeaderField(bearerToken: "abc")
        #expect(try api.makeRequest(.post, "a", body: .text("x")).headers["Authorization"] == "Bearer abc")
        #expect(try api.makeRequest(.get, "a", headers: ["authorization": "own"]).headers.count == 1)
        api.clearAuthorizationHeader()
        #expect(try api.makeRequest(.get, "a").headers["Authorization"] == nil)
    }

    /// AFNetworking sends them wherever an absolute URL leads.
    @Test(arguments: [
        ("/b", true), ("http://api.test/b", true), ("http://API.test:80/b", true), ("https://api.test/b", false),
        ("http://api.test:81/b", false), ("http://other.test/b", false), ("http://api.test.evil/b", false),
    ])
    func secretsOfTheSessionAreForItsBaseURL(url: String, isHome: Bool) throws {
        api.headers = ["Authorization": "Bearer abc", "X-Api-Key": "k", "X-Plain": "1"]
        let sent = try api.makeRequest(.get, url).headers
        #expect(sent.map(\.name) == (isHome ? ["Authorization", "X-Api-Key", "X-Plain"] : ["X-Plain"]))
        #expect(try api.makeRequest(.post, url, body: .text("x")).headers == sent)
        let free = HTTPSessionManager(transport: StubTransport([]))
        free.headers = api.headers
        #expect(try free.makeRequest(.get, "http://any.test/").headers.count == 3)
    }

    /// The same for a serializer's fields, also beneath another; what the call gives goes along.
    @Test(arguments: [("/b", true), ("http://other.test/b", false), ("http://api.test:81/b", false)])
    func secretsOfTheSerializerAreForTheBaseURL(url: String, isHome: Bool) throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers = ["Authorization": "Bearer abc", "X-Api-Key": "k", "X-Plain": "1"]
        var json = JSONRequestSerializer()
        json.uriSerializer = serializer
        for session in [serializer, json, GzipRequestSerializer(serializer)] as [any RequestSerializer] {
            api.requestSerializer = session
            for method in [HTTPMethod.get, .post] {
                let sent = try api.makeRequest(method, url, parameters: ["a": 1]).headers
                #expect(sent["Authorization"] == (isHome ? "Bearer abc" : nil))
                #expect(sent["X-Api-Key"] == (isHome ? "k" : nil))
                #expect(sent["X-Plain"] == "1")
            }
            let form = try api.makeRequest(.post, url) { try $0.append(text: "x", name: "f") }
            #expect(form.headers["Authorization"] == (isHome ? "Bearer abc" : nil))
            let own = try api.makeRequest(.get, url, headers: ["Authorization": "own"]).headers
            #expect(own["Authorization"] == "own" && own["X-Api-Key"] == (isHome ? "k" : nil))
            #expect(try api.makeRequest(.get, url, serializer: serializer).headers["Authorization"] == "Bearer abc")
        }
    }

    /// And for the configuration's, which are added when the request begins.
    @Test(arguments: [("/b", true), ("http://other.test/b", false), ("http://api.test:81/b", false)])
    func secretsOfTheConfigurationAreForTheBaseURL(url: String, isHome: Bool) async throws {
        var configuration = SessionConfiguration()
        configuration.headers = ["Authorization": "Bearer abc", "X-Plain": "1"]
        func sent(_ baseURL: String?, _ url: String) async throws -> HTTPHeaders? {
            let transport = StubTransport([.response()])
            let api = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
            try await api.get(url)
            return transport.requests.first?.request.headers
        }
        let headers = try #require(try await sent("http://api.test/v1/", url))
        #expect(headers["Authorization"] == (isHome ? "Bearer abc" : nil))
        #expect(headers["X-Plain"] == "1")
        if !isHome { #expect(try await sent(nil, url)?["Authorization"] == "Bearer abc") }
    }

    /// A copy of the session beneath is as careful, also with secrets that are its own.
    @Test func secretsOfACopiedSession() async throws {
        let seen = Lock<[HTTPHeaders]>([])
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                seen.withLock { $0.append(request.headers) }
                return .text("")
            })
        let home = HTTPSessionManager(baseURL: "http://api.test/")
        let copy = home.session.copy { configuration in
            configuration.options.route.proxy = .none
            configuration.headers = ["Authorization": "Bearer abc", "X-Plain": "1"]
        }
        _ = try await copy.data(
            for: HTTPRequest(url: try HTTPURL(server.url("/")), options: copy.configuration.options))
        #expect(seen.withLock(\.count) == 1)
        #expect(seen.withLock { $0.first?["Authorization"] } == nil)
        #expect(seen.withLock { $0.first?["X-Plain"] } == "1")
        await copy.invalidate()
    }

    @Test func theSerializerMayBeReplaced() throws {
        api.requestSerializer = JSONRequestSerializer()
        #expect(body(try api.makeRequest(.post, "a", parameters: ["a": 1])) == #"{"a":1}"#)
        let copy = api.copy()
        #expect(copy.requestSerializer is JSONRequestSerializer)
        #expect(
            body(try api.makeRequest(.put, "a", parameters: ["a": 1], serializer: HTTPRequestSerializer())) == "a=1")
    }

    /// AFPropertyListRequestSerializer, by the manager.
    @Test func anEncodableGoesThroughAnySerializer() throws {
        struct Post: Encodable { var title = "Hi", n = 1 }
        let made = { serializer in
            try api.makeRequest(.post, "a", parameters: .encoding(Post()), serializer: serializer)
        }
        #expect(body(try made(HTTPRequestSerializer())) == "n=1&title=Hi")
        #expect(try JSONValue(parsing: body(try made(JSONRequestSerializer())) ?? "") == ["title": "Hi", "n": 1])
        #expect(try made(PropertyListRequestSerializer()).headers["Content-Type"] == "application/x-plist")
    }
}
