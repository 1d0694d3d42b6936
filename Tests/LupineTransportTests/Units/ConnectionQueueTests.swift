import Testing

@Suite struct ConnectionQueueTests {
    @Test func aHostGetsItsLimitAndNoMore() {
        let queue = Queue(perHost: 2)
        #expect(queue.enter(1, host: "a", priority: 0.5))
        #expect(queue.enter(2, host: "a", priority: 0.5))
        #expect(!queue.enter(3, host: "a", priority: 0.5))
        #expect(queue.enter(4, host: "b", priority: 0.5), "another host has its own limit")
        #expect(queue.next() == nil)
        queue.leave(host: "a", isMultiplexed: false)
        #expect(queue.drain() == [3])
        #expect(queue.activeCount == 3)
    }

    @Test func theTotalHoldsForAllHostsTogether() {
        let queue = Queue(perHost: 6, total: 2)
        #expect(queue.enter(1, host: "a", priority: 0.5))
        #expect(queue.enter(2, host: "b", priority: 0.5))
        #expect(!queue.enter(3, host: "c", priority: 0.5))
        #expect(queue.next() == nil)
        queue.leave(host: "b", isMultiplexed: nil)
        #expect(queue.drain() == [3])
    }

    @Test func higherPriorityGoesFirstThenWhoCameFirst() {
        let queue = Queue(perHost: 1)
        #expect(queue.enter(0, host: "a", priority: 0.5))
        for (id, priority) in [(1, Float(0.5)), (2, 0.1), (3, 0.9), (4, 0.5), (5, 0.9)] {
            #expect(!queue.enter(id, host: "a", priority: priority))
        }
        var order: [Int] = []
        for _ in 0..<5 {
            queue.leave(host: "a", isMultiplexed: false)
            order += queue.drain()
        }
        #expect(order == [3, 5, 1, 4, 2])
    }

    @Test func hostsTakeTurnsSoThatNoneWaitsForAnothersCrowd() {
        let queue = Queue(perHost: 6, total: 1)
        #expect(queue.enter(0, host: "x", priority: 0.5))
        for id in 1...4 { #expect(!queue.enter(id, host: "a", priority: 0.5)) }
        #expect(!queue.enter(5, host: "b", priority: 0.5))
        #expect(!queue.enter(6, host: "b", priority: 0.5))
        var hosts = ["x"], order: [Int] = []
        for _ in 0..<6 {
            queue.leave(host: hosts.removeLast(), isMultiplexed: false)
            guard let id = queue.next() else { break }
            order.append(id)
            hosts.append(id <= 4 ? "a" : "b")
        }
        // Whichever host begins, the two alternate while both wait, each in its own order.
        #expect(order.filter { $0 <= 4 } == [1, 2, 3, 4])
        #expect(order.filter { $0 > 4 } == [5, 6])
        #expect(order.firstIndex(of: 5).map { $0 <= 1 } == true)
        #expect(order.firstIndex(of: 6).map { $0 <= 3 } == true)
    }

    @Test func newcomersDoNotOvertakeThoseWhoWait() {
        let queue = Queue(perHost: 1)
        #expect(queue.enter(1, host: "a", priority: 0.5))
        #expect(!queue.enter(2, host: "a", priority: 0.5))
        queue.leave(host: "a", isMultiplexed: false)
        #expect(!queue.enter(3, host: "a", priority: 0.5), "2 waits for the free place")
        #expect(queue.drain() == [2])
    }

    @Test func aMultiplexedHostCountsStreams() {
        let queue = Queue(perHost: 2)
        #expect(queue.enter(1, host: "a", priority: 0.5))
        #expect(queue.enter(2, host: "a", priority: 0.5))
        for id in 3...250 { #expect(!queue.enter(id, host: "a", priority: 0.5)) }
        queue.leave(host: "a", isMultiplexed: true)
        #expect(queue.drain() == Array(3...201), "2 connections of 100 streams, one stream taken")
        queue.leave(host: "a", isMultiplexed: nil)
        #expect(queue.drain() == [202], "a failure says nothing of the host")
        queue.leave(host: "a", isMultiplexed: false)
        #expect(queue.drain() == [], "it speaks HTTP/1.1 after all")
    }

    /// An answer that has begun may go on for ever: nobody waits for its end to learn how it came.
    @Test func multiplexingIsLearnedBeforeAnEnd() {
        let queue = Queue(perHost: 1)
        #expect(queue.enter(1, host: "a", priority: 0.5))
        #expect(!queue.enter(2, host: "a", priority: 0.5))
        queue.learnMultiplexing(of: "a")
        #expect(queue.drain() == [2])
        #expect(queue.enter(3, host: "a", priority: 0.5))
        queue.learnMultiplexing(of: "b")
        #expect(queue.enter(4, host: "b", priority: 0.5))
        #expect(!queue.enter(5, host: "b", priority: 0.5), "of a host that nobody asked nothing was learned")
    }

    @Test func whoGivesUpLeavesNoTrace() {
        let queue = Queue(perHost: 1)
        #expect(queue.enter(1, host: "a", priority: 0.5))
        #expect(!queue.enter(2, host: "a", priority: 0.5))
        #expect(!queue.enter(3, host: "a", priority: 0.5))
        queue.giveUp(2, host: "a")
        queue.giveUp(2, host: "a")
        queue.giveUp(9, host: "nowhere")
        #expect(queue.waitingCount == 1)
        queue.leave(host: "a", isMultiplexed: false)
        #expect(queue.drain() == [3])
        queue.leave(host: "a", isMultiplexed: false)
        #expect(queue.activeCount == 0)
        #expect(!queue.hasWaiting)
    }
}
