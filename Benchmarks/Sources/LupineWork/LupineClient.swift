public import BenchSupport
internal import Lupine

/// Lupine through its public async functions, with its defaults except where the options say otherwise.
public struct LupineClient: BenchClient {
    private let session: HTTPSessionManager
    private let url: String
    private let onLoop: Bool

    public init(_ options: Options) throws {
        var configuration = SessionConfiguration()
        configuration.transport.maximumConnectionsPerHost = options.connectionLimit
        if let path = options.certificateAuthorities {
            configuration.transport.certificateAuthorities = .file(path)
        }
        if let bytes = options.bufferSize { configuration.transport.receiveBufferSize = bytes }
        switch options.version {
        case .http1: configuration.options.maximumHTTPVersion = .http1_1
        case .http2: configuration.options.maximumHTTPVersion = .http2
        case nil: break
        }
        if options.isIntercepted {
            let adapter = Adapter { request, _ in
                var request = request
                request.headers["X-Trace"] = "1"
                return request
            }
            configuration.handlers = TaskHandlers(adapters: [adapter], retriers: [Retrier { _, _ in .doNotRetry }])
        }
        // The same fields, however they come in.
        if !options.isIntercepted { configuration.headers.add(name: "X-Trace", value: "1") }
        session = HTTPSessionManager(baseURL: nil, configuration: configuration)
        url = options.url
        onLoop = options.executor == .loop
    }

    public func get() async throws -> Answer {
        let reply = try await session.get(url)
        return Answer(status: reply.response.status.rawValue, length: reply.data.count)
    }

    public func run<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        guard onLoop else { return await body() }
        return await withTaskExecutorPreference(session.eventLoop) { await body() }
    }

    public func upload(_ file: String) async throws -> Answer? {
        let reply = try await session.upload(url, multipart: { form in try form.append(file: file, name: "file") })
        return Answer(status: reply.status.rawValue, length: reply.data.count)
    }

    public func makeAndCancel(tasks: Int) throws -> Bool {
        let request = try session.makeRequest(.get, url)
        for _ in 0..<tasks { session.session.dataTask(with: request).cancel() }
        return true
    }

    public func close() async { await session.invalidate() }
}
