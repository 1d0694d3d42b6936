/// What a server's connections did, in one place that tests can wait on.
struct TrafficLog: Sendable {
    struct State: Sendable {
        var accepted = 0
        var open = 0
        var requestCount = 0
        var requests: [RecordedRequest] = []
        /// By connection.
        var received: [[UInt8]] = []
        var receivedCounts: [Int] = []
        var failures: [LoopbackServer.Failure] = []
        var handshakeFailures: [LoopbackServer.Failure] = []
    }

    let state = Watched(State())
    /// Whether requests and bytes are kept, or only counted.
    let keeps: Bool

    /// Counts a connection. Its number is the answer.
    func accepted() -> Int {
        state.update { state in
            state.accepted += 1
            state.open += 1
            state.received.append([])
            state.receivedCounts.append(0)
            return state.accepted - 1
        }
    }

    func closed() { state.update { $0.open -= 1 } }

    func received(_ bytes: [UInt8], on connection: Int) {
        state.update { state in
            state.receivedCounts[connection] += bytes.count
            if keeps { state.received[connection] += bytes }
        }
    }

    func record(_ request: RecordedRequest) {
        state.update { state in
            state.requestCount += 1
            if keeps { state.requests.append(request) }
        }
    }

    /// Puts a request that has become whole in the place of its head.
    func complete(_ request: RecordedRequest) {
        state.update { state in
            let index = state.requests.lastIndex { $0.connection == request.connection && !$0.isComplete }
            if let index { state.requests[index] = request }
        }
    }

    func failed(_ error: any Error, on connection: Int?) {
        state.update { $0.failures.append(.init(connection: connection, error: error)) }
    }

    func failedHandshake(_ error: any Error, on connection: Int) {
        state.update { $0.handshakeFailures.append(.init(connection: connection, error: error)) }
    }
}
