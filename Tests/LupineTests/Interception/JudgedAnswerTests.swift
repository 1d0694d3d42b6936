import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

/// Validators and serializers, and retries that they lead to.
@Suite(.timeLimit(.minutes(2)))
struct JudgedAnswerTests {
    struct Row: CustomStringConvertible, Sendable {
        let validators: [ResponseValidator]
        let headers: HTTPHeaders
        let exchange: StubExchange
        let code: LupineError.Code?
        let description: String

        init(
            _ description: String, _ validators: [ResponseValidator], accept: String? = nil, status: HTTPStatus = 200,
            type: String? = nil, body: String = "x", _ code: LupineError.Code?
        ) {
            self.description = description
            self.validators = validators
            headers = accept.map { ["Accept": $0] } ?? [:]
            exchange = .response(status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
            self.code = code
        }
    }

    struct Mine: Error {}

    static let rows: [Row] = [
        Row("none: any status", [], status: 500, nil),
        Row("acceptable: 200", [.acceptable], nil),
        Row("acceptable: 299", [.acceptable], status: 299, nil),
        Row("acceptable: 300", [.acceptable], status: 300, .unacceptableStatus),
        Row("acceptable: 404", [.acceptable], status: 404, .unacceptableStatus),
        Row("acceptable: */* takes any type", [.acceptable], accept: "*/*", type: "text/html", nil),
        Row("acceptable: */* takes none", [.acceptable], accept: "*/*", nil),
        Row("acceptable: */* beside others", [.acceptable], accept: "text/html, */*;q=0.1", nil),
        Row("type: any takes none", [.contentType(["*/*"])], nil),
        Row("acceptable: the type asked for", [.acceptable], accept: "application/json", type: "application/json", nil),
        Row(
            "acceptable: its parameters are of no account", [.acceptable], accept: "application/json;q=0.9",
            type: "application/json; charset=utf-8", nil),
        Row(
            "acceptable: one of several", [.acceptable], accept: "text/html, application/json;q=0.5",
            type: "application/json", nil),
        Row("acceptable: a range of types", [.acceptable], accept: "image/*", type: "image/png", nil),
        Row(
            "acceptable: another type", [.acceptable], accept: "application/json", type: "text/html",
            .unacceptableContentType),
        Row("acceptable: no type", [.acceptable], accept: "application/json", .unacceptableContentType),
        Row("acceptable: an empty body has no type", [.acceptable], accept: "application/json", body: "", nil),
        Row("acceptable: 204", [.acceptable], accept: "application/json", status: 204, body: "", nil),
        Row("status: in the range", [.statusCode(200..<300)], status: 299, nil),
        Row("status: at its end", [.statusCode(200..<300)], status: 300, .unacceptableStatus),
        Row("status: one of several", [.statusCode([200, 304])], status: 304, body: "", nil),
        Row("status: none of several", [.statusCode([200, 304])], status: 201, .unacceptableStatus),
        Row("status: an error's may be asked for", [.statusCode([404])], status: 404, nil),
        Row("type: given", [.contentType(["application/json"])], type: "application/json", nil),
        Row("type: other", [.contentType(["application/json"])], type: "text/plain", .unacceptableContentType),
        Row("type: none", [.contentType(["application/json"])], .unacceptableContentType),
        Row("type: any", [.contentType(["*/*"])], type: "text/plain", nil),
        Row(
            "type: of an error's body too", [.contentType(["a/b"])], status: 500, type: "c/d", .unacceptableContentType),
        Row("own: passes", [ResponseValidator { _, _, _ in }], nil),
        Row("own: throws", [ResponseValidator { _, _, _ in throw Mine() }], .responseSerializationFailed),
        Row(
            "own: throws an error of Lupine's",
            [ResponseValidator { _, _, _ in throw LupineError(.checksumMismatch, "no") }], .checksumMismatch),
        Row(
            "own: sees the body",
            [ResponseValidator { _, _, data in if data != Data("x".utf8) { throw Mine() } }], nil),
        Row(
            "two: the first that throws is told",
            [.statusCode([200]), ResponseValidator { _, _, _ in throw Mine() }], status: 500, .unacceptableStatus),
        Row(
            "two: both must pass", [.statusCode([200]), ResponseValidator { _, _, _ in throw Mine() }],
            .responseSerializationFailed),
    ]

