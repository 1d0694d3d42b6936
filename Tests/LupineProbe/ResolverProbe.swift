import Glibc
import Lupine
import LupineTesting

/// Lookups that get no answer, and what goes on beside them.
struct ResolverProbe {
    private let session: URLSessionManager
    private let server: LoopbackServer

    init() throws {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        session = URLSessionManager(configuration: configuration)
        server = try LoopbackServer(recordsTraffic: false, handler: LoopbackServer.echo)
    }

    func run() async throws -> JSONValue {
        let sink = swallowingQuestions()
        defer { close(sink) }
        try await get()  // what is paid once
        async let timedOut = failure { $0.timeouts.connect = .milliseconds(300) }
        async let total = failure { $0.timeouts.total = .milliseconds(300) }
        async let cancelled = cancellation()
        let slowest = try await slowestOfHundred()
        let (byConnect, byTotal, byCancel) = await (timedOut, total, cancelled)
        async let last = failure { _ in }
        try await get()
        let start = ContinuousClock.now
        await session.invalidate()
        let byInvalidation = await last
        return [
            "connect": ["code": .string(byConnect.code), "ms": try JSONValue(byConnect.milliseconds)],
            "total": ["code": .string(byTotal.code), "ms": try JSONValue(byTotal.milliseconds)],
            "cancel": ["code": .string(byCancel.code), "ms": try JSONValue(byCancel.milliseconds)],
            "invalidate": [
                "code": .string(byInvalidation.code), "ms": try JSONValue(start.duration(to: .now).milliseconds),
            ],
            "slowestLoopback": try JSONValue(slowest.milliseconds),
        ]
    }

    /// A socket on the resolver's port that nobody reads.
    private func swallowingQuestions() -> Int32 {
        let sink = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: address) { bytes in
            bind(sink, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        precondition(result == 0, "port 53 is not free here: \(String(cString: strerror(errno)))")
        return sink
    }

    private func get() async throws {
        _ = try await session.data(
            for: HTTPRequest(url: try HTTPURL(server.url("/")), options: session.configuration.options))
    }

    private func slowestOfHundred() async throws -> Duration {
        let clock = ContinuousClock()
        var slowest = Duration.zero
        for _ in 0..<100 { slowest = max(slowest, try await clock.measure { try await get() }) }
        return slowest
    }

    /// How a request for a name that nobody knows ends, and when.
    private func failure(
        _ change: (inout TransferOptions) -> Void
    ) async -> (code: String, milliseconds: Double) {
        var options = session.configuration.options
        change(&options)
        let start = ContinuousClock.now
        do throws(LupineError) {
            _ = try await session.data(for: HTTPRequest(url: try HTTPURL("http://mute.example/"), options: options))
            return ("answered", 0)
        } catch {
            return (error.code.rawValue, start.duration(to: .now).milliseconds)
        }
    }

    /// Cancels a lookup that is well under way; the time is that from the cancelling to the end.
    private func cancellation() async -> (code: String, milliseconds: Double) {
        let task = Task { await failure { _ in } }
        for _ in 0..<20 { try? await get() }
        let start = ContinuousClock.now
        task.cancel()
        let ended = await task.value
        return (ended.code, start.duration(to: .now).milliseconds)
    }
}
