import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Many tasks over one HTTP/2 connection: none is another's business.
@Suite(.timeLimit(.minutes(2)))
struct HTTP2SharingTests {
    /// Answers the first stream of the first connection with a head and a body without end, every other at once. The box counts
    /// the requests that came, by connection.
    private func server(_ peers: TLSPeers, _ seen: Lock<[Int]>) throws -> LoopbackServer {
        try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            while true {
                let stream = try script.nextRequest()
                let isFirst = seen.withLock { seen in
                    seen.append(connection.index)
                    return seen == [0]
                }
                if isFirst {
                    // `:status: 200` (RFC 7541 appendix A).
                    try script.send(.headers, flags: 4, stream: stream, [0x88])
                    try script.send(.data, stream: stream, Array("begun".utf8))
                } else {
                    try script.answer(stream, "answer")
                }
            }
        }
    }

    enum Pause: CaseIterable { case none, suspended, deciding, unread }

    /// A host that speaks HTTP/2 takes further requests over the connection whose first answer has not ended, also where there may
    /// be one connection only.
    @Test(arguments: Pause.allCases)
    func anAnswerWithoutEndHoldsNobodyUp(_ pause: Pause) async throws {
        let peers = try TLSPeers(), seen = Lock<[Int]>([])
        let server = try server(peers, seen)
        let session = peers.session { $0.transport.maximumConnectionsPerHost = 1 }
        let request = HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options)
        let decided = Gate(), asked = Gate()
        var handlers = TaskHandlers()
        handlers.response = { _, _ in
            asked.open()
            try await decided.opened()
            return .allow
        }
        let first = session.dataTask(with: request, handlers: pause == .deciding ? handlers : nil)
        let streamed: StreamedResponse?
        switch pause {
        case .unread: streamed = try await session.stream(for: request)
        case .deciding:
            streamed = nil
            first.resume()
            try await asked.opened()
        case .none, .suspended:
            streamed = nil
            first.resume()
            for await case .received in first.events { break }
            if pause == .suspended { first.suspend() }
        }
        for _ in 0..<5 {
            let reply = try await session.send(.get, server.url())
            #expect(reply.text == "answer")
            #expect(reply.metrics.isReusedConnection)
        }
        #expect(seen.withLock { $0 } == [0, 0, 0, 0, 0, 0])
        decided.open()
        withExtendedLifetime(streamed) {}
        await session.invalidate()
    }

    /// Some requests are held to HTTP/1.1, by their options or for their bodies with an old libcurl, beside the others' HTTP/2:
    /// neither kind takes the other's connections, nor waits for them, however few there may be.
    @Test(arguments: [1, 6])
    func requestsOfBothVersions(_ maximum: Int) async throws {
        let peers = try TLSPeers(), heads = Lock(0)
        let server = try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else {
                while let request = try connection.readRequest() { try connection.send(.text("\(request.method)")) }
                return
            }
            while true {
                let stream = try script.nextRequest()
                let isFirst = heads.withLock { heads in
                    heads += 1
                    return heads == 1
                }
                // The first answer does not end.
                if isFirst {
                    try script.send(.headers, flags: 4, stream: stream, [0x88])
                    try script.send(.data, stream: stream, Array("begun".utf8))
                } else {
                    try script.answer(stream, "answer")
                }
            }
        }
        let session = peers.session { $0.transport.maximumConnectionsPerHost = maximum }
        let endless = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options))
        endless.resume()
        // It may come before the host is known to speak HTTP/2, and waits where there may be one connection only.
        if maximum == 1 { #expect(try await session.send(.post, server.url(), body: .text("x")).status == 200) }
        for await case .received in endless.events { break }
        for _ in 0..<5 {
            let posted = try await session.send(.post, server.url(), body: .text("x"))
            #expect(posted.text == (posted.metrics.httpVersion == .http2 ? "answer" : "POST"))
            #expect(try await session.send(.get, server.url()).metrics.httpVersion == .http2)
            let old = try await session.send(.get, server.url()) { $0.maximumHTTPVersion = .http1_1 }
            #expect(old.text == "GET" && old.metrics.httpVersion == .http1_1)
            #expect(try await session.send(.get, server.url()).metrics.httpVersion == .http2)
        }
        #expect(server.connectionCount == 2)
        endless.cancel()
        await session.invalidate()
    }

    /// A handler may ask the host that it decides on, over the one connection there may be.
    @Test func aHandlerAsksTheSameHost() async throws {
        let peers = try TLSPeers()
        let server = try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            while true { try script.answer(try script.nextRequest(), "answer") }
        }
        let session = peers.session { $0.transport.maximumConnectionsPerHost = 1 }
        let url = server.url()
        var handlers = TaskHandlers()
        handlers.response = { _, _ in
            try await session.send(.get, url).text == "answer" ? .allow : .cancel
        }
        let request = HTTPRequest(url: try HTTPURL(url), options: session.configuration.options)
        #expect(try await session.dataTask(with: request, handlers: handlers).result().text == "answer")
        #expect(server.connectionCount == 1)
        await session.invalidate()
    }

    /// A connection that takes no more (GOAWAY, RFC 9113 section 6.8) still ends what it has begun, also what is suspended.
    @Test(arguments: [true, false])
    func aConnectionThatTakesNoMore(_ suspends: Bool) async throws {
        let peers = try TLSPeers(), goesOn = Gate(), seen = Lock<[Int]>([])
        let server = try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            while true {
                let stream = try script.nextRequest()
                let count = seen.withLock { seen in
                    seen.append(connection.index)
                    return seen.count
                }
                switch count {
                case 1:
                    try script.send(.headers, flags: 4, stream: stream, [0x88])
                    try script.send(.data, stream: stream, Array("begun, ".utf8))
                case 2:
                    try script.goAway(last: stream - 2)
                    try connection.wait(goesOn)
                    try script.send(.data, flags: 1, stream: stream - 2, Array("ended".utf8))
                    return try connection.stall()
                default: try script.answer(stream, "answer")
                }
            }
        }
        let session = peers.session()
        let request = HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options)
        let first = session.dataTask(with: request)
        first.resume()
        for await case .received in first.events { break }
        if suspends { first.suspend() }
        for _ in 0..<2 { #expect(try await session.send(.get, server.url()).text == "answer") }
        #expect(seen.withLock { $0 } == [0, 0, 1, 1])
        goesOn.open()
        #expect(try await first.result().text == "begun, ended")
        await session.invalidate()
    }

    /// What came for a task that was cancelled while it was suspended is gone, and reaches no other task.
    @Test func whatWasCancelledWhileSuspendedReachesNoOther() async throws {
        let peers = try TLSPeers(), count = Lock(0)
        let server = try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            var streams: [UInt32] = []
            while true {
                streams.append(try script.nextRequest())
                let stream = streams[streams.count - 1]
                switch streams.count {
                case 1, 2:
                    // Begun, and without end: the first keeps the connection in use.
                    try script.send(.headers, flags: 4, stream: stream, [0x88])
                    try script.send(.data, stream: stream, Array("begun".utf8))
                case 3:
                    try script.send(.data, stream: streams[1], Array("another's".utf8))
                    try script.answer(stream, "answer")
                case 4: count.withLock { $0 = 4 }
                case 5:
                    try script.send(.headers, flags: 4, stream: streams[3], [0x88])
                    try script.send(.data, stream: streams[3], Array("its ".utf8))
                    try script.answer(stream, "answer")
                default:
                    try script.send(.data, flags: 1, stream: streams[3], Array("own".utf8))
                    try script.answer(stream, "answer")
                }
            }
        }
        let session = peers.session()
        let request = HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options)
        let first = session.dataTask(with: request), second = session.dataTask(with: request)
        for task in [first, second] {
            task.resume()
            for await case .received in task.events { break }
        }
        second.suspend()
        // Its answer comes after what is for the suspended one.
        #expect(try await session.send(.get, server.url()).text == "answer")
        second.cancel()
        await #expect(throws: LupineError.self) { try await second.result() }
        // Takes over what the cancelled one ran on.
        let third = session.dataTask(with: request)
        third.resume()
        third.suspend()
        await until { count.withLock({ $0 }) >= 4 }
        for _ in 0..<2 { #expect(try await session.send(.get, server.url()).text == "answer") }
        #expect(try await third.result().text == "its own")
        await session.invalidate()
    }
}