    @Test(arguments: rows) func validators(_ row: Row) async throws {
        let session = stubbed(StubTransport([row.exchange])) { if row.headers.isEmpty { $0.headers = [:] } }
        let handlers = TaskHandlers(validators: row.validators)
        guard let code = row.code else {
            _ = try await session.data(for: .to(headers: row.headers), handlers: handlers)
            return
        }
        let error = await #expect(throws: LupineError.self) {
            try await session.data(for: .to(headers: row.headers), handlers: handlers)
        }
        #expect(error?.code == code)
        #expect(error?.host == "host.test")
        #expect(error?.response != nil && error?.data != nil && error?.metrics != nil)
    }

    @Test func theSessionsValidatorsCountToo() async throws {
        let session = stubbed(
            StubTransport([.response(status: 202)]), TaskHandlers(validators: [.statusCode([200])]))
        let error = await #expect(throws: LupineError.self) {
            try await session.data(for: .to(), handlers: TaskHandlers(validators: [.statusCode([202])]))
        }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func aValidatorsRefusalIsTriedAgain() async throws {
        let transport = StubTransport([.response(body: "stale"), .response(body: "fresh")])
        let fresh = ResponseValidator { _, _, data in if data == Data("stale".utf8) { throw Mine() } }
        let session = stubbed(transport, TaskHandlers(retriers: [always], validators: [fresh]))
        #expect(try await session.data(for: .to()).text == "fresh")
    }

    // MARK: What a session that checks asks for

    struct Name: Decodable, Sendable { let name: String }

    private func api(_ exchanges: [StubExchange], _ handlers: TaskHandlers) -> HTTPSessionManager {
        var configuration = SessionConfiguration()
        configuration.handlers = handlers
        configuration.callbackQueue = .global()
        return HTTPSessionManager(
            baseURL: "http://host.test/", configuration: configuration, transport: StubTransport(exchanges))
    }

    @Test func statusesThatASessionRefuses() async throws {
        let codes = Notes<LupineError.Code>()
        let retrier = Retrier { _, attempt in
            codes.add(attempt.error.code)
            return .retry
        }
        let api = api([.response(status: 300), .response(status: 500), .json("{}")], TaskHandlers(retriers: [retrier]))
        #expect(try await api.get("a").text == "{}")
        #expect(codes.all == [.unacceptableStatus, .unacceptableStatus])
        // And what nobody has tried again is refused.
        let other = self.api([.response(status: 300)], TaskHandlers(retriers: [Retrier { _, _ in .doNotRetry }]))
        let error = await #expect(throws: LupineError.self) { try await other.get("a") }
        #expect(error?.code == .unacceptableStatus)
    }

