import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

/// A body in memory.
private func text(_ body: HTTPBody) -> String? {
    guard case .bytes(let data) = body.source else { return nil }
    return String(decoding: data, as: UTF8.self)
}

private func request(
    _ method: HTTPMethod, _ url: String = "http://example.com/a", headers: HTTPHeaders = [:], body: HTTPBody = .empty
) throws -> HTTPRequest {
    HTTPRequest(method: method, url: try HTTPURL(url), headers: headers, body: body)
}

/// An array in an array, and so on.
private struct Nest: Encodable, Sendable {
    let depth: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if depth > 1 { try container.encode(Nest(depth: depth - 1)) }
    }
}

@Suite struct HTTPRequestSerializerTests {
    /// `JSONEncoder` says no more than that it could not encode it.
    @Test func anEncodableThatLiesTooDeep() throws {
        let reason = "its parts lie deeper in each other than the 511 levels that JSONEncoder writes"
        let serializers: [any RequestSerializer] = [HTTPRequestSerializer(), JSONRequestSerializer()]
        for serializer in serializers {
            #expect {
                try serializer.serialize(try request(.post), parameters: .encoding(["a": Nest(depth: 600)]))
            } throws: {
                ($0 as? LupineError)?.message.hasSuffix(" cannot be encoded: \(reason)") == true
            }
        }
        _ = try JSONRequestSerializer().serialize(try request(.post), parameters: .encoding(Nest(depth: 511)))
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "get", "Delete"])
    func queryInTheURL(method: String) throws {
        let made = try HTTPRequestSerializer().serialize(
            try request(HTTPMethod(rawValue: method), "http://u:p@example.com/a?x=1#f"),
            parameters: ["q": "a b", "t": [1, 2]])
        #expect(made.url.description == "http://example.com/a?x=1&q=a%20b&t%5B%5D=1&t%5B%5D=2#f")
        #expect(made.url.userinfo?.user == "u")
        #expect(made.body.isEmpty)
        #expect(made.headers.isEmpty)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "OPTIONS", "REPORT"])
    func formInTheBody(method: String) throws {
        let made = try HTTPRequestSerializer().serialize(
            try request(HTTPMethod(rawValue: method)), parameters: ["q": "a b+c", "n": nil])
        #expect(made.url.description == "http://example.com/a")
        #expect(text(made.body) == "n&q=a%20b%2Bc")
        #expect(made.headers.map(\.description) == ["Content-Type: application/x-www-form-urlencoded"])
    }

    @Test(arguments: [nil, [:], ["a": []], Parameters(.null)] as [Parameters?])
    func withoutParameters(parameters: Parameters?) throws {
        let serializer = HTTPRequestSerializer()
        let get = try serializer.serialize(try request(.get, "http://example.com/a?"), parameters: parameters)
        #expect(get.url.description == "http://example.com/a?")
        let post = try serializer.serialize(try request(.post), parameters: parameters)
        #expect(post.body.isEmpty)
        #expect(post.headers["Content-Type"] == "application/x-www-form-urlencoded")
        let own = try serializer.serialize(try request(.post, body: .text("own")), parameters: parameters)
        #expect(text(own.body) == "own")
        #expect(own.headers.isEmpty)
    }

    @Test func aContentTypeOfTheCallersIsKept() throws {
        let made = try HTTPRequestSerializer().serialize(
            try request(.post, headers: ["content-type": "application/x-own"]), parameters: ["a": 1])
        #expect(made.headers.map(\.description) == ["content-type: application/x-own"])
    }

    @Test func methodsCanBeChosen() throws {
        var serializer = HTTPRequestSerializer()
        serializer.methodsEncodingParametersInURI = [.get, .post]
        #expect(try serializer.serialize(try request(.post), parameters: ["a": 1]).url.query == "a=1")
        #expect(text(try serializer.serialize(try request(.delete), parameters: ["a": 1]).body) == "a=1")
    }

    @Test(arguments: ["GET", "POST"])
    func parametersWithoutNames(method: String) throws {
        let request = try request(HTTPMethod(rawValue: method))
        #expect {
            try HTTPRequestSerializer().serialize(request, parameters: [1, 2])
        } throws: {
            ($0 as? LupineError)?.code == .requestSerializationFailed
        }
    }

    @Test func fromEncodableSortedByName() throws {
        struct Search: Encodable { var q = "x", page = 2, all = true, sort: String? }
        let made = try HTTPRequestSerializer().serialize(try request(.get), parameters: .encoding(Search()))
        #expect(made.url.query == "all=1&page=2&q=x")
    }
}

