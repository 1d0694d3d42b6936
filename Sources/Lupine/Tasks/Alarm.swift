internal import Dispatch
internal import LupineCore

/// Rings once, after a time, on a thread of Dispatch's, unless it is let go of before.
final class Alarm: Sendable {
    private let timer: Lock<any DispatchSourceTimer>

    init(after duration: Duration, _ ring: @escaping @Sendable () -> Void) {
        let timer: any DispatchSourceTimer = DispatchSource.makeTimerSource(queue: .global())
        // What Dispatch can count: some 30 years are as good as never.
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(1_000_000_000)).components
        timer.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
        timer.setEventHandler(handler: ring)
        timer.resume()
        self.timer = Lock(timer)
    }

    deinit { timer.withLock { $0.cancel() } }
}