    /// A body that cannot be read as what was asked for is a failure like any other.
    @Test func whatCannotBeSerializedIsTriedAgain() async throws {
        let exchanges: [StubExchange] = [.json(#"{"name": "#), .json(#"{"nam": 1}"#), .json(#"{"name": "Ada"}"#)]
        let codes = Notes<LupineError.Code>()
        let handlers = TaskHandlers(retriers: [
            Retrier { _, attempt in
                codes.add(attempt.error.code)
                return .retry
            }
        ])
        #expect(try await api(exchanges, handlers).get("a", as: Name.self).name == "Ada")
        let plain = api(exchanges, TaskHandlers())
        let one = try await plain.request(.get, "a", as: Name.self, handlers: handlers)
        #expect(one.name == "Ada")
        let value = Notes<String?>()
        let done = Gate()
        api(exchanges, handlers).get("a", as: Name.self) { _, name in
            value.add(name.name)
            done.open()
        } failure: { _, error in
            value.add("\(error)")
            done.open()
        }
        try await done.opened()
        #expect(value.all == ["Ada"])
        #expect(codes.all == [LupineError.Code](repeating: .responseSerializationFailed, count: 6))
    }

    /// Each answer is made a value of once.
    @Test func anAnswerIsSerializedOnce() async throws {
        struct Counting: ResponseSerializer {
            let count: Notes<Int>
            func serialize(
                _ data: Data, response: HTTPResponse, request: HTTPRequest
            ) throws(LupineError) -> Int {
                count.add(1)
                return count.count
            }
        }
        for handlers in [TaskHandlers(), TaskHandlers(retriers: [always])] {
            let count = Notes<Int>()
            let value = try await api([.response()], handlers).get("a", responseSerializer: Counting(count: count))
            #expect(value == 1 && count.count == 1)
        }
    }

    // MARK: Streams

    @Test func aStreamIsTriedAgainByItsHead() async throws {
        let transport = StubTransport([
            .response(status: 503, body: "later"), .failure(LupineError(.couldNotConnect, "no")),
            .response(body: "done"),
        ])
        let answer = try await stubbed(transport, TaskHandlers(retriers: [always])).stream(for: .to())
        #expect(answer.status == 200 && answer.sendings == 3)
        var text = Data()
        for try await piece in answer.body { text += piece }
        #expect(text == Data("done".utf8))
    }

    @Test func aStreamThatNobodyTriesAgainIsReadWithItsStatus() async throws {
        let transport = StubTransport([.response(status: 503, body: "later")])
        let answer = try await stubbed(transport, TaskHandlers(retriers: [Retrier { _, _ in .doNotRetry }]))
            .stream(for: .to())
        var text = Data()
        for try await piece in answer.body { text += piece }
        #expect(answer.status == 503 && text == Data("later".utf8))
    }

    /// Bytes that were handed on are not handed on again.
    @Test(arguments: [false, true]) func aStreamThatHasBegunIsNotTriedAgain(readsPieces: Bool) async throws {
        let cut = StubExchange([
            .head(HTTPResponse(status: 200, headers: ["Content-Length": "6"])), .body("abc"),
            .failure(LupineError(.incompleteBody, "cut"), delivery: .answered),
        ])
        let transport = StubTransport([cut, .response(body: "abcdef")])
        let pieces = Notes<Data>()
        var handlers = TaskHandlers(retriers: [always])
        if readsPieces {
            handlers.data = { _, data in pieces.add(data) }
            let error = await #expect(throws: LupineError.self) {
                try await stubbed(transport, handlers).data(for: .to())
            }
            #expect(error?.code == .incompleteBody)
            #expect(error?.data == Data("abc".utf8))
        } else {
            let answer = try await stubbed(transport, handlers).stream(for: .to())
            let error = await #expect(throws: LupineError.self) {
                for try await piece in answer.body { pieces.add(piece) }
            }
            #expect(error?.code == .incompleteBody)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func aStreamsHeadIsValidated() async throws {
        let session = stubbed(StubTransport([.response(status: 201), .response(status: 200, body: "x")]))
        let handlers = TaskHandlers(validators: [.statusCode([200])])
        let error = await #expect(throws: LupineError.self) { try await session.stream(for: .to(), handlers: handlers) }
        #expect(error?.code == .unacceptableStatus && error?.response?.status == 201)
        #expect(try await session.stream(for: .to(), handlers: handlers).status == 200)
    }

    /// What a retrier is told of a stream's head: all there is to know.
    @Test(arguments: [false, true]) func aStreamsHeadIsShown(isRefused: Bool) async throws {
        let transport = StubTransport([
            .response(status: 302, headers: ["Location": "/b"]),
            .response(status: isRefused ? 201 : 503, headers: ["Retry-After": "7"]), .response(body: "done"),
        ])
        let asked = Notes<FailedAttempt>()
        let retrier = Retrier { _, attempt in
            asked.add(attempt)
            return .retry
        }
        let handlers = TaskHandlers(
            retriers: [retrier],
            validators: isRefused
                ? [
                    ResponseValidator { _, response, _ in
                        if response.status == 201 { throw Mine() }
                    }
                ] : [])
        #expect(try await stubbed(transport, handlers).stream(for: .to("/a")).status == 200)
        let attempt = try #require(asked.all.first)
        #expect(asked.count == 1 && attempt.response?.headers["Retry-After"] == "7")
        #expect(attempt.error.redirects.map(\.path) == ["/a"])
    }

    /// What is handed on as it comes is judged by its head, and not again at its end.
    @Test func whatIsHandedOnIsJudgedOnce() async throws {
        let judged = Notes<Int>()
        let transport = StubTransport([.response(body: "abc"), .response(body: "def")])
        var handlers = TaskHandlers(
            retriers: [always],
            validators: [
                ResponseValidator { _, _, data in
                    judged.add(data.count)
                    if !data.isEmpty { throw Mine() }
                }
            ])
        handlers.data = { _, _ in }
        #expect(try await stubbed(transport, handlers).data(for: .to()).text == "abc")
        #expect(judged.all == [0] && transport.requests.count == 1)
    }

    // MARK: Who is asked first

    @Test func theSessionsValidatorsComeFirst() async throws {
        let order = Notes<String>()
        func noting(_ name: String) -> TaskHandlers {
            TaskHandlers(validators: [ResponseValidator { _, _, _ in order.add(name) }])
        }
        let session = stubbed(StubTransport([.response()]), noting("session"))
        _ = try await session.data(for: .to(), handlers: noting("task"))
        #expect(order.all == ["session", "task"])
    }

    /// Validators before the session's own check.
    @Test func aValidatorsRefusalComesBeforeTheSessions() async throws {
        let handlers = TaskHandlers(validators: [ResponseValidator { _, _, _ in throw Mine() }])
        let error = await #expect(throws: LupineError.self) {
            try await api([.response(status: 500)], handlers).get("a")
        }
        #expect(error?.underlying is Mine)
    }

