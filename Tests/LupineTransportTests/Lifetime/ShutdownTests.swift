import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// However a transport ends, each of its exchanges ends exactly once.
@Suite(.timeLimit(.minutes(2)))
struct ShutdownTests {
    /// Fifty exchanges at every stage: waiting, unanswered, within the body.
    private func begin(_ transport: CurlTransport, _ server: LoopbackServer) async throws -> [RecordingReceiver] {
        let receivers = try (0..<50).map { index in
            try transport.begin(
                server, index % 2 == 0 ? "/silent" : "/endless", receiver: RecordingReceiver(keepsBody: false)
            ).receiver
        }
        try await server.waitForConnections(6)
        return receivers
    }

    private func server() throws -> LoopbackServer {
        try LoopbackServer(recordsTraffic: false) { connection in
            guard let request = try connection.readRequest() else { return }
            guard request.path == "/endless" else { return try connection.stall() }
            try connection.sendHead(headers: ["Content-Length": "1000000000000"])
            while true { try connection.send([UInt8](repeating: 1, count: 10_000)) }
        }
    }

    private func expectCancelled(_ receivers: [RecordingReceiver]) async throws {
        for receiver in receivers {
            try await receiver.finish()
            #expect(receiver.code == .cancelled)
            #expect(receiver.violations.isEmpty)
        }
    }

    @Test func shutdownEndsAll() async throws {
        let server = try server()
        let transport = CurlTransport.alone()
        let receivers = try await begin(transport, server)
        await transport.shutdown()
        for receiver in receivers { #expect(receiver.completion != nil, "shutdown returns when all have ended") }
        try await expectCancelled(receivers)
        try await server.waitForOpenConnections()
        await transport.shutdown()
    }

    @Test func theLastReferenceEndsAll() async throws {
        let server = try server()
        var transport: CurlTransport? = CurlTransport.alone()
        let receivers = try await begin(transport ?? CurlTransport.alone(), server)
        transport = nil
        try await expectCancelled(receivers)
        try await server.waitForOpenConnections()
    }

    /// The transport's end is told to the loop just before the loop's own.
    @Test func theLastReferenceToTransportAndLoopEndsAll() async throws {
        let server = try server()
        for _ in 0..<20 {
            var receivers: [RecordingReceiver] = []
            do {
                let transport = CurlTransport(eventLoop: EventLoop())
                receivers = try (0..<50).map { _ in try transport.begin(server).receiver }
            }
            try await expectCancelled(receivers)
        }
        try await server.waitForOpenConnections()
    }

    @Test func afterwardsAllIsCancelledAtOnce() async throws {
        let server = try server()
        let transport = CurlTransport.alone()
        await transport.shutdown()
        for _ in 0..<3 {
            let receiver = try await transport.run(server)
            #expect(receiver.code == .cancelled)
            #expect(receiver.completion?.delivery == .unsent)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func startsAndShutdownsAtOnce() async throws {
        let server = try LoopbackServer(recordsTraffic: false, handler: LoopbackServer.serving { _ in .text("ok") })
        for _ in 0..<20 {
            let transport = CurlTransport.alone()
            let receivers = (0..<20).map { _ in RecordingReceiver() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for receiver in receivers { group.addTask { try transport.begin(server, receiver: receiver) } }
                group.addTask { await transport.shutdown() }
                group.addTask { await transport.shutdown() }
                try await group.waitForAll()
            }
            for receiver in receivers {
                try await receiver.finish()
                #expect(receiver.code == nil || receiver.code == .cancelled)
                #expect(receiver.violations.isEmpty)
            }
        }
        try await server.waitForOpenConnections()
    }

    /// A control outlives everything, and then does nothing, above all not to a descriptor that is another's by now.
    @Test func controlsOutliveTheirLoop() async throws {
        let server = try server()
        var controls: [any ExchangeControl] = []
        for _ in 0..<10 {
            let transport = CurlTransport(eventLoop: EventLoop())
            let (receiver, control) = try transport.begin(server)
            await transport.shutdown()
            try await receiver.finish()
            controls.append(control)
        }
        let fresh = CurlTransport(eventLoop: EventLoop())
        for control in controls {
            control.cancel()
            control.pause()
            control.resume()
        }
        let answering = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        #expect(try await fresh.run(answering).text == "ok")
        await fresh.shutdown()
    }

    /// A receiver that starts the next exchange as the last ends.
    @Test func aReceiverMayStartAnotherAsItEnds() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport.alone()
        let chain = Chain(transport, HTTPRequest(url: try HTTPURL(server.url())), count: 20)
        chain.start()
        try await chain.done.opened()
        #expect(server.requestCount == 20)
        #expect(server.connectionCount == 1)
        await transport.shutdown()
    }
}

/// Starts its request again each time it ends.
private final class Chain: ExchangeReceiver {
    let done = Gate()
    private let transport: CurlTransport
    private let request: HTTPRequest
    private let left: Lock<Int>

    init(_ transport: CurlTransport, _ request: HTTPRequest, count: Int) {
        self.transport = transport
        self.request = request
        left = Lock(count)
    }

    func start() { transport.start(request, receiver: self) }

    func didReceive(head response: HTTPResponse) {}
    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow { .proceed }

    func didFinish(_ completion: ExchangeCompletion) {
        let isDone = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isDone { done.open() } else { start() }
    }
}
