import Testing

/// What the limits of requests in flight add to the queue for connections.
@Suite struct RequestLimitQueueTests {
    @Test func aHostHasNoMoreInFlightThanItsLimit() {
        let queue = Queue(perHost: 6, requestsPerHost: 2)
        #expect(queue.enter(1, host: "a"))
        #expect(queue.enter(2, host: "a"))
        #expect(!queue.enter(3, host: "a"))
        #expect(queue.enter(4, host: "b"), "another host has its own limit")
        #expect(queue.drain() == [])
        queue.leave(host: "a")
        #expect(queue.drain() == [3])
    }

    @Test func allHostsTogetherHaveNoMoreThanTheTotal() {
        let queue = Queue(perHost: 6, requests: 2)
        #expect(queue.enter(1, host: "a"))
        #expect(queue.enter(2, host: "b"))
        #expect(!queue.enter(3, host: "c"))
        #expect(queue.drain() == [])
        queue.leave(host: "b")
        #expect(queue.drain() == [3])
    }

    @Test func whoeverLimitsLessTheConnectionsHold() {
        let queue = Queue(perHost: 1, total: 2, requestsPerHost: 5, requests: 9)
        #expect(queue.enter(1, host: "a"))
        #expect(!queue.enter(2, host: "a"))
        #expect(queue.enter(3, host: "b"))
        #expect(!queue.enter(4, host: "c"))
        #expect(!queue.enter(5, host: "a", ignoring: true), "it needs a connection as any other")
        queue.leave(host: "a")
        #expect(queue.drain().count == 1)
    }

    @Test func streamsCountAsRequests() {
        let queue = Queue(perHost: 1, requestsPerHost: 3)
        #expect(queue.enter(1, host: "a"))
        for id in 2...9 { #expect(!queue.enter(id, host: "a")) }
        queue.learnMultiplexing(of: "a")
        #expect(queue.drain() == [2, 3])
        queue.leave(host: "a", isMultiplexed: true)
        #expect(queue.drain() == [4])
    }

    /// A host over HTTP/2, and the requests to it that are held to HTTP/1.1.
    @Test func bothKindsOfAHostsRequestsCountTogether() {
        let queue = Queue(perHost: 2, requestsPerHost: 3)
        #expect(queue.enter(1, host: "a"))
        queue.learnMultiplexing(of: "a")
        #expect(queue.enter(2, host: "a", apart: true))
        #expect(queue.enter(3, host: "a", apart: true))
        #expect(!queue.enter(4, host: "a"))
        #expect(!queue.enter(5, host: "a", apart: true))
        queue.leave(host: "a", isMultiplexed: true)
        #expect(queue.drain() == [4], "5 has no connection")
        queue.leave(host: "a", apart: true)
        #expect(queue.drain() == [5])
        #expect(queue.activeCount == 3)
    }

    /// Both kinds take turns, and neither's crowd is another host's.
    @Test func bothKindsTakeTurns() {
        let queue = Queue(perHost: 6, requestsPerHost: 1)
        #expect(queue.enter(0, host: "a"))
        for id in [1, 3, 5] {
            #expect(!queue.enter(id, host: "a"))
            #expect(!queue.enter(id + 1, host: "a", apart: true))
        }
        var order: [Int] = [], isApart = false
        for _ in 0..<6 {
            queue.leave(host: "a", apart: isApart)
            guard let id = queue.next() else { break }
            isApart = id.isMultiple(of: 2)
            order.append(id)
        }
        #expect(order == [1, 2, 3, 4, 5, 6])
    }

    @Test func higherPriorityGoesFirstThenWhoCameFirst() {
        let queue = Queue(perHost: 6, requestsPerHost: 1)
        #expect(queue.enter(0, host: "a"))
        for (id, priority) in [(1, Float(0.5)), (2, 0.1), (3, 0.9), (4, 0.5)] {
            #expect(!queue.enter(id, host: "a", priority: priority))
        }
        #expect(!queue.enter(5, host: "a", apart: true, priority: 0.7))
        var order: [Int] = []
        for _ in 0..<5 {
            queue.leave(host: "a", apart: order.last == 5)
            order += queue.drain()
        }
        #expect(order == [3, 5, 1, 4, 2])
    }

    @Test func hostsTakeTurnsUnderTheTotal() {
        let queue = Queue(perHost: 6, requests: 1)
        #expect(queue.enter(0, host: "x"))
        for id in 1...4 { #expect(!queue.enter(id, host: "a")) }
        for id in 5...6 { #expect(!queue.enter(id, host: "b")) }
        var host = "x", hosts = ""
        for _ in 0..<6 {
            queue.leave(host: host)
            guard let id = queue.next() else { break }
            host = id <= 4 ? "a" : "b"
            hosts += host
        }
        #expect(hosts == "ababaa" || hosts == "babaaa")
    }

    @Test func newcomersDoNotOvertakeThoseWhoWait() {
        let queue = Queue(perHost: 6, requestsPerHost: 1)
        #expect(queue.enter(1, host: "a"))
        #expect(!queue.enter(2, host: "a"))
        queue.leave(host: "a")
        #expect(!queue.enter(3, host: "a"), "2 waits for the free place")
        #expect(queue.drain() == [2])
    }

    @Test func someStartAtOnceAndCount() {
        let queue = Queue(perHost: 6, requestsPerHost: 2, requests: 2)
        #expect(queue.enter(1, host: "a"))
        #expect(queue.enter(2, host: "a"))
        #expect(!queue.enter(3, host: "a", priority: 1))
        #expect(queue.enter(4, host: "a", priority: 0, ignoring: true), "past 3, which may not start")
        #expect(queue.enter(5, host: "b", ignoring: true))
        #expect(queue.activeCount == 4)
        queue.leave(host: "a")
        queue.leave(host: "a")
        #expect(queue.drain() == [], "those that ignored the limits are in flight too")
        queue.leave(host: "b")
        #expect(queue.drain() == [3])
    }

    /// One that ignores limits of requests may have to wait for a connection; then it is one of those who wait.
    @Test func whoIgnoresLimitsWaitsForAConnectionInItsTurn() {
        let queue = Queue(perHost: 2, requestsPerHost: 1)
        #expect(queue.enter(1, host: "a"))
        #expect(queue.enter(2, host: "a", ignoring: true))
        #expect(!queue.enter(3, host: "a", priority: 0.9))
        #expect(!queue.enter(4, host: "a", ignoring: true))
        #expect(!queue.enter(5, host: "a", ignoring: true))
        queue.leave(host: "a")
        #expect(!queue.enter(6, host: "a", ignoring: true), "4 waits for the free connection")
        #expect(queue.drain() == [4])
        queue.leave(host: "a")
        queue.leave(host: "a")
        #expect(queue.drain() == [3, 5], "by priority, once both may")
        queue.giveUp(6, host: "a")
        queue.leave(host: "a")
        queue.leave(host: "a")
        #expect(queue.drain() == [])
        #expect(!queue.hasWaiting && queue.activeCount == 0)
    }

    @Test func whoGivesUpLeavesNoTrace() {
        let queue = Queue(perHost: 6, requestsPerHost: 1)
        #expect(queue.enter(1, host: "a"))
        #expect(!queue.enter(2, host: "a"))
        #expect(!queue.enter(3, host: "a", apart: true))
        queue.giveUp(2, host: "a")
        queue.giveUp(2, host: "a")
        #expect(queue.waitingCount == 1 && queue.hasWaiting)
        queue.leave(host: "a")
        #expect(queue.drain() == [3])
        #expect(!queue.hasWaiting)
    }
}
