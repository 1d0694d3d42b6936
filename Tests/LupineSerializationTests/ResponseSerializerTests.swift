import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite struct HTTPResponseSerializerTests {
    @Test func anyBodyOfASuccessIsGivenAsItCame() throws {
        let data = Data([0, 1, 0xFF])
        #expect(
            try HTTPResponseSerializer().serialize(data, response: answer(201, type: nil), request: asking()) == data)
    }

    @Test(arguments: [199, 300, 304, 404, 500])
    func statuses(code: Int) throws {
        let error = try fault(HTTPResponseSerializer(), "", answer(HTTPStatus(rawValue: code)))
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.message == "api.example.com answered \(code)")
        #expect(try fault(HTTPResponseSerializer(acceptableStatuses: nil), "", answer(.init(rawValue: code))) == nil)
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", "<h1>\r\n  Not\tfound\u{0}</h1>\n", ": <h1> Not found</h1>"),
        ("application/problem+json", #"{"title":"No"}"#, #": {"title":"No"}"#),
        ("image/svg+xml", "<svg/>", ": <svg/>"),
        ("application/octet-stream", "secret bytes", ""),
        ("image/png", "PNG", ""),
        ("text/plain", " \n ", ""),
        ("text/plain", "a\u{202E}b", ": ab"),
    ])
    func startOfATextualBody(type: String, body: String, shown: String) throws {
        let error = try fault(HTTPResponseSerializer(), body, answer(404, type: type, reason: "Not Found"))
        #expect(error?.message == "api.example.com answered 404 Not Found\(shown)")
    }

    @Test(arguments: [199, 200, 201, 100_000])
    func longBodiesAreCut(length: Int) throws {
        let body = String(repeating: "é", count: length)
        let message = try #require(try fault(HTTPResponseSerializer(), body, answer(500, type: "text/plain"))).message
        let shown = message.dropFirst("api.example.com answered 500: ".count)
        #expect(shown.count == min(length, 200))
        #expect(shown.hasSuffix("…") == (length > 200))
    }

    @Test func contentTypes() throws {
        let serializer = HTTPResponseSerializer(acceptableContentTypes: ["image/*"])
        #expect(try fault(serializer, "x", answer(type: "IMAGE/png; a=b")) == nil)
        #expect(try fault(serializer, "", answer(type: "text/html")) == nil)
        let wrong = try fault(serializer, "<p>", answer(type: "text/html"))
        #expect(wrong?.code == .unacceptableContentType)
        #expect(
            wrong?.message == "api.example.com answered with content type \"text/html\"; accepted: image/*: <p>")
        #expect(try fault(serializer, "x", answer(type: nil))?.code == .unacceptableContentType)
        #expect(try fault(serializer, "x", answer(type: "nonsense"))?.code == .unacceptableContentType)
        // The status comes first.
        #expect(try fault(serializer, "x", answer(502, type: "text/html"))?.code == .unacceptableStatus)
    }
}

