import FoundationEssentials
import Glibc
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// In a process of its own each, where nothing else opens descriptors or starts threads.
@Suite(.timeLimit(.minutes(4)))
struct LeakTests {
    /// B94: refused and timed-out connections while transports come and go.
    @Test func transportsToAClosedPortLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            let closed = try ClosedPort(), port = closed.port
            try await expectNothingLeft {
                for index in 0..<200 {
                    let transport = index % 2 == 0 ? CurlTransport() : CurlTransport(eventLoop: EventLoop())
                    let receivers = [RecordingReceiver(), RecordingReceiver()]
                    for receiver in receivers {
                        var options = TransferOptions()
                        options.route.proxy = .none
                        options.timeouts.total = .milliseconds(50)
                        let request = HTTPRequest(url: try HTTPURL("http://127.0.0.1:\(port)/"), options: options)
                        transport.start(request, receiver: receiver)
                    }
                    if index % 3 == 0 { try await receivers[0].finish() }
                    await transport.shutdown()
                    for receiver in receivers {
                        try await receiver.finish()
                        guard receiver.violations.isEmpty, receiver.code != nil else { exit(2) }
                    }
                }
            }
        }
    }

    @Test func transportsDroppedInFlightLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            try await expectNothingLeft {
                let authority = try TestCertificate.selfSigned()
                let servers = [
                    try LoopbackServer { try $0.stall() }, try LoopbackServer(tls: authority) { try $0.stall() },
                ]
                for _ in 0..<20 {
                    for server in servers {
                        var receivers: [RecordingReceiver] = []
                        do {
                            let transport = CurlTransport(eventLoop: EventLoop())
                            for _ in 0..<10 { receivers.append(try transport.begin(server).receiver) }
                        }
                        for receiver in receivers { try await receiver.finish() }
                    }
                }
                for server in servers { server.stop() }
            }
        }
    }

    @Test func faultsLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            try await expectNothingLeft {
                for fault in MalformedHeadTests.faults { _ = try await fault.run() }
            }
        }
    }
}

private func entries(_ folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
}

/// Ends the process unless descriptors and threads are as many after `work` as before, soon.
private func expectNothingLeft(_ work: () async throws -> Void) async throws {
    // Once for what the runtime and libcurl open and start for themselves.
    try await work()
    let before = (files: try entries("fd"), threads: try entries("task"))
    try await work()
    // Loops end their threads in their own time; nothing here waits for a clock.
    let clock = ContinuousClock(), limit = clock.now + .seconds(20)
    while clock.now < limit {
        // The runtime's own pools may have grown by a few.
        if try entries("fd") <= before.files, try entries("task") <= before.threads + 4 { return }
        await Task.yield()
    }
    print("descriptors \(before.files) → \(try entries("fd")), threads \(before.threads) → \(try entries("task"))")
    exit(1)
}
