import Dispatch
import Foundation
import FoundationNetworking
import Lupine
import LupineCore
import LupineTesting
import Testing

extension URLSessionManager {
    /// A session whose connections go straight to the peer, whatever proxy the environment names, with a queue of its own
    /// for what it tells.
    static func direct(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> URLSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        change(&configuration)
        return URLSessionManager(configuration: configuration)
    }

    func request(_ url: String, method: HTTPMethod = .get, body: HTTPBody = .empty) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL(url), body: body, options: configuration.options)
    }

    /// What holds once all that was told before has been taken.
    func told<Value>(_ value: () -> Value) -> Value { configuration.callbackQueue.sync(execute: value) }
}

/// Values in the order in which they were noted, from any thread.
final class Noted<Value: Sendable>: Sendable {
    private let noted = Lock<[Value]>([])

    var values: [Value] { noted.withLock { $0 } }

    func note(_ value: Value) { noted.withLock { $0.append(value) } }
}

extension URLRequest {
    /// A PUT whose body is a stream.
    init(url server: LoopbackServer, _ stream: InputStream) throws {
        self.init(url: try #require(URL(string: server.url())))
        httpMethod = "PUT"
        httpBodyStream = stream
    }
}
