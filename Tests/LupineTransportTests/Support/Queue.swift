@testable import LupineTransport

/// A class around a ``ConnectionQueue``, since `#expect` takes no mutating call.
final class Queue {
    private var queue: ConnectionQueue<Int>

    init(perHost: Int, total: Int? = nil, requestsPerHost: Int? = nil, requests: Int? = nil) {
        queue = ConnectionQueue(
            limits: .init(perHost: perHost, total: total, requestsPerHost: requestsPerHost, requests: requests))
    }

    func enter(_ id: Int, host: String, apart: Bool = false, priority: Float = 0.5, ignoring: Bool = false) -> Bool {
        queue.enter(
            id, at: QueuePlace(host: host, isApart: apart), priority: priority, ignoresRequestLimits: ignoring)
    }
    func next() -> Int? { queue.next() }
    func learnMultiplexing(of host: String) { queue.learnMultiplexing(of: host) }
    func leave(host: String, apart: Bool = false, isMultiplexed: Bool? = nil) {
        queue.leave(QueuePlace(host: host, isApart: apart), isMultiplexed: isMultiplexed)
    }
    func giveUp(_ id: Int, host: String, apart: Bool = false) {
        queue.giveUp(id, at: QueuePlace(host: host, isApart: apart))
    }
    var activeCount: Int { queue.activeCount }
    var waitingCount: Int { queue.waitingCount }
    var hasWaiting: Bool { queue.hasWaiting }

    /// Everyone that may start now, in order.
    func drain() -> [Int] {
        var started: [Int] = []
        while let id = next() { started.append(id) }
        return started
    }
}
