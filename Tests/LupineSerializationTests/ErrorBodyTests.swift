import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

/// How faults compose, and what stays within reach beside an error.
@Suite struct ErrorBodyTests {
    struct Problem: Decodable, Equatable { let title: String }

    /// AFNetworking #3331: a gateway's page showed as a JSON error, the status hidden beneath.
    @Test func aGatewaysPageIsItsStatus() throws {
        for error in [
            try fault(JSONResponseSerializer(), "<h1>Bad gateway", answer(502, type: "text/html")),
            try fault(DecodableResponseSerializer(Problem.self), "<h1>Bad gateway", answer(502, type: "text/html")),
        ] {
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.message == "api.example.com answered 502: <h1>Bad gateway")
            let beneath = error?.underlying as? LupineError
            #expect(beneath?.code == .unacceptableContentType)
            #expect(beneath?.data == error?.data)
        }
    }

    @Test func aBrokenBodyOfAnAcceptableTypeLiesBeneath() throws {
        let error = try fault(JSONResponseSerializer(), #"{"title":"#, answer(422))
        #expect(error?.code == .unacceptableStatus)
        let beneath = error?.underlying as? LupineError
        #expect(beneath?.code == .responseSerializationFailed)
        #expect((beneath?.underlying as? JSONParseError)?.offset == 9)
    }

    /// The body is as it should be: nothing lies beneath.
    @Test func theBodyOfAnErrorStaysWithinReach() throws {
        let error = try #require(
            try fault(DecodableResponseSerializer([Int].self), #"{"title":"No such user"}"#, answer(404)))
        #expect(error.code == .unacceptableStatus)
        #expect(error.underlying == nil)
        #expect(error.decoded(as: Problem.self) == Problem(title: "No such user"))
        #expect(error.decoded(as: [Int].self) == nil)
        #expect(error.json == ["title": "No such user"])
        #expect(error.text == #"{"title":"No such user"}"#)
    }

    @Test func alsoOfAnotherTypeEncodingOrDecoder() throws {
        let utf16 = try #require(encoded(#"{"title":"é"}"#, in: "utf-16le"))
        let error = try #require(
            try fault(JSONResponseSerializer(), Data(utf16), answer(500, type: "application/problem+json")))
        #expect((error.underlying as? LupineError)?.code == .unacceptableContentType)
        #expect(error.decoded(as: Problem.self) == Problem(title: "é"))
        #expect(error.json == ["title": "é"])
        struct Named: Decodable, Equatable { let firstName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let snake = try fault(HTTPResponseSerializer(), #"{"first_name":"Ada"}"#, answer(400))
        #expect(snake?.decoded(as: Named.self, decoder: decoder) == Named(firstName: "Ada"))
        let text = try fault(HTTPResponseSerializer(), Data([0xE9]), answer(400, type: "text/plain; charset=latin1"))
        #expect(text?.text == "é")
        #expect(text?.json == nil)
    }

    @Test func withoutABody() throws {
        let error = try #require(try fault(HTTPResponseSerializer(), "", answer(500)))
        #expect(error.decoded(as: Problem.self) == nil)
        #expect(error.json == nil)
        #expect(error.text == "")
        #expect(LupineError(.timedOut, "").text == nil)
        #expect(LupineError(.timedOut, "").decoded(as: Problem.self) == nil)
    }

    /// AFNetworking #3516 and its dozens: what is accepted is told, and can be widened.
    @Test func aWrongTypeTellsWhichAreRight() throws {
        var serializer = JSONResponseSerializer()
        let error = try fault(serializer, "[]", answer(type: "text/html; charset=utf-8"))
        #expect(
            error?.message == #"api.example.com answered with content type "text/html; charset=utf-8"; accepted: "#
                + "application/json, text/json, text/javascript: []")
        serializer.acceptableContentTypes?.insert("text/html")
        #expect(try fault(serializer, "[]", answer(type: "text/html; charset=utf-8")) == nil)
        serializer.acceptableContentTypes = nil
        #expect(try fault(serializer, "[]", answer(type: nil)) == nil)
    }

    /// A body of any size, and a head that says anything, make a message of one short line.
    @Test func theMessageIsBounded() throws {
        let long = String(repeating: "é\n\u{0}", count: 1 << 20)
        for response in [answer(500, type: "text/plain", reason: long), answer(type: "text/" + long)] {
            let error = try #require(
                try fault(JSONResponseSerializer(acceptableContentTypes: ["application/json"]), long, response))
            #expect(error.description.count < 700)
            #expect(error.data?.count == long.utf8.count)
        }
    }
}
