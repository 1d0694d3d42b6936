import Glibc
import LupineCore
import LupineTesting
import LupineTransport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct EventLoopTests {
    @Test func runsClosuresInOrder() async throws {
        let loop = EventLoop()
        let seen = Lock<[Int]>([])
        let done = Gate()
        for index in 0..<1000 { loop.execute { seen.withLock { $0.append(index) } } }
        loop.execute { done.open() }
        try await done.opened()
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test func closuresFromTheLoopItselfComeAfterThoseThatWait() async throws {
        let loop = EventLoop()
        let seen = Lock<[String]>([])
        let done = Gate()
        loop.execute {
            loop.execute {
                seen.withLock { $0.append("inner") }
                done.open()
            }
            seen.withLock { $0.append("outer") }
        }
        try await done.opened()
        #expect(seen.withLock { $0 } == ["outer", "inner"])
    }

    @Test func knowsItsThread() async throws {
        let loop = EventLoop(), other = EventLoop()
        #expect(!loop.isCurrent)
        let answers = Lock<[Bool]>([])
        let done = Gate()
        loop.execute {
            answers.withLock { $0 += [loop.isCurrent, other.isCurrent] }
            done.open()
        }
        try await done.opened()
        #expect(answers.withLock { $0 } == [true, false])
    }

    @Test func tasksThatPreferItRunOnItsThread() async throws {
        let loop = EventLoop()
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport(eventLoop: loop)
        try await withTaskExecutorPreference(loop) {
            for _ in 0..<20 {
                #expect(loop.isCurrent)
                #expect(try await transport.run(server).text == "ok")
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        await Task.yield()
                        _ = try await transport.run(server)
                        return loop.isCurrent
                    }
                }
                for try await isCurrent in group { #expect(isCurrent) }
            }
        }
        await transport.shutdown()
    }

    /// Receivers are called on the loop, whoever started the exchange.
    @Test func receiversAreCalledOnTheLoop() async throws {
        let loop = EventLoop()
        let answers = Lock<[Bool]>([])
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport(eventLoop: loop)
        let receiver = RecordingReceiver { _ in
            answers.withLock { $0.append(loop.isCurrent) }
            return .proceed
        }
        try await transport.run(server, receiver: receiver)
        #expect(answers.withLock { $0 } == [true])
        await transport.shutdown()
    }

    @Test func manyTransportsShareOne() async throws {
        let loop = EventLoop()
        let server = try LoopbackServer(
            recordsTraffic: false, handler: LoopbackServer.serving { .text("this is \($0.path)") })
        let transports = (0..<100).map { _ in CurlTransport(eventLoop: loop) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, transport) in transports.enumerated() {
                group.addTask {
                    for round in 0..<3 { try await transport.expectUnharmed(server, "/\(index)/\(round)") }
                }
            }
            try await group.waitForAll()
        }
        // One that ends takes nothing from the others.
        for transport in transports.prefix(50) { await transport.shutdown() }
        for transport in transports.suffix(50) { try await transport.expectUnharmed(server) }
        for transport in transports.suffix(50) { await transport.shutdown() }
        try await server.waitForOpenConnections()
    }

    /// Descriptors' numbers come again and again while events for their last use are about.
    @Test func numbersOfDescriptorsAreNotMixedUp() async throws {
        let loop = EventLoop()
        let closing = try LoopbackServer(recordsTraffic: false) { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.send(.text("this is \(request.path)"), isLast: request.path.hasSuffix("1"))
            if request.path.hasSuffix("2") { connection.reset() }
        }
        let transports = (0..<8).map { _ in CurlTransport(eventLoop: loop) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, transport) in transports.enumerated() {
                group.addTask {
                    for round in 0..<60 {
                        let receiver = try await transport.run(closing, "/\(index)-\(round)")
                        #expect(receiver.code == nil || receiver.code == .connectionLost)
                        if receiver.code == nil { #expect(receiver.text == "this is /\(index)-\(round)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        for transport in transports { await transport.shutdown() }
        try await closing.waitForOpenConnections()
    }

    @Test func signalsOfBrokenPipesAreBlocked() async throws {
        let isBlocked = Lock(false)
        let done = Gate()
        let loop = EventLoop()
        loop.execute {
            var signals = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &signals)
            isBlocked.withLock { $0 = sigismember(&signals, SIGPIPE) == 1 }
            done.open()
        }
        try await done.opened()
        #expect(isBlocked.withLock { $0 })
    }
}
