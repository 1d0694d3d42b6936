internal import LupineCore

/// A latch that opens once: a test holds a script back, or a script tells a test how far it came.
///
/// ```swift
/// let gate = Gate()
/// let server = try LoopbackServer { connection in
///     _ = try connection.readRequest()
///     try connection.wait(gate)               // answers when the test says so
///     try connection.send(.text("late"))
/// }
/// ```
public final class Gate: Sendable {
    private let state = Watched(false)

    /// A closed gate.
    public init() {}

    /// Lets everyone through, now and later. Opening twice is harmless.
    public func open() { state.update { $0 = true } }

    /// Whether it has been opened.
    public var isOpen: Bool { state.value }

    /// Waits, without blocking a thread, until it is open.
    ///
    /// - Parameter limit: at most so long; 30 seconds by default.
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func opened(within limit: Duration = .testLimit) async throws {
        try await state.wait(for: "the gate's opening", within: limit) { $0 }
    }

    /// Calls `action` once it is open. The answer is what ``forget(_:)`` takes, `nil` when it has been called.
    @discardableResult
    func whenOpen(_ action: @escaping @Sendable () -> Void) -> UInt64? {
        state.observe {
            $0
        } action: { _ in
            action()
        }
    }

    func forget(_ observer: UInt64?) {
        if let observer { state.forget(observer) }
    }
}
