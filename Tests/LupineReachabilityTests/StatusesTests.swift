import Dispatch
import LupineLock
import LupineTesting
import Testing

@testable import LupineReachability

/// The asynchronous sequence.
@Suite(.timeLimit(.minutes(1)))
struct StatusesTests {
    private let news = ScriptedNews(.ordinary)

    @Test func theStatusAtOnceThenEachChange() async {
        let manager = NetworkReachabilityManager(news: news)
        var statuses = manager.statuses.makeAsyncIterator()
        #expect(manager.isMonitoring)
        #expect(await statuses.next() == .reachable(.ethernet))
        news.say(.loopback)
        #expect(await statuses.next() == .notReachable)
        news.say(.ordinary)
        #expect(await statuses.next() == .reachable(.ethernet))
    }

    @Test func whoReadsSlowlyIsToldWhatIsNow() async throws {
        let manager = NetworkReachabilityManager(news: news)
        var statuses = manager.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .reachable(.ethernet))
        for _ in 0..<10 {
            news.say(.loopback)
            news.say(.ordinary)
        }
        news.say(.loopback)
        try await manager.delivered()
        #expect(await statuses.next() == .notReachable)
        news.say(.ordinary)
        news.say(.loopback)
        try await manager.delivered()
        news.say(.ordinary)
        #expect(await statuses.next() == .reachable(.ethernet), "never the same twice")
    }

    @Test func theEndOfTheReadingIsTheEndOfTheWatching() async throws {
        let manager = NetworkReachabilityManager(news: news)
        for await _ in manager.statuses { break }
        try await news.unobserved()
        #expect(!manager.isMonitoring)
        // But not for a closure that still wants to know.
        let heard = manager.heard()
        for await _ in manager.statuses { break }
        news.say(.loopback)
        try await heard.count(2)
        #expect(heard.all == [.reachable(.ethernet), .notReachable], "and it is not told twice")
        manager.stopMonitoring()
    }

    @Test func stoppingEndsTheSequence() async {
        let manager = NetworkReachabilityManager(news: news)
        var one = manager.statuses.makeAsyncIterator(), other = manager.statuses.makeAsyncIterator()
        #expect(await one.next() != nil)
        manager.stopMonitoring()
        #expect(await one.next() == nil)
        _ = await other.next()
        #expect(await other.next() == nil)
        #expect(news.observers == 0)
    }

    @Test func cancellingEndsTheSequence() async throws {
        let manager = NetworkReachabilityManager(news: news), gate = Gate()
        let task = Task {
            for await _ in manager.statuses { gate.open() }
            return true
        }
        try await gate.opened()
        task.cancel()
        #expect(await task.value)
        try await news.unobserved()
    }

    @Test func severalReaders() async {
        let manager = NetworkReachabilityManager(news: news)
        let heard = manager.heard()
        var one = manager.statuses.makeAsyncIterator(), other = manager.statuses.makeAsyncIterator()
        #expect(await one.next() == .reachable(.ethernet))
        #expect(await other.next() == .reachable(.ethernet))
        news.say(.loopback)
        #expect(await one.next() == .notReachable)
        #expect(await other.next() == .notReachable)
        #expect(heard.settled == [.reachable(.ethernet), .notReachable])
        #expect(news.observers == 1)
    }
}

extension NetworkReachabilityManager {
    /// Returns when what was on its way to readers has come there: what a new reader is told has gone the same way.
    fileprivate func delivered() async throws {
        var iterator = statuses.makeAsyncIterator()
        _ = await iterator.next()
    }
}

extension ScriptedNews {
    /// Waits until nobody listens: the end of a stream is told beside its reader.
    fileprivate func unobserved() async throws {
        await until { observers == 0 }
    }
}
