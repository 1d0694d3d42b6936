import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Requests that adapters change before they are sent.
@Suite(.timeLimit(.minutes(2)))
struct AdapterTests {
    private func adding(_ text: String) -> Adapter {
        Adapter { request, _ in
            var request = request
            request.headers["X-Trail"] = (request.headers["X-Trail"] ?? "") + text
            return request
        }
    }

    @Test func theSessionsComeFirstThenTheRequestsInTheirOrder() async throws {
        let transport = StubTransport([.response(body: "done")])
        let session = stubbed(transport, TaskHandlers(adapters: [adding("a"), adding("b")]))
        let answer = try await session.data(
            for: .to(), handlers: TaskHandlers(adapters: [adding("c"), adding("d")]))
        #expect(answer.text == "done")
        #expect(transport.requests[0].request.headers["X-Trail"] == "abcd")
    }

    @Test func everyRetryIsAdaptedAnewFromTheRequestAsGiven() async throws {
        let transport = StubTransport([.response(status: 503), .response(status: 503), .response(body: "done")])
        let count = Notes<Int>()
        let counting = Adapter { request, _ in
            count.add(1)
            var request = request
            request.headers.add(name: "X-Try", value: "\(count.count)")
            return request
        }
        let session = stubbed(transport, TaskHandlers(adapters: [counting], retriers: [always]))
        #expect(try await session.data(for: .to()).text == "done")
        #expect(transport.requests.map { $0.request.headers.values(for: "X-Try") } == [["1"], ["2"], ["3"]])
    }

    @Test func aRedirectIsFollowedWithoutAsking() async throws {
        let transport = StubTransport([
            .response(status: 302, headers: ["Location": "/b"]), .response(body: "done"),
        ])
        let count = Notes<String>()
        let session = stubbed(
            transport,
            TaskHandlers(adapters: [
                Adapter { request, _ in
                    count.add(request.url.path)
                    return request
                }
            ]))
        #expect(try await session.data(for: .to("/a")).text == "done")
        #expect(count.all == ["/a"])
    }

    @Test func anAdapterThatThrowsEndsTheTaskAndAsksNoRetrier() async throws {
        struct Mine: Error {}
        let transport = StubTransport([])
        let asked = Notes<Int>()
        let handlers = TaskHandlers(
            adapters: [Adapter { _, _ in throw Mine() }],
            retriers: [
                Retrier { _, _ in
                    asked.add(1)
                    return .retry
                }
            ])
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(transport, handlers).data(for: .to())
        }
        #expect(error?.underlying is Mine)
        #expect(error?.host == "host.test")
        #expect(asked.count == 0 && transport.requests.isEmpty)
    }

    @Test func anErrorOfLupinesIsToldAsItIs() async throws {
        let handlers = TaskHandlers(adapters: [
            Adapter { _, _ in throw LupineError(.authenticationFailed, "log in first") }
        ])
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(StubTransport([]), handlers).data(for: .to())
        }
        #expect(error?.code == .authenticationFailed)
    }

    /// Cancelled while it waits: at once, and the adapter is told.
    @Test func cancelledWhileAnAdapterWaits() async throws {
        let entered = Gate(), left = Gate()
        let waiting = Adapter { request, _ in
            entered.open()
            defer { left.open() }
            try await Gate().opened()
            return request
        }
        let transport = StubTransport([])
        let session = stubbed(transport)
        let task = session.dataTask(with: try .to(), handlers: TaskHandlers(adapters: [waiting]))
        let result = Task { try await task.result() }
        try await entered.opened()
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await result.value }
        #expect(error?.code == .cancelled)
        try await left.opened()
        await session.invalidate()
        #expect(session.tasks.isEmpty && transport.requests.isEmpty)
    }

    @Test func suspendedWhileAnAdapterWaitsItIsSentOnceResumed() async throws {
        let entered = Gate(), goOn = Gate()
        let transport = StubTransport([.response(body: "done")])
        let session = stubbed(transport)
        let slow = Adapter { request, _ in
            entered.open()
            try await goOn.opened()
            return request
        }
        let task = session.dataTask(with: try .to(), handlers: TaskHandlers(adapters: [slow]))
        task.resume()
        try await entered.opened()
        task.suspend()
        goOn.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(task.state == .suspended && transport.requests.isEmpty)
        #expect(try await task.result().text == "done")
    }

    @Test func theLimitInAllCountsWhileAnAdapterWaits() async throws {
        let stuck = Adapter { request, _ in
            try await Gate().opened()
            return request
        }
        var request = try HTTPRequest.to()
        request.options.timeouts.total = .milliseconds(20)
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(StubTransport([])).data(for: request, handlers: TaskHandlers(adapters: [stuck]))
        }
        #expect(error?.code == .timedOut)
    }

    /// What is for one origin stays there when an adapter leads elsewhere, save what that gave it.
    @Test func anAdapterThatLeadsElsewhereTakesNoSecretAlong() async throws {
        let transport = StubTransport([.response(), .response()])
        let session = stubbed(transport)
        func elsewhere(_ key: String?) -> Adapter {
            Adapter { request, _ in
                var request = request
                request.url = try HTTPURL("http://other.test/")
                if let key { request.headers["Authorization"] = key }
                return request
            }
        }
        let request = try HTTPRequest.to(headers: ["Authorization": "Bearer secret", "Cookie": "a=1", "X-Plain": "1"])
        _ = try await session.data(for: request, handlers: TaskHandlers(adapters: [elsewhere(nil)]))
        _ = try await session.data(for: request, handlers: TaskHandlers(adapters: [elsewhere("Bearer other")]))
        let sent = transport.requests.map(\.request)
        #expect(sent.map { $0.headers["Authorization"] } == [nil, "Bearer other"])
        #expect(sent.allSatisfy { $0.headers["Cookie"] == nil && $0.headers["X-Plain"] == "1" })
    }

    @Test func theTaskIsKnownToTheAdapterAndHasItsFields() async throws {
        let transport = StubTransport([.response()])
        let seen = Notes<String?>()
        let session = stubbed(
            transport,
            TaskHandlers(adapters: [
                Adapter { request, task in
                    seen.add(task.taskDescription)
                    seen.add(request.headers["User-Agent"])
                    return request
                }
            ]))
        let task = session.dataTask(with: try .to())
        task.taskDescription = "mine"
        _ = try await task.result()
        #expect(seen.all == ["mine", SessionConfiguration.userAgent])
    }

    @Test func aSessionThatWasInvalidatedSendsNothing() async throws {
        let transport = StubTransport([])
        let session = stubbed(transport, TaskHandlers(adapters: [adding("a")]))
        await session.invalidate()
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
        #expect(error?.code == .cancelled)
    }

    /// While an adapter is asked, and where it fails.
    @Test func whatIsKnownOfATaskMeanwhile() async throws {
        struct Mine: Error {}
        let agents = Notes<String?>()
        let failing = Adapter { _, task in
            agents.add(task.currentRequest.headers["User-Agent"])
            throw Mine()
        }
        let task = stubbed(StubTransport([])).dataTask(with: try .to(), handlers: TaskHandlers(adapters: [failing]))
        _ = try? await task.result()
        #expect(agents.all == [SessionConfiguration.userAgent])
        #expect(task.metrics.duration > .zero && task.metrics.transactions.isEmpty)
    }
}
