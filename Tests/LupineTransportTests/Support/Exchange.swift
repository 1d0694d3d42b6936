import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Times what comes here allows, some ten times what it takes: a bound on hanging, not a measurement.
let generous = Duration.seconds(30)

extension CurlTransport {
    /// Starts a request to a path of a server, and gives its receiver.
    @discardableResult
    func begin(
        _ server: LoopbackServer, _ path: String = "/", method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        body: HTTPBody = .empty, host: String? = nil, receiver: RecordingReceiver = RecordingReceiver(),
        options: (inout TransferOptions) -> Void = { _ in }
    ) throws -> (receiver: RecordingReceiver, control: any ExchangeControl) {
        var settings = TransferOptions()
        settings.route.proxy = .none
        options(&settings)
        let request = HTTPRequest(
            method: method, url: try HTTPURL(server.url(path, host: host)), headers: headers, body: body,
            options: settings)
        return (receiver, start(request, receiver: receiver))
    }

    /// The same, run to its end; the contract of receivers kept.
    @discardableResult
    func run(
        _ server: LoopbackServer, _ path: String = "/", method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        body: HTTPBody = .empty, host: String? = nil, receiver: RecordingReceiver = RecordingReceiver(),
        options: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> RecordingReceiver {
        let (receiver, _) = try begin(
            server, path, method: method, headers: headers, body: body, host: host, receiver: receiver,
            options: options)
        try await receiver.finish()
        #expect(receiver.violations.isEmpty)
        return receiver
    }

    /// That the next request on the transport gets its own answer.
    func expectUnharmed(_ server: LoopbackServer, _ path: String = "/next") async throws {
        let next = try await run(server, path)
        #expect(next.code == nil)
        #expect(next.text == "this is \(path)")
        #expect(next.head?.status == 200)
    }
}

extension RecordingReceiver {
    /// How it ended; `nil`: well, or not yet.
    var code: LupineError.Code? { completion?.error?.code }
}

/// What a server does to one request.
struct Fault: Sendable, CustomTestStringConvertible {
    enum Ending: Sendable { case keep, close, reset }

    var name: String
    /// The whole answer, as it leaves.
    var bytes: [UInt8]
    var ending: Ending

    init(_ name: String, _ text: String, _ ending: Ending = .keep) {
        self.init(name, bytes: Array(text.utf8), ending)
    }

    init(_ name: String, bytes: [UInt8], _ ending: Ending = .keep) {
        self.name = name
        self.bytes = bytes
        self.ending = ending
    }

    var testDescription: String { name }

    /// A server that answers `/fault` so, and every other path with its name.
    func server() throws -> LoopbackServer {
        try LoopbackServer { [self] connection in
            while let request = try connection.readRequest() {
                guard request.path == "/fault" else {
                    try connection.send(.text("this is \(request.path)"), to: request)
                    continue
                }
                try connection.send(bytes)
                switch ending {
                case .keep: continue
                case .close: return
                case .reset: return connection.reset()
                }
            }
        }
    }

    /// The exchange that meets the fault, and after it the next one, which must come to no harm.
    func run(
        method: HTTPMethod = .get, options: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> (receiver: RecordingReceiver, connections: Int) {
        let server = try server()
        let transport = CurlTransport()
        let receiver = try await transport.run(server, "/fault", method: method, options: options)
        try await transport.expectUnharmed(server)
        await transport.shutdown()
        return (receiver, server.connectionCount)
    }
}
