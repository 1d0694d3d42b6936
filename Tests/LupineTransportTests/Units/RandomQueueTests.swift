import LupineTesting
import Testing

/// Random comings and goings: what is counted beside the queue is never over a limit, and nobody waits who could start.
@Suite(.timeLimit(.minutes(2)))
struct RandomQueueTests {
    private struct Request {
        let id: Int
        let host: String
        let isApart: Bool
        let priority: Float
        let ignores: Bool
    }

    /// What must hold, said as plainly as can be.
    private struct Model {
        var perHost: Int
        var total: Int?
        var requestsPerHost: Int?
        var requests: Int?
        var active: [Request] = []
        var waiting: [Request] = []
        var multiplexed: Set<String> = []

        func hasConnection(_ request: Request) -> Bool {
            let sharing = active.count { $0.host == request.host && $0.isApart == request.isApart }
            let carried = !request.isApart && multiplexed.contains(request.host) ? 100 : 1
            return sharing < perHost * carried && active.count < total ?? .max
        }

        func mayStart(_ request: Request) -> Bool {
            guard hasConnection(request), !request.ignores else { return hasConnection(request) }
            return active.count { $0.host == request.host } < requestsPerHost ?? .max
                && active.count < requests ?? .max
        }

        /// Whether nobody was to go before it: of its own kind, or with a higher priority.
        func mayGoNext(_ request: Request) -> Bool {
            mayStart(request)
                && !waiting.contains { other in
                    guard other.id != request.id, mayStart(other) else { return false }
                    let isSame = other.host == request.host && other.isApart == request.isApart
                    return other.priority > request.priority
                        || isSame && other.priority == request.priority && other.id < request.id
                }
        }
    }

    @Test(arguments: 0..<60)
    func limitsHoldAndNobodyIsStranded(_ seed: Int) {
        var random = Seeded(state: UInt64(seed))
        func limit(_ range: ClosedRange<Int>) -> Int? {
            random.isOne(of: 2) ? nil : Int.random(in: range, using: &random)
        }
        var model = Model(perHost: Int.random(in: 1...4, using: &random))
        (model.total, model.requestsPerHost, model.requests) = (limit(2...8), limit(1...5), limit(1...8))
        let queue = Queue(
            perHost: model.perHost, total: model.total, requestsPerHost: model.requestsPerHost,
            requests: model.requests)
        let hosts = ["a", "b", "c"]
        for id in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let request = Request(
                    id: id, host: random.one(of: hosts), isApart: random.isOne(of: 4),
                    priority: random.one(of: [0.1, 0.5, 0.9]), ignores: random.isOne(of: 6))
                let starts = queue.enter(
                    id, host: request.host, apart: request.isApart, priority: request.priority,
                    ignoring: request.ignores)
                #expect(starts == model.mayStart(request))
                if starts { model.active.append(request) } else { model.waiting.append(request) }
            case 5...7:
                guard !model.active.isEmpty else { continue }
                let request = model.active.remove(at: Int.random(in: model.active.indices, using: &random))
                let news: Bool? = request.isApart ? nil : random.one(of: [nil, nil, true, false])
                if news == true { model.multiplexed.insert(request.host) }
                if news == false { model.multiplexed.remove(request.host) }
                queue.leave(host: request.host, apart: request.isApart, isMultiplexed: news)
            case 8:
                guard !model.waiting.isEmpty else { continue }
                let request = model.waiting.remove(at: Int.random(in: model.waiting.indices, using: &random))
                queue.giveUp(request.id, host: request.host, apart: request.isApart)
            default:
                let host = random.one(of: hosts)
                if model.active.contains(where: { $0.host == host && !$0.isApart }) { model.multiplexed.insert(host) }
                queue.learnMultiplexing(of: host)
            }
            while let id = queue.next() {
                guard let index = model.waiting.firstIndex(where: { $0.id == id }) else {
                    Issue.record("\(id) does not wait")
                    return
                }
                #expect(model.mayGoNext(model.waiting[index]))
                model.active.append(model.waiting.remove(at: index))
            }
            #expect(!model.waiting.contains { model.mayStart($0) }, "somebody is stranded")
            #expect(queue.activeCount == model.active.count && queue.waitingCount == model.waiting.count)
        }
    }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 32
    }

    mutating func isOne(of count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
