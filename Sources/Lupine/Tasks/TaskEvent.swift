public import LupineCore

/// Something that happened to a task.
///
/// Events carry no body bytes. Progress that nobody has taken yet is replaced by newer progress; everything else is told.
public enum TaskEvent: Sendable {
    /// It runs, or runs again.
    case resumed
    /// It pauses. Nothing more is read until it is resumed.
    case suspended
    /// The network leads nowhere near the host. The request goes out again once it does
    /// (``LupineCore/TransferOptions/waitsForConnectivity``).
    case waitingForConnectivity
    /// Request body bytes have left.
    case sent(TransferProgress)
    /// An interim answer came (RFC 9110 section 15.2).
    case informational(HTTPResponse)
    /// A redirect is followed: the answer that says so, and the request that goes out next.
    case redirected(HTTPResponse, HTTPRequest)
    /// The connection ended before an answer, and the request goes out again.
    case sentAgain(LupineError)
    /// A try failed, with that error, and another follows after a pause.
    case retrying(LupineError, after: Duration)
    /// The head of the answer came, and is accepted: of that of each try.
    case response(HTTPResponse)
    /// Response body bytes have come.
    case received(TransferProgress)
    /// One exchange ended, and this is what it measured.
    case measured(TransactionMetrics)
    /// The end. Nothing comes after it.
    case completed(LupineError?)
}
