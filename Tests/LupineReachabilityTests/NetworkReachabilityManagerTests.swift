import Dispatch
import LupineLock
import LupineTesting
import Testing

@testable import LupineReachability

/// AFNetworking's reachability tests by their names, and what is promised beyond them.
@Suite(.timeLimit(.minutes(1)))
struct NetworkReachabilityManagerTests {
    typealias Status = NetworkReachabilityStatus
    private let news = ScriptedNews(.ordinary)

    @Test func addressReachabilityStartsInUnknownState() {
        #expect(NetworkReachabilityManager().status == .unknown)
        #expect(NetworkReachabilityManager(address: "192.0.2.1").status == .unknown)
        #expect(!NetworkReachabilityManager.shared.isReachable)
    }

    @Test func domainReachabilityStartsInUnknownState() {
        let manager = NetworkReachabilityManager(host: "localhost")
        #expect(manager.status == .unknown && !manager.isReachable && !manager.isMonitoring)
    }

    @Test func addressReachabilityBlock() async throws {
        let manager = NetworkReachabilityManager(news: news)
        let heard = manager.heard()
        try await heard.count(1)
        #expect(heard.all == [.reachable(.ethernet)] && manager.isReachableOnEthernetOrWiFi)
        #expect(!manager.isReachableOnCellular && manager.isMonitoring)
    }

    /// The system's own resolver and the kernel of this machine; a loopback needs no network.
    @Test func domainReachabilityBlock() async throws {
        let manager = NetworkReachabilityManager(host: "localhost")
        let heard = manager.heard()
        try await heard.count(1)
        // Not reachable where the loopback is off.
        #expect(heard.all == [.reachable(.ethernet)] || heard.all == [.notReachable])
        manager.stopMonitoring()
    }

    @Test(arguments: [
        ("0.0.0.0", true, Status.reachable(.ethernet)), ("::", true, .reachable(.ethernet)),
        ("127.0.0.1", false, .reachable(.ethernet)), ("2001:db8::1", true, .notReachable),
    ])
    func targets(address: String, needsNetwork: Bool, expected: Status) async throws {
        let parsed = try #require(IPAddress(address))
        let manager = NetworkReachabilityManager(parsed.isZero ? .defaultRoute : .address(parsed), news: news)
        let heard = manager.heard()
        try await heard.count(1)
        news.say(.loopback)
        news.say(.ordinary)
        let isChanged = needsNetwork && expected.isReachable
        #expect(heard.settled == (isChanged ? [expected, .notReachable, expected] : [expected]))
    }

    @Test func startingTwiceBeginsAnew() async throws {
        let manager = NetworkReachabilityManager(news: news)
        let first = manager.heard()
        try await first.count(1)
        let second = manager.heard()
        try await second.count(1)
        news.say(.loopback)
        try await second.count(2)
        #expect(second.all == [.reachable(.ethernet), .notReachable])
        #expect(first.settled == [.reachable(.ethernet)], "its closure has been replaced")
        #expect(news.observers == 1)
    }

    @Test func theStatusKeepsItsLastValueAfterTheStop() async throws {
        let manager = NetworkReachabilityManager(news: news)
        let heard = manager.heard()
        try await heard.count(1)
        manager.stopMonitoring()
        manager.stopMonitoring()
        news.say(.loopback)
        #expect(manager.status == .reachable(.ethernet) && !manager.isMonitoring && news.observers == 0)
        #expect(heard.settled == [.reachable(.ethernet)])
    }

    /// Stopped on the closure's own queue, nothing is told any more, however much was on its way.
    @Test func nothingIsToldAfterAStopOnTheQueue() async throws {
        for _ in 0..<50 {
            let manager = NetworkReachabilityManager(news: news)
            let heard = manager.heard()
            try await heard.count(1)
            heard.queue.suspend()
            news.say(.loopback)
            news.say(.ordinary)
            heard.queue.async { manager.stopMonitoring() }
            news.say(.loopback)
            heard.queue.resume()
            let atTheStop = heard.settled.count
            news.say(.ordinary)
            #expect(heard.settled.count == atTheStop)
        }
    }

    @Test func aStopInsideTheClosureIsTheLastCall() async throws {
        let manager = NetworkReachabilityManager(news: news)
        let heard = Heard()
        heard.queue.suspend()
        manager.startMonitoring(queue: heard.queue) { [weak manager] status in
            heard.note(status)
            manager?.stopMonitoring()
        }
        news.say(.loopback)
        news.say(.ordinary)
        heard.queue.resume()
        #expect(heard.settled == [.reachable(.ethernet)])
        #expect(!manager.isMonitoring)
    }

    @Test func aStartInsideTheClosure() async throws {
        let manager = NetworkReachabilityManager(news: news), heard = Heard()
        manager.startMonitoring(queue: heard.queue) { [weak manager] _ in
            manager?.startMonitoring(queue: heard.queue) { heard.note($0) }
        }
        try await heard.count(1)
        news.say(.loopback)
        try await heard.count(2)
        #expect(heard.all == [.reachable(.ethernet), .notReachable])
    }

    @Test func theClosureRunsOnItsQueueAlone() async throws {
        let manager = NetworkReachabilityManager(news: news), heard = Heard()
        let key = DispatchSpecificKey<Int>()
        heard.queue.setSpecific(key: key, value: 1)
        manager.startMonitoring(queue: heard.queue) { status in
            if DispatchQueue.getSpecific(key: key) == 1 { heard.note(status) }
        }
        news.say(.loopback)
        try await heard.count(2)
    }

    @Test func notifiersComeAfterTheClosure() async throws {
        let manager = NetworkReachabilityManager(news: news), heard = Heard(), order = Lock<[String]>([])
        manager.addNotifier { sender, status in
            order.withLock { $0.append("notifier \(status) \(sender.status)") }
            heard.note(status)
        }
        manager.startMonitoring(queue: heard.queue) { status in order.withLock { $0.append("closure \(status)") } }
        try await heard.count(1)
        #expect(
            order.withLock { $0 } == [
                "closure reachable via ethernet", "notifier reachable via ethernet reachable via ethernet",
            ])
    }

    @Test func aManagerThatIsGoneTellsNothing() async throws {
        var manager: NetworkReachabilityManager? = NetworkReachabilityManager(news: news)
        let heard = try #require(manager).heard()
        try await heard.count(1)
        manager = nil
        #expect(news.observers == 0)
        news.say(.loopback)
        #expect(heard.settled == [.reachable(.ethernet)])
    }

    @Test func withoutAKernelToAsk() async {
        let manager = NetworkReachabilityManager(news: ScriptedNews(isDead: true))
        #expect(!manager.startMonitoring(queue: DispatchQueue(label: "none")))
        #expect(manager.status == .unknown && !manager.isMonitoring)
        for await _ in manager.statuses { Issue.record("a status") }
    }

    @Test func managersFromManyThreads() async throws {
        let manager = NetworkReachabilityManager(news: news), heard = Heard()
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask { [news] in
                    for turn in 0..<100 {
                        switch (index + turn) % 4 {
                        case 0: manager.startMonitoring(queue: heard.queue) { heard.note($0) }
                        case 1: manager.stopMonitoring()
                        case 2: news.say(turn % 2 == 0 ? .loopback : .ordinary)
                        default: _ = manager.isReachable
                        }
                    }
                }
            }
        }
        manager.stopMonitoring()
        let told = heard.settled.count
        news.say(.loopback)
        #expect(heard.settled.count == told && news.observers == 0)
    }
}
