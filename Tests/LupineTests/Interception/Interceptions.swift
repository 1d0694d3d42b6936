import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting

/// A session on a stub, with handlers for all its tasks.
func stubbed(
    _ transport: StubTransport, clock: any Clock<Duration> = ManualClock(), _ handlers: TaskHandlers = TaskHandlers(),
    _ change: (inout SessionConfiguration) -> Void = { _ in }
) -> URLSessionManager {
    var configuration = SessionConfiguration()
    configuration.handlers = handlers
    configuration.clock = clock
    configuration.callbackQueue = .global()
    change(&configuration)
    return URLSessionManager(configuration: configuration, transport: transport)
}

/// Whatever fails is sent again, at once.
let always = Retrier { _, _ in .retry }

extension HTTPRequest {
    static func to(
        _ path: String = "/", _ method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL("http://host.test\(path)"), headers: headers, body: body)
    }
}

/// What a closure was called with, in order.
final class Notes<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    var count: Int { all.count }
    func add(_ value: Value) { values.withLock { $0.append(value) } }
}
