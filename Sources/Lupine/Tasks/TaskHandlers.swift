public import FoundationEssentials
public import LupineCore

/// What a program decides, and wants to be told, while tasks run: for one task, or for all of a session.
///
/// Where both a task and its session have a decision, the task's counts; both are told of events. Nothing here runs on the event
/// loop: decisions run as Swift tasks, and what they wait for holds up their own task only; events and data come one at a
/// time and in order on the session's ``SessionConfiguration/eventQueue``. An error that a decision throws ends the task
/// with it. The limit in all (`Timeouts.total`) goes on while a decision is awaited: beyond it the task ends with `timed-out`,
/// and the decision is of no interest any more.
public struct TaskHandlers: Sendable {
    /// Whether to follow a redirect, and with which request. Gets the request that would be sent next; may change it. `nil`: do
    /// not follow, the redirect itself is the answer. Unset: it is followed as proposed.
    ///
    /// Where the body would be sent on and can be read only once, the answer has another, or the task ends with
    /// `upload-source-failed`, unless ``newBody`` gives one.
    public var redirect: (@Sendable (SessionTask, HTTPResponse, HTTPRequest) async throws -> HTTPRequest?)?

    /// What to do with an answer, once its head has come. Unset: ``ResponseDisposition/allow``.
    public var response: (@Sendable (SessionTask, HTTPResponse) async throws -> ResponseDisposition)?

    /// The body for a further sending, where it can be read only once. `nil`, or unset: the request cannot be sent again, and the
    /// task ends with an error that says so.
    public var newBody: (@Sendable (SessionTask) async throws -> HTTPBody?)?

    /// Told of everything that happens.
    public var event: (@Sendable (SessionTask, TaskEvent) -> Void)?

    /// Given each piece of the answer's body, once it has been collected. A copy is made for it.
    public var data: (@Sendable (SessionTask, Data) -> Void)?

    /// Change each request before it is sent, in this order. Those of the session come before those of the task.
    public var adapters: [any RequestAdapter] = []

    /// Decide whether a request that failed is tried again. The first that does not leave it to the next counts; those of the
    /// session come before those of the task.
    public var retriers: [any RequestRetrier] = []

    /// Say whether an answer is one: all of them must. Those of the session come before those of the task. None by default: then
    /// any answer is one, save where a session that checks says otherwise (``HTTPSessionManager``).
    public var validators: [ResponseValidator] = []

    public init() {}

    /// Has `interceptor` adapt requests and decide on retries, after those that are there.
    public mutating func intercept(with interceptor: some RequestInterceptor) {
        adapters.append(interceptor)
        retriers.append(interceptor)
    }

    /// Decides nothing, and is told of everything.
    public init(event: @escaping @Sendable (SessionTask, TaskEvent) -> Void) { self.event = event }

    /// Those of a task, with the session's where it has none, or before its own. Events and data are no decisions, and go to both.
    func decisions(over session: TaskHandlers) -> TaskHandlers {
        var handlers = self
        handlers.redirect = redirect ?? session.redirect
        handlers.response = response ?? session.response
        handlers.newBody = newBody ?? session.newBody
        handlers.adapters = session.adapters + adapters
        handlers.retriers = session.retriers + retriers
        handlers.validators = session.validators + validators
        return handlers
    }
}

/// What to do with an answer whose head has come.
public enum ResponseDisposition: Hashable, Sendable {
    /// Read on.
    case allow
    /// End the task with `cancelled`; the error carries the head.
    case cancel
}
