internal import Dispatch

/// Lines for the standard error that come from the event loop, written beside it and in order.
final class TraceLog: Sendable {
    private let queue = DispatchQueue(label: "lupine.trace")
    private let console: Console

    init(_ console: Console) { self.console = console }

    func tell(_ line: String) { queue.async { [console] in console.complain(line) } }

    /// Returns when all is written.
    func drain() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
