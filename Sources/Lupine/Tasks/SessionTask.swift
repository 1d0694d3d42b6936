public import LupineCore

/// A request on its way to its answer, over as many exchanges as that takes.
///
/// ```swift
/// let task = session.dataTask(with: request) { task, result in … }
/// task.resume()
/// ```
///
/// Every method may be called from any thread, at any time; after the end they do nothing. A task that has begun lives until
/// its end, whoever lets go of it.
public final class SessionTask: Sendable {
    /// Where a task stands.
    public enum State: Hashable, Sendable {
        /// Under way.
        case running
        /// Not begun, or paused.
        case suspended
        /// Asked to end; its end has not come yet.
        case canceling
        /// Over, well or not.
        case completed
    }

    /// What a task is for.
    public enum Kind: Hashable, Sendable {
        /// An answer in memory, or read as it comes.
        case data
        /// The same, with a body of its own to send.
        case upload
    }

    /// Unique in its session; from 1.
    public let identifier: Int
    public let kind: Kind
    /// The request as it was given; that of a task which an async function made has the session's fields.
    public let originalRequest: HTTPRequest

    let core: SessionCore
    let handlers: TaskHandlers?
    let relay: HandlerRelay?
    /// What a whole answer has to stand, besides the validators, before retriers are asked no more.
    let check: AnswerCheck?
    /// Where the answer goes that is read as it comes; `nil`: it is collected.
    let reader: BodyReading?
    let uploadProgressRelay: ProgressRelay?
    let downloadProgressRelay: ProgressRelay?
    let status: Lock<Status>
    /// Whether ``originalRequest`` has the session's fields already.
    let isCompleted: Bool
    /// The interceptor that makes this very request, to refresh what it attaches: it neither adapts nor retries it.
    let bypassed: ObjectIdentifier?

    /// - Parameter isHandedOver: nobody else has the request, so that it is completed where it is.
    init(
        _ request: consuming HTTPRequest, isHandedOver: Bool = false, kind: Kind = .data, core: SessionCore,
        handlers: TaskHandlers? = nil, check: AnswerCheck? = nil, reader: BodyReading? = nil,
        uploadProgress: ProgressRelay? = nil, downloadProgress: ProgressRelay? = nil
    ) {
        identifier = core.registry.nextIdentifier()
        self.kind = kind
        self.core = core
        let session = core.handlers
        self.handlers = handlers.map { $0.decisions(over: session ?? TaskHandlers()) } ?? session
        relay =
            (handlers?.tells ?? false) || (session?.tells ?? false)
            ? HandlerRelay([handlers, session], queue: core.configuration.eventQueue) : nil
        self.reader = reader
        uploadProgressRelay = uploadProgress
        downloadProgressRelay = downloadProgress
        self.check = check
        status = Lock(Status(request))
        isCompleted = isHandedOver
        bypassed = self.handlers == nil ? nil : Bypass.interceptor
        originalRequest =
            isHandedOver ? core.completed(request, isCollected: reader == nil) : request
    }

    func completed(_ request: HTTPRequest) -> HTTPRequest {
        core.completed(request, isCollected: reader == nil)
    }

    // MARK: Control

    /// Begins, or goes on.
    public func resume() { perform { $0.machine.resume() } }

    /// Reads no more until ``resume()``: the peer is made to wait, and nothing is sent again. What is being sent goes on being
    /// sent. Time that is limited for the whole exchange goes on too.
    public func suspend() { perform { $0.machine.suspend() } }

    /// Ends it with `cancelled`.
    public func cancel() { perform { $0.machine.cancel() } }

    // MARK: What is known

    public var state: State { status.withLock { $0.machine.state } }
    /// The request as it was sent last: after redirects, with the session's fields.
    public var currentRequest: HTTPRequest { status.withLock { $0.current ?? originalRequest } }
    /// The head of the answer, once it has come.
    public var response: HTTPResponse? { status.withLock { $0.response } }
    /// Why it ended; `nil`: well, or not yet.
    public var error: LupineError? {
        status.withLock { status in
            guard case .failure(let error)? = status.outcome else { return nil }
            return error
        }
    }
    /// How much of the request's body has left. Never falls.
    public var uploadProgress: TransferProgress { status.withLock { $0.sent } }
    /// How much of the answer's body has come. Never falls.
    public var downloadProgress: TransferProgress { status.withLock { $0.received } }
    /// What was measured so far.
    public var metrics: TaskMetrics { status.withLock { $0.metricsNow } }

    /// A name for logs: the program's own, never set here.
    public var taskDescription: String? {
        get { status.withLock { $0.description } }
        set { status.withLock { $0.description = newValue } }
    }

    /// Who goes first when requests wait for a connection: higher first, from 0 to 1. The request's own at first. Counts for
    /// exchanges that have not begun.
    public var priority: Float {
        get { status.withLock { $0.priority ?? originalRequest.options.priority } }
        set { status.withLock { $0.priority = newValue } }
    }

    /// What happens to it, from now on; the present state comes first.
    public var events: TaskEvents { TaskEvents(self) }
}

/// Which interceptor the present Swift task works for.
enum Bypass {
    @TaskLocal static var interceptor: ObjectIdentifier?
}

extension SessionTask: Hashable {
    public static func == (left: SessionTask, right: SessionTask) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
