import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Serializers for answers, a session and a call: in the async and in the closure form.
@Suite(.timeLimit(.minutes(1)))
struct ResponseSerializerFacesTests {
    struct User: Decodable, Equatable, Sendable { let firstName: String }

    private let server: LoopbackServer
    private let api: HTTPSessionManager

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                switch request.path {
                case "/html": .bytes(Array(#"{"firstName":"Ada"}"#.utf8), type: "text/html")
                case "/snake": .json(#"{"first_name":"Ada"}"#)
                case "/chinese": .bytes([0xD6, 0xD0, 0xCE, 0xC4], type: "text/html; charset=gb2312")
                case "/refused":
                    LoopbackResponse(
                        status: 500, headers: ["Content-Type": "text/html; charset=gb2312"],
                        body: [0xD6, 0xD0, 0xCE, 0xC4])
                case "/plist":
                    .bytes(Array("<plist><string>\(request.method)</string></plist>".utf8), type: "application/x-plist")
                case "/missing": .json(#"{"firstName":"none"}"#, status: 404)
                default: .json(#"{"firstName":"\#(request.text)"}"#)
                }
            })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
    }

    private func error(_ work: () async throws -> Void) async throws -> LupineError {
        try #require(await #expect(throws: LupineError.self) { try await work() })
    }

    @Test func aSerializerACall() async throws {
        let text = try await api.request(.get, "chinese", responseSerializer: StringResponseSerializer())
        #expect(text == "中文")
        let tree = try await api.request(.post, "x", body: .text("Bob"), responseSerializer: JSONResponseSerializer())
        #expect(tree == ["firstName": "Bob"])
        let list = PropertyListResponseSerializer(String.self)
        #expect(try await api.get("plist", responseSerializer: list) == "GET")
        #expect(try await api.post("plist", responseSerializer: list) == "POST")
        #expect(try await api.put("plist", responseSerializer: list) == "PUT")
        #expect(try await api.patch("plist", responseSerializer: list) == "PATCH")
        #expect(try await api.delete("plist", responseSerializer: list) == "DELETE")
        let refused = try await error { _ = try await api.get("chinese", responseSerializer: list) }
        #expect(refused.code == .unacceptableContentType)
        #expect(refused.data?.count == 4)
        #expect(refused.metrics != nil)
    }

    @Test func aSerializerACallWithClosures() async throws {
        let seen = Lock<Result<String, LupineError>?>(nil), done = Gate()
        let task = api.dataTask(
            .get, "chinese", responseSerializer: StringResponseSerializer(),
            success: { _, text in
                seen.withLock { $0 = .success(text) }
                done.open()
            },
            failure: { _, error in
                seen.withLock { $0 = .failure(error) }
                done.open()
            })
        task?.resume()
        try await done.opened()
        #expect(try seen.withLock { $0 }?.get() == "中文")
    }

    @Test func verbsWithClosures() async throws {
        let list = PropertyListResponseSerializer(String.self), api = api
        let begins: [(@escaping @Sendable (SessionTask, String) -> Void) -> SessionTask?] = [
            { api.get("plist", responseSerializer: list, success: $0) },
            { api.post("plist", responseSerializer: list, success: $0) },
            { api.put("plist", responseSerializer: list, success: $0) },
            { api.patch("plist", responseSerializer: list, success: $0) },
            { api.delete("plist", responseSerializer: list, success: $0) },
        ]
        for (begin, method) in zip(begins, ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
            let told = Lock(""), done = Gate()
            _ = begin { _, text in
                told.withLock { $0 = text }
                done.open()
            }
            try await done.opened()
            #expect(told.withLock(\.self) == method)
        }
    }

    @Test func aDecoderACallWithClosures() async throws {
        let told = Lock<User?>(nil), done = Gate()
        @Sendable func decoder() -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        _ = api.get(
            "snake", as: User.self, decoder: decoder(),
            success: { _, user in
                told.withLock { $0 = user }
                done.open()
            }, failure: { _, _ in done.open() })
        try await done.opened()
        #expect(told.withLock(\.self) == User(firstName: "Ada"))
    }

    /// Without a serializer too, the text is the charset's.
    @Test func textByItsCharset() async throws {
        #expect(try await api.get("chinese").text == "中文")
        let refused = try await error { _ = try await api.get("refused") }
        #expect(refused.text == "中文")
        #expect(refused.message.hasSuffix("500 Internal Server Error: 中文") || refused.message.hasSuffix(": 中文"))
    }

    /// AFNetworking's users widen what their manager accepts: `acceptableContentTypes` with `text/html` in it.
    @Test func typesASession() async throws {
        let strict = try await error { _ = try await api.get("html", as: User.self) }
        #expect(strict.code == .unacceptableContentType)
        #expect(try await api.get("html").data.count == 19)
        var types = ContentTypeSet.json
        types.insert("text/html")
        api.responseSerializer.acceptableContentTypes = types
        #expect(try await api.get("html", as: User.self) == User(firstName: "Ada"))
        // The undecoded forms are checked by the same.
        api.responseSerializer.acceptableContentTypes = ["image/*"]
        #expect(try await error { _ = try await api.get("html") }.code == .unacceptableContentType)
        #expect(try await error { _ = try await api.get("html", as: User.self) }.code == .unacceptableContentType)
        // A serializer of the call's stands alone.
        #expect(try await api.get("chinese", responseSerializer: StringResponseSerializer()) == "中文")
    }

    @Test func statusesASession() async throws {
        let refused = try await error { _ = try await api.get("missing", as: User.self) }
        #expect(refused.code == .unacceptableStatus)
        #expect(refused.decoded(as: User.self) == User(firstName: "none"))
        api.acceptableStatuses = [200, 404]
        #expect(api.responseSerializer.acceptableStatuses == [200, 404])
        #expect(try await api.get("missing", as: User.self) == User(firstName: "none"))
        #expect(try await api.get("missing").status == 404)
        #expect(api.copy().acceptableStatuses == [200, 404])
    }

    @Test func aDecoderASessionAndACall() async throws {
        api.decoder = {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        #expect(try await api.get("snake", as: User.self) == User(firstName: "Ada"))
        #expect(try await api.copy().get("snake", as: User.self) == User(firstName: "Ada"))
        let plain = try await error { _ = try await api.get("snake", as: User.self, decoder: JSONDecoder()) }
        #expect(plain.code == .responseSerializationFailed)
        let seen = Lock<String?>(nil), done = Gate()
        _ = api.get(
            "snake", as: User.self,
            success: { _, user in
                seen.withLock { $0 = user.firstName }
                done.open()
            }, failure: { _, _ in done.open() })
        try await done.opened()
        #expect(seen.withLock { $0 } == "Ada")
    }

    /// AFNetworking #3636 and others: serializers were changed while they were read.
    @Test func settingsFromManyThreads() async throws {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask { [api] in
                    switch number % 4 {
                    case 0: api.acceptableStatuses = StatusSet(200..<(300 + number))
                    case 1: api.responseSerializer.acceptableContentTypes?.insert("text/x-\(number)")
                    case 2: api.decoder = { JSONDecoder() }
                    default: _ = try? await api.get("x", as: User.self)
                    }
                }
            }
        }
        #expect(try await api.post("x", body: .text("Eve")).status == 200)
    }
}

/// Where serializers run: neither on whoever asks, nor on an event loop, nor on the callback queue.
@Suite(.timeLimit(.minutes(1)))
struct ResponseSerializerPlaceTests {
    private struct Place: Equatable, Sendable { let isOnLoop: Bool, isOnQueue: Bool }

