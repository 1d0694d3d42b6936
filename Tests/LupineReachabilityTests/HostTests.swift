import Dispatch
import LupineLock
import LupineTesting
import Testing

@testable import LupineReachability

/// Names: looked up beside everything else.
@Suite(.timeLimit(.minutes(1)))
struct HostTests {
    private let news = ScriptedNews(.ordinary)

    @Test func aNameThatNobodyKnowsIsNotReachable() async throws {
        let heard = Heard(), manager = NetworkReachabilityManager(.host("nobody.test"), news: news)
        manager.startMonitoring(queue: heard.queue) { heard.note($0) }
        try await heard.count(1)
        #expect(heard.all == [.notReachable])
    }

    @Test func theNameIsLookedUpAgainOnChange() async throws {
        let asked = Lock(0), lookedUpTwice = Gate()
        let manager = NetworkReachabilityManager(.host("a.test"), news: news) { _ in
            let count = asked.withLock {
                $0 += 1; return $0
            }
            if count == 2 { lookedUpTwice.open() }
            return .found([count == 1 ? "8.8.8.8" : "2001:db8::1"])
        }
        let heard = manager.heard()
        try await heard.count(1)
        news.say(NetworkState.ordinary.with([.up(7, "eth7")]))
        try await lookedUpTwice.opened()
        try await heard.count(2)
        #expect(heard.all == [.reachable(.ethernet), .notReachable])
    }

    /// A resolver that answers nobody: starting and stopping do not wait for it, nor do other managers.
    @Test func aMuteResolverHoldsUpNobody() async throws {
        let mute = DispatchSemaphore(value: 0), asked = Gate(), answered = Gate(), lookups = Lock(0)
        let manager = NetworkReachabilityManager(.host("mute.test"), news: news) { _ in
            lookups.withLock { $0 += 1 }
            asked.open()
            mute.wait()
            answered.open()
            return .found(["8.8.8.8"])
        }
        let heard = manager.heard()
        try await asked.opened()
        for _ in 0..<20 {
            manager.stopMonitoring()
            manager.startMonitoring(queue: heard.queue) { heard.note($0) }
            news.say(NetworkState.ordinary.with([.up(7)]))
            news.say(.ordinary)
        }
        let other = NetworkReachabilityManager(news: news)
        try await other.heard().count(1)
        #expect(lookups.withLock { $0 } == 1, "one at a time")
        #expect(manager.status == .unknown)
        mute.signal()
        mute.signal()
        try await answered.opened()
        try await heard.count(1)
        #expect(heard.settled == [.reachable(.ethernet)])
    }

    @Test func aManagerMayGoWhileItsNameIsLookedUp() async throws {
        let mute = DispatchSemaphore(value: 0), asked = Gate()
        var manager: NetworkReachabilityManager? = NetworkReachabilityManager(.host("mute.test"), news: news) { _ in
            asked.open()
            mute.wait()
            return .unknownName
        }
        let heard = try #require(manager).heard()
        try await asked.opened()
        manager = nil
        #expect(news.observers == 0)
        mute.signal()
        #expect(heard.settled == [])
    }

    @Test func retriesGoThroughTheClock() async throws {
        let waiting = Lock<[(Int, @Sendable () -> Void)]>([]),
            answers = Lock<[HostLookup]>([.failedForNow, .found(["8.8.8.8"])])
        let manager = NetworkReachabilityManager(
            .host("late.test"),
            environment: .init(
                news: news, resolve: { _ in answers.withLock { $0.removeFirst() } },
                after: { seconds, work in waiting.withLock { $0.append((seconds, work)) } }))
        let heard = manager.heard()
        try await heard.count(1)
        let (seconds, work) = try #require(waiting.withLock { $0.first })
        #expect(seconds == 1)
        work()
        try await heard.count(2)
        #expect(heard.all == [.notReachable, .reachable(.ethernet)])
    }

    @Test func namesThatCannotBeAsked() {
        #expect(HostLookup.of("") == .unknownName)
        #expect(HostLookup.of("a\u{0}b") == .unknownName)
        #expect(HostLookup.of(String(repeating: "a", count: 70) + ".test") != .found([]))
        #expect(HostLookup.of("127.0.0.1") == .found(["127.0.0.1"]))
        #expect(HostLookup.of("::1") == .found(["::1"]))
    }
}
