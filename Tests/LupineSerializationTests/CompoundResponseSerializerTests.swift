import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite struct CompoundResponseSerializerTests {
    enum Reply: Equatable {
        case user(Int)
        case page(String)
        case bytes(Data)
    }
    struct User: Decodable { let id: Int }

    private static let user = DecodableResponseSerializer(User.self).map { Reply.user($0.id) }
    private static let page = StringResponseSerializer(acceptableContentTypes: ["text/html"]).map { Reply.page($0) }

    private func reply(_ body: String, type: String, _ members: [any ResponseSerializer<Reply>]) throws -> Reply {
        try CompoundResponseSerializer(members).serialize(
            Data(body.utf8), response: answer(type: type), request: asking())
    }

    @Test func theFirstThatSucceedsGivesTheValue() throws {
        #expect(try reply(#"{"id":7}"#, type: "application/json", [Self.user, Self.page]) == .user(7))
        #expect(try reply("<p>", type: "text/html", [Self.user, Self.page]) == .page("<p>"))
        let bytes = HTTPResponseSerializer().map { Reply.bytes($0) }
        #expect(
            try reply(#"{"id":7}"#, type: "application/json", [bytes, Self.user]) == .bytes(Data(#"{"id":7}"#.utf8)))
        #expect(try reply("{}", type: "application/json", [Self.user, bytes]) == .bytes(Data("{}".utf8)))
    }

    /// AFNetworking loses what its members said.
    @Test func noneSucceeds() throws {
        let error = try #require(
            try fault(CompoundResponseSerializer([Self.user, Self.page]), "{}", answer(type: "application/json")))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("api.example.com answered with what none of 2 serializers reads: "))
        #expect(error.message.contains("id: it is missing"))
        let members = try #require(error.underlying as? CompoundResponseError).errors
        #expect(members.map(\.code) == [.responseSerializationFailed, .unacceptableContentType])
        #expect(members.first?.underlying is DecodingError)
    }

    @Test func theCodeIsThatOfTheMemberThatCameFurthest() throws {
        let both = CompoundResponseSerializer([Self.user, Self.page])
        #expect(try fault(both, "x", answer(type: "image/png"))?.code == .unacceptableContentType)
        #expect(try fault(both, "{", answer(502, type: "text/html"))?.code == .unacceptableStatus)
        let lenient = DecodableResponseSerializer(User.self, acceptableStatuses: nil).map { Reply.user($0.id) }
        #expect(
            try fault(CompoundResponseSerializer([Self.page, lenient]), "{", answer(500))?.code
                == .responseSerializationFailed)
    }

    @Test func withoutMembers() throws {
        let error = try fault(CompoundResponseSerializer<Reply>([]), "x", answer())
        #expect(error?.code == .responseSerializationFailed)
        #expect((error?.underlying as? CompoundResponseError)?.errors.isEmpty == true)
    }

    @Test func compoundsCanBeMembers() throws {
        let inner = CompoundResponseSerializer([Self.user])
        #expect(try reply("<p>", type: "text/html", [inner, Self.page]) == .page("<p>"))
    }
}

@Suite struct MappedResponseSerializerTests {
    struct Refusal: Error, Equatable {}

    @Test func whatTheClosureThrows() throws {
        let serializer = JSONResponseSerializer().map { (_: JSONValue) throws -> Int in throw Refusal() }
        let error = try fault(serializer, "1", answer())
        #expect(error?.code == .responseSerializationFailed)
        #expect(error?.message == "api.example.com answered with what is no Int: Refusal()")
        #expect(error?.underlying as? Refusal == Refusal())
        #expect(try fault(serializer, "1", answer(404))?.code == .unacceptableStatus)
    }

    @Test func nothingIsNil() throws {
        struct User: Decodable, Equatable { let id: Int }
        let serializer = DecodableResponseSerializer(User.self).optional
        #expect(try serializer.serialize(Data(), response: answer(204), request: asking()) == nil)
        #expect(try serializer.serialize(Data(" ".utf8), response: answer(), request: asking()) == nil)
        #expect(
            try serializer.serialize(Data(#"{"id":1}"#.utf8), response: answer(), request: asking()) == User(id: 1))
        #expect(try fault(serializer, "{}", answer())?.code == .responseSerializationFailed)
        #expect(try fault(serializer, "", answer(500))?.code == .unacceptableStatus)
    }
}
