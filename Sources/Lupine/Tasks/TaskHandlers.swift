public import FoundationEssentials
public import LupineCore

/// What a program decides, and wants to be told, while tasks run: for one task, or for all of a session.
///
/// Where both a task and its session have a decision, the task's counts; adapters, retriers and validators of both count, the
/// session's first; both are told of events. Nothing here runs on the event loop, unless the program's own tasks do: decisions run as
/// Swift tasks, and what they wait for holds up their own task only, save adapters that do not wait, which run where a task is begun; events and data come one at a time and in order on the session's
/// ``SessionConfiguration/eventQueue``. An error that a decision throws ends the task with it. The limit in all (`Timeouts.total`)
/// goes on while a decision is awaited: beyond it the task ends with `timed-out`, and the decision is of no interest any more. The
/// Swift task of a decision is cancelled where its task ends before.
public struct TaskHandlers: Sendable {
    /// One reference: async functions hand it on, and what they hand on is memory of every waiting task.
    private var storage: Storage

    /// Nothing but these.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], validators: [ResponseValidator] = []
    ) {
        storage = Storage(Fields(adapters: adapters, retriers: retriers, validators: validators))
    }

    /// Decides nothing, and is told of everything.
    public init(event: @escaping @Sendable (SessionTask, TaskEvent) -> Void) { storage = Storage(Fields(event: event)) }

    /// Whether to follow a redirect, and with which request. Gets the request that would be sent next; may change it. `nil`: do
    /// not follow, the redirect itself is the answer. Unset: it is followed as proposed.
    ///
    /// Where the body would be sent on and can be read only once, the answer has another, or the task ends with
    /// `upload-source-failed`, unless ``newBody`` gives one.
    public var redirect: (@Sendable (SessionTask, HTTPResponse, HTTPRequest) async throws -> HTTPRequest?)? {
        get { storage.fields.redirect }
        set { change { $0.redirect = newValue } }
    }

    /// What to do with an answer, once its head has come. Unset: ``ResponseDisposition/allow``.
    public var response: (@Sendable (SessionTask, HTTPResponse) async throws -> ResponseDisposition)? {
        get { storage.fields.response }
        set { change { $0.response = newValue } }
    }

    /// The body for a further sending, where it can be read only once. `nil`, or unset: the request cannot be sent again, and the
    /// task ends with an error that says so.
    public var newBody: (@Sendable (SessionTask) async throws -> HTTPBody?)? {
        get { storage.fields.newBody }
        set { change { $0.newBody = newValue } }
    }

    /// Change each request before it is sent, in this order.
    public var adapters: [any RequestAdapter] {
        get { storage.fields.adapters }
        set { change { $0.adapters = newValue } }
    }

    /// Decide whether a request that failed is tried again. The first that does not leave it to the next counts.
    public var retriers: [any RequestRetrier] {
        get { storage.fields.retriers }
        set { change { $0.retriers = newValue } }
    }

    /// Say whether an answer is one: all of them must. None by default: then any answer is one, unless the session checks
    /// (``HTTPSessionManager``).
    public var validators: [ResponseValidator] {
        get { storage.fields.validators }
        set { change { $0.validators = newValue } }
    }

    /// Has `interceptor` adapt requests and decide on retries, after those that are there.
    public mutating func intercept(with interceptor: some RequestInterceptor) {
        adapters.append(interceptor)
        retriers.append(interceptor)
    }

    /// Told of everything that happens.
    public var event: (@Sendable (SessionTask, TaskEvent) -> Void)? {
        get { storage.fields.event }
        set { change { $0.event = newValue } }
    }

    /// Given each piece of the answer's body, once it has been collected. A copy is made for it. With it no retrier is asked any
    /// more once an answer has been accepted by its head.
    public var data: (@Sendable (SessionTask, Data) -> Void)? {
        get { storage.fields.data }
        set { change { $0.data = newValue } }
    }
}

extension TaskHandlers {
    fileprivate struct Fields: Sendable {
        var redirect: (@Sendable (SessionTask, HTTPResponse, HTTPRequest) async throws -> HTTPRequest?)?
        var response: (@Sendable (SessionTask, HTTPResponse) async throws -> ResponseDisposition)?
        var newBody: (@Sendable (SessionTask) async throws -> HTTPBody?)?
        var adapters: [any RequestAdapter] = []
        var retriers: [any RequestRetrier] = []
        var validators: [ResponseValidator] = []
        var event: (@Sendable (SessionTask, TaskEvent) -> Void)?
        var data: (@Sendable (SessionTask, Data) -> Void)?
    }

    fileprivate final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields)
    }

    /// Those of a task, with the session's where it has none, or before its own. Events and data are no decisions, and go to both.
    func decisions(over session: TaskHandlers) -> TaskHandlers {
        let own = storage.fields, others = session.storage.fields
        var handlers = self
        handlers.change { fields in
            fields.redirect = own.redirect ?? others.redirect
            fields.response = own.response ?? others.response
            fields.newBody = own.newBody ?? others.newBody
            fields.adapters = others.adapters + own.adapters
            fields.retriers = others.retriers + own.retriers
            fields.validators = others.validators + own.validators
        }
        return handlers
    }

    var isEmpty: Bool {
        let fields = storage.fields
        return !judges && !tells && fields.adapters.isEmpty && fields.redirect == nil && fields.response == nil
            && fields.newBody == nil
    }
    /// Whether the end of an exchange is to be weighed before it is the task's.
    var judges: Bool { !storage.fields.retriers.isEmpty || !storage.fields.validators.isEmpty }
    /// Whether somebody is told of what happens.
    var tells: Bool { storage.fields.event != nil || storage.fields.data != nil }
}

/// What to do with an answer whose head has come.
public enum ResponseDisposition: Hashable, Sendable {
    /// Read on.
    case allow
    /// End the task with `cancelled`; the error carries the head.
    case cancel
}
