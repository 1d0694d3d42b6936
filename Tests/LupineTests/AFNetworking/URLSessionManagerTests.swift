import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// What AFNetworking's own tests of `AFURLSessionManager` assert, and its rows that have no test among those of tasks.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionManagerTests {
    private let session = URLSessionManager.direct { $0.callbackQueue = DispatchQueue(label: "callbacks") }
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/image"
                    ? .bytes([UInt8](repeating: 7, count: 3_000_000)) : .text("\(request.text.utf8.count)")
            })
    }

    private func request(_ path: String, method: HTTPMethod = .get, body: HTTPBody = .empty) throws -> HTTPRequest {
        HTTPRequest(
            method: method, url: try HTTPURL(server.url(path)), body: body, options: session.configuration.options)
    }

    /// Runs a task that `make` gives a completion, and gives its result and the progress it reported.
    private func run(
        _ make: (
            _ progress: @escaping @Sendable (TransferProgress) -> Void,
            _ completion: @escaping @Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void
        ) throws -> SessionTask
    ) async throws -> (answer: DataResponse, progress: [TransferProgress], task: SessionTask) {
        let values = Lock<[TransferProgress]>([]), result = Lock<Result<DataResponse, LupineError>?>(nil), done = Gate()
        let task = try make({ progress in values.withLock { $0.append(progress) } }) { _, outcome in
            result.withLock { $0 = outcome }
            done.open()
        }
        #expect(task.state == .suspended)
        task.resume()
        try await done.opened()
        let answer = try #require(result.withLock { $0 }).get()
        return (answer, values.withLock { $0 }, task)
    }

    @Test func dataTaskDoesReportDownloadProgress() async throws {
        let (answer, progress, task) = try await run { progress, completion in
            session.dataTask(with: try request("/image"), downloadProgress: progress, completion: completion)
        }
        #expect(answer.data.count == 3_000_000)
        #expect(progress.last?.fractionCompleted == 1)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.completed < $1.completed })
        #expect(task.downloadProgress == progress.last)
        await session.invalidate()
    }

    enum Source: CaseIterable { case data, file, stream, unknownLength }

    @Test(arguments: Source.allCases)
    func uploadTaskDoesReportProgress(_ source: Source) async throws {
        let body = Data(repeating: 0x78, count: 20_000)
        let directory = try TemporaryDirectory()
        let path = try directory.write(body, to: "body")
        let (answer, progress, task) = try await run { progress, completion in
            switch source {
            case .data:
                session.uploadTask(
                    with: try request("/post", method: .post), from: body, progress: progress, completion: completion)
            case .file:
                try session.uploadTask(
                    with: try request("/post", method: .post), fromFile: path, progress: progress,
                    completion: completion)
            case .stream, .unknownLength:
                session.uploadTask(
                    withStreamedRequest: try request(
                        "/post", method: .post,
                        body: .stream(length: source == .stream ? 20_000 : nil) {
                            PiecesReader([String](repeating: String(repeating: "x", count: 5000), count: 4))
                        }), progress: progress, completion: completion)
            }
        }
        #expect(answer.text == "20000")
        #expect(progress.last?.completed == 20_000)
        #expect(progress.last?.fractionCompleted == (source == .unknownLength ? nil : 1))
        #expect(task.kind == .upload)
        #expect(task.uploadProgress == progress.last)
        await session.invalidate()
    }

    /// `uploadTaskWithRequest:fromFile:`: a file that is not there makes no task.
    @Test func uploadTaskOfAFileThatIsNotThere() throws {
        let error = #expect(throws: LupineError.self) {
            try session.uploadTask(
                with: try request("/post", method: .post), fromFile: "/nowhere/file", completion: nil)
        }
        #expect(error?.code == .uploadSourceFailed)
        #expect(session.tasks.isEmpty)
    }

    /// The file that was chosen is what is sent, or nothing is.
    @Test func uploadTaskOfAFileThatChanges() async throws {
        let folder = try TemporaryDirectory(), path = try folder.write(Array("abc".utf8), to: "f")
        let task = try session.uploadTask(with: try request("/post", method: .post), fromFile: path, completion: nil)
        try folder.write(Array("abcdef".utf8), to: "f")
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .uploadSourceFailed && error?.host == "127.0.0.1")
        await session.invalidate()
    }

    /// `setTaskDidSendBodyDataBlock:`: a stream's unknown total is that of a Content-Length field, if there is one.
    @Test func theTotalOfAStreamIsItsContentLength() async throws {
        var request = try request(
            "/post", method: .post, body: .stream { PiecesReader(["hello", "world"]) })
        request.headers["Content-Length"] = "10"
        let task = session.uploadTask(withStreamedRequest: request, completion: nil)
        #expect(task.uploadProgress == TransferProgress(completed: 0, total: 10))
        #expect(try await task.result().text == "10")
        #expect(task.uploadProgress == TransferProgress(completed: 10, total: 10))
        await session.invalidate()
    }

    /// A serializer runs beside the callback queue and the loop; its fault carries the body.
    @Test(arguments: [true, false])
    func aSerializerMakesTheValue(isRight: Bool) async throws {
        struct Loud: ResponseSerializer {
            let isRight: Bool
            let loop: EventLoop
            let key: DispatchSpecificKey<Bool>
            func serialize(
                _ data: Data, response: HTTPResponse, request: HTTPRequest
            ) throws(LupineError) -> String {
                guard isRight, !loop.isCurrent, DispatchQueue.getSpecific(key: key) == nil else {
                    throw LupineError(.responseSerializationFailed, "not loud enough")
                }
                return String(decoding: data, as: UTF8.self) + "!"
            }
        }
        let result = Lock<Result<String, LupineError>?>(nil), done = Gate()
        let key = DispatchSpecificKey<Bool>()
        session.configuration.callbackQueue.setSpecific(key: key, value: true)
        let loud = Loud(isRight: isRight, loop: session.eventLoop, key: key)
        let task = session.dataTask(with: try request("/post"), serializer: loud) { _, outcome in
            result.withLock { $0 = outcome }
            done.open()
        }
        task.resume()
        try await done.opened()
        switch try #require(result.withLock { $0 }) {
        case .success(let text): #expect(isRight && text == "0!")
        case .failure(let error):
            #expect(!isRight && error.code == .responseSerializationFailed)
            #expect(error.data == Data("0".utf8) && error.response?.status == 200)
        }
        await session.invalidate()
    }

    /// `sessionTaskDoesReportMetrics`: as an event, and of the task.
    @Test func sessionTaskDoesReportMetrics() async throws {
        let measured = Lock<[TransactionMetrics]>([])
        let task = session.dataTask(
            with: try request("/"),
            handlers: TaskHandlers { _, event in
                if case .measured(let metrics) = event { measured.withLock { $0.append(metrics) } }
            })
        _ = try await task.result()
        session.configuration.eventQueue.sync {}
        #expect(measured.withLock { $0 } == task.metrics.transactions)
        #expect(measured.withLock { $0 }.count == 1)
        await session.invalidate()
    }

    /// `sessionIsStillValid`, `sessionRecreatesAgain`: what was invalidated stays so, and a copy begins anew.
    @Test func invalidatedForGoodAndACopyAnew() async throws {
        await session.invalidate()
        let late = session.dataTask(with: try request("/"))
        let error = await #expect(throws: LupineError.self) { try await late.result() }
        #expect(error?.code == .cancelled)
        let copy = session.copy()
        let reply = try await copy.data(for: try request("/"))
        #expect(reply.status == 200)
        await copy.invalidate()
    }

    /// FAULT 1: neither a session nor its tasks outlive their use.
    @Test func nothingIsLeftOfASession() async throws {
        weak var core: URLSessionManager?
        weak var task: SessionTask?
        do {
            let session = URLSessionManager.direct()
            let made = session.dataTask(with: try request("/"))
            _ = try await made.result()
            (core, task) = (session, made)
        }
        #expect(core == nil)
        await until { task == nil }
        try await server.waitForOpenConnections()
    }
}
