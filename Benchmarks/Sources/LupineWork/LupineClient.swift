public import BenchSupport

#if LUPINE_SESSION
internal import Lupine

/// Lupine through its public async functions.
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
        session = HTTPSessionManager(baseURL: nil, configuration: configuration)
        url = options.url
        onLoop = options.executor == .loop
    }

    public func get() async throws -> Answer {
        let reply = try await session.get(url)
        return Answer(status: reply.response.status.code, length: reply.data.count)
    }

    public func run<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        guard onLoop else { return await body() }
        return await withTaskExecutorPreference(session.eventLoop) { await body() }
    }

    public func close() async { await session.invalidate() }
}
#else
/// Stands in until the session is there.
public struct LupineClient: BenchClient {
    struct Missing: Error, CustomStringConvertible {
        var description: String { "this build of Lupine has no session yet" }
    }

    public init(_ options: Options) throws { throw Missing() }
    public func get() async throws -> Answer { throw Missing() }
    public func close() async {}
}
#endif
