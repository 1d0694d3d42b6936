public import LupineCore

/// The script of one exchange: the events that a ``StubTransport`` gives for a request.
///
/// ```swift
/// .response(headers: ["Content-Type": "application/json"], body: #"{"id": 1}"#)
/// .failure(LupineError(.timedOut, "…"), delivery: .unanswered)
/// StubExchange([.head(HTTPResponse(status: 200)), .body("first"), .hold(gate), .body("second")])
/// ```
public struct StubExchange: Sendable {
    /// What happens next. After the last step the exchange ends well.
    public enum Step: Sendable {
        /// Request body bytes sent so far.
        case sent(Int64)
        /// A 1xx head.
        case informational(HTTPResponse)
        /// The final head. The request's URL is put in when it has none.
        case head(HTTPResponse)
        /// A body piece; an empty one is passed over.
        case bytes([UInt8])
        /// The fields after the body.
        case trailers(HTTPHeaders)
        /// Nothing more until the gate opens, or the exchange is cancelled.
        case hold(Gate)
        /// The end by an error. `delivery`: `nil` tells it from how far the script came.
        case failure(LupineError, delivery: RequestDelivery?)

        /// A body piece of text.
        public static func body(_ text: String) -> Step { .bytes(Array(text.utf8)) }
    }

    /// The steps in order.
    public var steps: [Step]
    /// What the end reports. Byte counts of zero are filled in from the script.
    public var metrics: TransferMetrics

    /// Any script.
    public init(_ steps: [Step], metrics: TransferMetrics = .init()) {
        self.steps = steps
        self.metrics = metrics
    }

    /// A whole answer. 200 by default.
    public static func response(
        status: HTTPStatus = 200, headers: HTTPHeaders = [:], body: String = "", trailers: HTTPHeaders? = nil
    ) -> StubExchange {
        response(status: status, headers: headers, pieces: [Array(body.utf8)], trailers: trailers)
    }

    /// A whole answer whose body comes in pieces.
    public static func response(
        status: HTTPStatus = 200, headers: HTTPHeaders = [:], pieces: [[UInt8]], trailers: HTTPHeaders? = nil
    ) -> StubExchange {
        var steps: [Step] = [.head(HTTPResponse(status: status, headers: headers))]
        steps += pieces.map { .bytes($0) }
        if let trailers { steps.append(.trailers(trailers)) }
        return StubExchange(steps)
    }

    /// A JSON text, with its content type.
    public static func json(_ json: String, status: HTTPStatus = 200) -> StubExchange {
        response(status: status, headers: ["Content-Type": "application/json"], body: json)
    }

    /// An error in place of an answer.
    public static func failure(_ error: LupineError, delivery: RequestDelivery? = nil) -> StubExchange {
        StubExchange([.failure(error, delivery: delivery)])
    }

    /// No answer until the exchange is cancelled.
    public static var unanswered: StubExchange { StubExchange([.hold(Gate())]) }

    /// The same, held back until the gate opens.
    public func held(until gate: Gate) -> StubExchange { StubExchange([.hold(gate)] + steps, metrics: metrics) }
}
