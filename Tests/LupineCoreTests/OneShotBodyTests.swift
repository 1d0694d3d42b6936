import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

/// What can be read once is read once: a second reading would find nothing, and pass for an empty body.
@Suite(.timeLimit(.minutes(1)))
struct OneShotBodyTests {
    private func open(_ body: HTTPBody) throws -> any BodyReader {
        guard case .reader(let open) = body.source else { throw LupineError(.unsupported, "no reader") }
        return try open("it")
    }

    private func expectSpent(_ body: HTTPBody) {
        let error = #expect(throws: LupineError.self) { try open(body) }
        #expect(error?.code == .uploadSourceFailed)
        #expect(error?.message == "it can be read only once, and has been: make a new one")
    }

    private static func once() -> HTTPBody { .oneShotStream(length: 2, reader: PiecesReader(["ab"])) }

    @Test func aBodyAndItsCopies() throws {
        let body = Self.once(), copy = body
        _ = try open(copy)
        expectSpent(body)
        expectSpent(copy)
        let sequence = HTTPBody.oneShotStream(AsyncStream { $0.finish() })
        _ = try open(sequence)
        expectSpent(sequence)
    }

    @Test func bodiesOfOneReader() throws {
        let reader = PiecesReader(["ab"])
        let first = HTTPBody.oneShotStream(reader: reader), second = HTTPBody.oneShotStream(length: 2, reader: reader)
        _ = try open(first)
        expectSpent(second)
        expectSpent(.oneShotStream(reader: reader))
    }

    /// Where a reader has gone another may live, which has not been read.
    @Test func readersThatComeAndGo() throws {
        for _ in 0..<1000 { _ = try open(Self.once()) }
        let kept = (0..<200).map { _ in PiecesReader([]) }
        for reader in kept { _ = try open(.oneShotStream(reader: reader)) }
        for reader in kept { expectSpent(.oneShotStream(reader: reader)) }
    }

    /// Values are not one another.
    @Test func readersThatAreNoObjects() throws {
        struct Value: BodyReader { func read(upTo count: Int) async throws -> Data? { nil } }
        let value = Value(), body = HTTPBody.oneShotStream(reader: value)
        _ = try open(body)
        expectSpent(body)
        _ = try open(.oneShotStream(reader: value))
    }

    @Test func whoComesFirstReads() async {
        for _ in 0..<50 {
            let body = Self.once()
            let readings = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { (try? open(body)) != nil } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(readings == 1)
        }
    }

    /// A second writing fails, and leaves what is there.
    @Test func writtenOnce() async throws {
        let folder = try TemporaryDirectory(), body = Self.once()
        try await body.write(to: folder.file("first"))
        let error = await #expect(throws: LupineError.self) { try await body.write(to: folder.file("second")) }
        #expect(error?.code == .uploadSourceFailed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["first"])
    }

    /// Nothing is read of a body that is never begun, nor of one that is said to be empty.
    @Test func whatIsNotReadIsNotSpent() throws {
        let body = Self.once()
        #expect(body.ticket?.isUsed == false)
        _ = try open(body)
        #expect(body.ticket?.isUsed == true)
        let empty = HTTPBody.oneShotStream(length: 0, reader: PiecesReader([]))
        _ = try open(empty)
        _ = try open(empty)
        #expect(HTTPBody.stream { PiecesReader([]) }.ticket == nil)
    }

    @Test func aRequestWithASpentBodyIsRefused() throws {
        let body = Self.once()
        let request = HTTPRequest(method: .post, url: try HTTPURL("http://h.test/"), body: body)
        #expect(request.validate() == nil)
        _ = try open(body)
        let refusal = try #require(request.validate())
        #expect(refusal.code == .uploadSourceFailed && refusal.host == "h.test")
        #expect(refusal.message.hasSuffix("nothing was sent"))
    }
}