    @Test func aRefusalTellsTheRedirects() async throws {
        let transport = StubTransport([.response(status: 302, headers: ["Location": "/b"]), .response(status: 404)])
        let session = stubbed(transport, TaskHandlers(validators: [.acceptable]))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to("/a")) }
        #expect(error?.redirects.map(\.path) == ["/a"])
    }

    /// `Accept` may come in several fields.
    @Test func allAcceptFieldsCount() async throws {
        let session = stubbed(StubTransport([.response(headers: ["Content-Type": "image/png"], body: "x")]))
        var headers: HTTPHeaders = [:]
        headers.add(name: "Accept", value: "text/html")
        headers.add(name: "Accept", value: "image/png")
        _ = try await session.data(for: .to(headers: headers), handlers: TaskHandlers(validators: [.acceptable]))
    }

    /// A body of the wrong type is tried again; an empty one has none to be wrong.
    @Test(arguments: [false, true]) func typesThatASessionRefuses(isEmpty: Bool) async throws {
        let transport = StubTransport([.response(body: isEmpty ? "" : "x"), .json("{}")])
        var configuration = SessionConfiguration()
        configuration.handlers = TaskHandlers(retriers: [always])
        let api = HTTPSessionManager(baseURL: "http://host.test/", configuration: configuration, transport: transport)
        api.responseSerializer.acceptableContentTypes = .json
        #expect(try await api.get("a").text == (isEmpty ? "" : "{}"))
        #expect(transport.requests.count == (isEmpty ? 1 : 2))
    }

    /// Whoever says that it is cancelled does not have it tried again.
    @Test func aValidatorThatCancels() async throws {
        let asked = Notes<Int>(), transport = StubTransport([.response(), .response()])
        let retrier = Retrier { _, _ in
            asked.add(1)
            return .retry
        }
        let cancelling = ResponseValidator { _, _, _ in throw LupineError(.cancelled, "not needed") }
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(transport, TaskHandlers(retriers: [retrier], validators: [cancelling])).data(for: .to())
        }
        #expect(error?.code == .cancelled && asked.count == 0 && transport.requests.count == 1)
    }
}
