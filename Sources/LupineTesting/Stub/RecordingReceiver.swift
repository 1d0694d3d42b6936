public import LupineCore

/// A receiver that keeps what it is told, for tests of a transport: it also notes where the transport breaks the
/// contract of ``ExchangeReceiver``.
public final class RecordingReceiver: ExchangeReceiver {
    private struct State: Sendable {
        var events: [ExchangeEvent] = []
        var violations: [String] = []
        var head: HTTPResponse?
        var body: [UInt8] = []
        var bodyPieces = 0
        var hasTrailers = false
        var completion: ExchangeCompletion?
        var sent: Int64 = 0
        /// Calls under way: more than one at a time is a violation.
        var calls = 0
    }

    private let state = Watched(State())
    private let flow: @Sendable (_ piece: Int) -> ExchangeFlow
    private let keepsBody: Bool

    /// A receiver for one exchange.
    ///
    /// - Parameters:
    ///   - keepsBody: keep the body's bytes. `true` by default; `false` for bodies too large for that.
    ///   - flow: what to say to each body piece, counted from 0. ``ExchangeFlow/proceed`` by default.
    public init(
        keepsBody: Bool = true, flow: @escaping @Sendable (_ piece: Int) -> ExchangeFlow = { _ in .proceed }
    ) {
        self.keepsBody = keepsBody
        self.flow = flow
    }

    // What came.

    /// Everything so far, in order.
    public var events: [ExchangeEvent] { state.read(\.events) }
    /// The kinds of the events so far, runs of body pieces and of sent counts as one.
    public var order: [String] {
        state.read(\.events).map(\.kind).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
    /// The final head.
    public var head: HTTPResponse? { state.read(\.head) }
    /// The heads with 1xx.
    public var informational: [HTTPResponse] {
        state.read(\.events).compactMap { if case .informational(let head) = $0 { head } else { nil } }
    }
    /// The body bytes so far.
    public var body: [UInt8] { state.read(\.body) }
    /// The body so far as UTF-8; what is not is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
    /// The number of body pieces so far.
    public var bodyPieceCount: Int { state.read(\.bodyPieces) }
    /// The fields after a chunked body.
    public var trailers: HTTPHeaders? {
        state.read(\.events).lazy.compactMap { if case .trailers(let fields) = $0 { fields } else { nil } }.first
    }
    /// The request body bytes sent, as last told.
    public var sent: Int64 { state.read(\.sent) }
    /// The end, when it has come.
    public var completion: ExchangeCompletion? { state.read(\.completion) }
    /// Where the transport broke the contract: one line each.
    public var violations: [String] { state.read(\.violations) }

    // Waiting.

    /// Waits for the end.
    ///
    /// - Parameter limit: at most so long; 30 seconds by default.
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func finish(within limit: Duration = .testLimit) async throws -> ExchangeCompletion {
        try await state.wait(for: "the exchange's end", within: limit) { $0.completion != nil }
        return state.value.completion ?? ExchangeCompletion()
    }

    /// Waits for the final head.
    ///
    /// - Throws: ``WaitTimeoutError``, also when the exchange ends without one; `CancellationError`.
    @discardableResult
    public func waitForHead(within limit: Duration = .testLimit) async throws -> HTTPResponse {
        try await state.wait(for: "the head", within: limit) { $0.head != nil || $0.completion != nil }
        guard let head else { throw WaitTimeoutError(subject: "the head, before the end,", limit: limit) }
        return head
    }

    /// Waits until so many body pieces have come.
    ///
    /// - Throws: ``WaitTimeoutError``, also when the exchange ends with fewer; `CancellationError`.
    public func waitForBodyPieces(_ count: Int, within limit: Duration = .testLimit) async throws {
        try await state.wait(for: "\(count) body pieces", within: limit) {
            $0.bodyPieces >= count || $0.completion != nil
        }
        if bodyPieceCount < count {
            throw WaitTimeoutError(subject: "\(count) body pieces, before the end,", limit: limit)
        }
    }

    // Being told.

    /// Notes a count.
    public func didSend(_ sent: Int64) {
        record(.sent(sent)) { state in
            if sent < state.sent { state.violations.append("sent went back from \(state.sent) to \(sent)") }
            state.sent = sent
        }
    }

    /// Notes a 1xx head.
    public func didReceive(informational response: HTTPResponse) {
        record(.informational(response)) { state in
            if state.head != nil { state.violations.append("informational head after the final one") }
            if !response.status.isInformational {
                state.violations.append("informational head with \(response.status)")
            }
        }
    }

    /// Notes the final head.
    public func didReceive(head response: HTTPResponse) {
        record(.head(response)) { state in
            if state.head != nil { state.violations.append("two heads") }
            if response.status.isInformational, response.status != 101 {
                state.violations.append("final head with \(response.status)")
            }
            state.head = response
        }
    }

    /// Notes a body piece, and answers as the receiver was told to.
    public func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow {
        let kept = keepsBody ? Array(bytes) : []
        let isEmpty = bytes.isEmpty
        let piece = record(.body(kept)) { state -> Int in
            if state.head == nil { state.violations.append("body before the head") }
            if state.hasTrailers { state.violations.append("body after the trailers") }
            if isEmpty { state.violations.append("an empty body piece") }
            state.body += kept
            state.bodyPieces += 1
            return state.bodyPieces - 1
        }
        return flow(piece)
    }

    /// Notes the trailers.
    public func didReceive(trailers: HTTPHeaders) {
        record(.trailers(trailers)) { state in
            if state.head == nil { state.violations.append("trailers before the head") }
            if state.hasTrailers { state.violations.append("two trailers") }
            state.hasTrailers = true
        }
    }

    /// Notes the end.
    public func didFinish(_ completion: ExchangeCompletion) {
        record(.finish(completion)) { state in
            if completion.error == nil, state.head == nil { state.violations.append("a good end without a head") }
            if state.completion == nil { state.completion = completion }
        }
    }

    private func record<Result: Sendable>(_ event: ExchangeEvent, _ change: (inout State) -> Result) -> Result {
        // Entered and left apart, so that a second call meanwhile is seen.
        state.update { state in
            state.calls += 1
            if state.calls > 1 { state.violations.append("\(event.kind) during another call") }
        }
        defer { state.update { $0.calls -= 1 } }
        return state.update { state in
            if state.completion != nil { state.violations.append("\(event.kind) after the end") }
            state.events.append(event)
            return change(&state)
        }
    }
}