@Suite struct JSONRequestSerializerTests {
    @Test(arguments: ["POST", "PUT", "PATCH"])
    func jsonInTheBody(method: String) throws {
        let made = try JSONRequestSerializer().serialize(
            try request(HTTPMethod(rawValue: method)), parameters: ["title": "Hi", "tags": ["a", "b"], "n": 1])
        #expect(text(made.body) == #"{"title":"Hi","tags":["a","b"],"n":1}"#)
        #expect(made.headers.map(\.description) == ["Content-Type: application/json"])
    }

    @Test(arguments: ["GET", "HEAD", "DELETE"])
    func queryInTheURL(method: String) throws {
        let made = try JSONRequestSerializer().serialize(
            try request(HTTPMethod(rawValue: method)), parameters: ["a": ["b": 1]])
        #expect(made.url.query == "a%5Bb%5D=1")
        #expect(made.body.isEmpty)
        #expect(made.headers.isEmpty)
    }

    @Test func withoutParametersNothingChanges() throws {
        let made = try JSONRequestSerializer().serialize(try request(.post), parameters: nil)
        #expect(made.body.isEmpty)
        #expect(made.headers.isEmpty)
    }

    @Test(
        arguments: [([:], "{}"), ([1, 2], "[1,2]"), (Parameters("x"), "\"x\""), (Parameters(nil), "null")]
            as [(Parameters, String)])
    func anyValueIsABody(parameters: Parameters, expected: String) throws {
        #expect(
            text(try JSONRequestSerializer().serialize(try request(.post), parameters: parameters).body) == expected)
    }

    @Test func optionsAndContentType() throws {
        let made = try JSONRequestSerializer(writingOptions: [.sortedKeys, .prettyPrinted]).serialize(
            try request(.post, headers: ["Content-Type": "application/vnd.api+json"]), parameters: ["b": 1, "a": 2])
        #expect(text(made.body) == "{\n  \"a\": 2,\n  \"b\": 1\n}")
        #expect(made.headers["Content-Type"] == "application/vnd.api+json")
    }

    @Test func encodableBody() throws {
        struct Post: Encodable { var postTitle = "Hi", date = Date(timeIntervalSince1970: 86_400) }
        var serializer = JSONRequestSerializer(
            encoder: {
                let encoder = JSONEncoder()
                encoder.keyEncodingStrategy = .convertToSnakeCase
                encoder.dateEncodingStrategy = .iso8601
                encoder.outputFormatting = .sortedKeys
                return encoder
            }())
        let made = try serializer.serialize(try request(.post), parameters: .encoding(Post()))
        #expect(text(made.body) == #"{"date":"1970-01-02T00:00:00Z","post_title":"Hi"}"#)
        #expect(made.headers["Content-Type"] == "application/json")
        serializer.uriSerializer.methodsEncodingParametersInURI = []
        #expect(try serializer.serialize(try request(.delete), parameters: ["a": 1]).url.query == nil)
    }

    @Test func whatCannotBeEncodedIsSaid() throws {
        let plain = try request(.post)
        #expect {
            try JSONRequestSerializer().serialize(plain, parameters: .encoding(["a": Double.infinity]))
        } throws: { error in
            let error = error as? LupineError
            return error?.code == .requestSerializationFailed && error?.underlying is EncodingError
                && error?.message.contains("a: ") == true
        }
        let deep = (0...JSONValue.defaultMaximumDepth).reduce(JSONValue.null) { inner, _ in .array([inner]) }
        #expect {
            try JSONRequestSerializer().serialize(plain, parameters: Parameters(deep))
        } throws: {
            ($0 as? LupineError)?.code == .requestSerializationFailed
        }
    }

    @Test func fieldsAreAddedWhereTheyLack() throws {
        var serializer = JSONRequestSerializer()
        serializer.uriSerializer.headers = ["X-A": "default", "X-B": "default"]
        for method in [HTTPMethod.get, .post] {
            let made = try serializer.serialize(try request(method, headers: ["x-a": "own"]), parameters: nil)
            #expect(made.headers.map(\.description) == ["x-a: own", "X-B: default"])
        }
    }
}