@Suite struct JSONResponseSerializerTests {
    @Test(arguments: ["application/json", "application/json; charset=utf-8", "text/json", "text/javascript"])
    func acceptedTypes(type: String) throws {
        let value = try JSONResponseSerializer().serialize(
            Data(#"{"a":1}"#.utf8), response: answer(type: type), request: asking())
        #expect(value == ["a": 1])
    }

    @Test(arguments: [
        ("GET", 200, ""), ("GET", 200, " "), ("GET", 200, "\r\n\t "), ("GET", 204, ""), ("GET", 205, ""),
        ("HEAD", 200, ""), ("POST", 201, ""), ("GET", 205, "{}"),
    ])
    func nothingToRead(method: String, status: Int, body: String) throws {
        let value = try JSONResponseSerializer().serialize(
            Data(body.utf8), response: answer(HTTPStatus(rawValue: status)),
            request: asking(HTTPMethod(rawValue: method)))
        #expect(value == .null)
    }

    @Test func faultsInOrder() throws {
        let serializer = JSONResponseSerializer()
        let status = try fault(serializer, "<html>Bad gateway", answer(502, type: "text/html"))
        #expect(status?.code == .unacceptableStatus)
        let type = try fault(serializer, #"{"a":1}"#, answer(type: "text/html"))
        #expect(type?.code == .unacceptableContentType)
        #expect(type?.message.contains("application/json, text/json, text/javascript") == true)
        let content = try fault(serializer, "{\"a\":1,}", answer())
        #expect(content?.code == .responseSerializationFailed)
        #expect(
            content?.message
                == "api.example.com answered with a body that is no JSON: byte 7: expected a name in quotes")
        #expect((content?.underlying as? JSONParseError)?.offset == 7)
    }
}

@Suite struct DecodableResponseSerializerTests {
    struct User: Decodable, Equatable {
        var id: Int
        var tags: [Tag] = []
        struct Tag: Decodable, Equatable { var name: String }
    }

    @Test func decodes() throws {
        let user = try DecodableResponseSerializer(User.self).serialize(
            Data(#"{"id":1,"tags":[{"name":"a"}]}"#.utf8), response: answer(), request: asking())
        #expect(user == User(id: 1, tags: [.init(name: "a")]))
    }

    @Test func aDecoderOfTheCallersIsUsed() throws {
        struct Named: Decodable { var firstName: String }
        let serializer = DecodableResponseSerializer<Named>(
            decoder: {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            }())
        let named = try serializer.serialize(
            Data(#"{"first_name":"Ada"}"#.utf8), response: answer(), request: asking())
        #expect(named.firstName == "Ada")
    }

    @Test(arguments: [
        (#"{"tags":[]}"#, "id: it is missing"),
        (#"{"id":1,"tags":[{"name":"a"},{"name":2}]}"#, "tags[1].name: "),
        (#"{"id":1,"tags":[{"name":"a"},{}]}"#, "tags[1].name: it is missing"),
        (#"{"id":"x"}"#, "id: "),
        ("[]", "the top: "),
        (#"{"id":1 "tags":[]}"#, "byte 8: expected \",\" or \"}\""),
        ("<html>", "byte 0: expected a value"),
        ("", "the body is empty"), (" ", "the body is empty"),
    ])
    func faultsTellThePlace(body: String, place: String) throws {
        let error = try #require(try fault(DecodableResponseSerializer(User.self), body, answer()))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("api.example.com answered with what is no User: \(place)"))
        #expect(error.underlying is DecodingError)
    }

    struct Numbers: Decodable {
        var int: Int?
        var ints: [Int8]?
        var double: Double?
        var float: Float?
        var decimal: Decimal?
        var below: [Numbers]?
    }

    /// Foundation says of each that it is no valid JSON, and no place.
    @Test(arguments: [
        (#"{"int":1e30}"#, "int: 1e30"), (#"{"int":1.5}"#, "int: 1.5"), (#"{"ints":[1,2,300,4]}"#, "ints[2]: 300"),
        (#"{"double":1e400,"int":7}"#, "double: 1e400"), (#"{"float":1e40}"#, "float: 1e40"),
        (#"{"decimal":1e400}"#, "decimal: 1e400"),
        (
            #"{"below":[{"int":1},{"int":2,"ints":[3],"below":[{"double":4.5,"ints":[5,-129]}]},{"int":0.5}]}"#,
            "below[1].below[0].ints[1]: -129"
        ),
        (#"{"other":[1e999,1.5],"int":18446744073709551615}"#, "int: 18446744073709551615"),
    ])
    func aNumberThatDoesNotFit(body: String, reason: String) throws {
        let error = try fault(DecodableResponseSerializer(Numbers.self), body, answer())
        #expect(
            error?.message
                == "api.example.com answered with what is no Numbers: \(reason) does not fit the type asked for")
        #expect(error?.underlying is DecodingError)
    }

    /// What a search would take too long for, and what is none's fault alone.
    @Test func aNumberThatDoesNotFitSomewhere() throws {
        let many = "[\(String(repeating: "1,", count: 200_000))0.5]"
        let error = try fault(DecodableResponseSerializer([Int].self), many, answer())
        #expect(error?.message.hasSuffix(": a number in it does not fit the type asked for") == true)
        let twice = try fault(DecodableResponseSerializer(Numbers.self), #"{"int":0.5,"int":1}"#, answer())
        #expect(twice?.message.hasSuffix(": a number in it does not fit the type asked for") == true)
    }

    @Test func statusAndTypeComeFirst() throws {
        let serializer = DecodableResponseSerializer(User.self)
        #expect(try fault(serializer, "{", answer(500))?.code == .unacceptableStatus)
        #expect(try fault(serializer, "{", answer(type: "text/html"))?.code == .unacceptableContentType)
    }

    @Test(arguments: [("GET", 204), ("GET", 205), ("HEAD", 200), ("GET", 200)])
    func anOptionalOfNothingIsNil(method: String, status: Int) throws {
        let user = try DecodableResponseSerializer(User?.self).serialize(
            Data(), response: answer(HTTPStatus(rawValue: status)), request: asking(HTTPMethod(rawValue: method)))
        #expect(user == nil)
    }
}