    private struct PlaceSerializer: ResponseSerializer {
        let loop: EventLoop
        let key: DispatchSpecificKey<Bool>

        func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Place {
            Place(isOnLoop: loop.isCurrent, isOnQueue: DispatchQueue.getSpecific(key: key) != nil)
        }
    }

    /// An actor whose thread is a queue's, as the main actor's is.
    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "actor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private actor Asker {
        let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: QueueExecutor) { self.executor = executor }

        func ask(_ api: HTTPSessionManager, _ serializer: PlaceSerializer) async throws -> (place: Place, isBack: Bool)
        {
            let place = try await api.get("x", responseSerializer: serializer)
            return (place, DispatchQueue.getSpecific(key: serializer.key) != nil)
        }
    }

    private struct WaitingSerializer: ResponseSerializer {
        let gate = DispatchSemaphore(value: 0)

        func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Bool {
            gate.wait()
            return true
        }
    }

    /// Those of completion handlers have threads of their own: ones that wait hold up no other request.
    @Test func serializersThatWait() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("x") })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        let api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
        let waiting = WaitingSerializer(), ends = Lock(0), done = Gate(), count = 8
        for _ in 0..<count {
            _ = api.get(
                "x", responseSerializer: waiting,
                success: { _, _ in
                    if ends.withLock({ ends in
                        ends += 1; return ends == count
                    }) {
                        done.open()
                    }
                })
        }
        for _ in 0..<20 { #expect(try await api.get("x").text == "x") }
        #expect(ends.withLock(\.self) == 0)
        for _ in 0..<count { waiting.gate.signal() }
        try await done.opened()
        await api.invalidate()
    }

    @Test func besideWhoeverAsks() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("x") })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>(), executor = QueueExecutor()
        configuration.callbackQueue.setSpecific(key: key, value: true)
        executor.queue.setSpecific(key: key, value: true)
        let api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
        let serializer = PlaceSerializer(loop: api.eventLoop, key: key)
        let elsewhere = Place(isOnLoop: false, isOnQueue: false)

        #expect(try await api.get("x", responseSerializer: serializer) == elsewhere)
        let asked = try await Asker(executor).ask(api, serializer)
        #expect(asked.place == elsewhere)
        #expect(asked.isBack)
        let preferring = try await withTaskExecutorPreference(api.eventLoop) {
            #expect(api.eventLoop.isCurrent)
            let place = try await api.get("x", responseSerializer: serializer)
            #expect(api.eventLoop.isCurrent)
            return place
        }
        #expect(preferring == elsewhere)

        let seen = Lock<Place?>(nil), done = Gate()
        let task = api.dataTask(
            .get, "x", responseSerializer: serializer,
            success: { _, place in
                #expect(DispatchQueue.getSpecific(key: key) == true)
                seen.withLock { $0 = place }
                done.open()
            })
        task?.resume()
        try await done.opened()
        #expect(seen.withLock { $0 } == elsewhere)
        await api.invalidate()
    }
}
