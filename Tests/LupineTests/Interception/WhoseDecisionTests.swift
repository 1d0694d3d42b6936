import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Of a decision that both a task and its session have, the task's counts; where it has none, its session's.
@Suite(.timeLimit(.minutes(2)))
struct WhoseDecisionTests {
    private func noting(_ name: String, _ asked: Notes<String>) -> TaskHandlers {
        var handlers = TaskHandlers(retriers: [always])
        handlers.redirect = { _, _, next in
            asked.add("\(name) redirect")
            return next
        }
        handlers.response = { _, _ in
            asked.add("\(name) response")
            return .allow
        }
        handlers.newBody = { _ in
            asked.add("\(name) body")
            return .text(name)
        }
        return handlers
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func theNearestCounts(ofSession: Bool, ofTask: Bool) async throws {
        let transport = StubTransport(
            [.response(status: 503), .response(status: 303, headers: ["Location": "/b"]), .response()],
            readsBodies: true)
        let asked = Notes<String>()
        let session = stubbed(transport, ofSession ? noting("session", asked) : TaskHandlers(retriers: [always]))
        let request = try HTTPRequest.to("/a", .put, body: .oneShotStream(reader: PatternReader(count: 5)))
        _ = try await session.data(for: request, handlers: ofTask ? noting("task", asked) : TaskHandlers())
        let name = ofTask ? "task" : "session"
        #expect(asked.all == ["\(name) response", "\(name) body", "\(name) redirect", "\(name) response"])
    }
}
