/// What becomes of a credential: a pure state machine, told what requests ask and what came of a refresh, that says what to do.
///
/// Each credential, set or refreshed, has a version. What is found out about one without the lock (whether it requires a refresh,
/// whether a request was sent with it) is told with its version, and counts only while that is present.
struct AuthenticationMachine<Credential: Sendable>: Sendable {
    /// A credential and its version.
    struct Versioned: Sendable {
        let version: Int
        let credential: Credential
    }

    enum Answer: Sendable {
        /// It can be sent, with that credential.
        case send
        /// Wait for the refresh that is under way.
        case wait(PendingRefresh<Credential>)
        /// Begin a refresh of that credential, and wait for it.
        case begin(PendingRefresh<Credential>, of: Versioned)
        /// That credential is no longer the present one: ask anew.
        case askAgain
        /// The refresh of that credential failed.
        case fail(any Error)
        /// There have been too many refreshes; the last failed so, if it did.
        case excessive(after: (any Error)?)
    }

    private enum Phase: Sendable {
        case settled
        case refreshing(PendingRefresh<Credential>)
        /// The present credential could not be refreshed. No request is sent with it any more.
        case failed(any Error)
    }

    private var credential: Credential?
    private var version = 0
    private var phase = Phase.settled
    private var history: RefreshHistory

    init(credential: Credential?, window: RefreshWindow?) {
        self.credential = credential
        history = RefreshHistory(window: window)
    }

    /// `nil`: there is none.
    var present: Versioned? { credential.map { Versioned(version: version, credential: $0) } }
    /// The refresh that is under way.
    var pending: PendingRefresh<Credential>? {
        guard case .refreshing(let pending) = phase else { return nil }
        return pending
    }

    /// The credential, where neither a refresh is under way nor the last one has failed.
    var settled: Credential? { if case .settled = phase { credential } else { nil } }

    /// A request is to be sent with the credential of that version.
    mutating func send(with version: Int, requiresRefresh: Bool, at now: Duration) -> Answer {
        guard version == self.version else { return .askAgain }
        switch phase {
        case .settled: return requiresRefresh ? begin(at: now) : .send
        case .refreshing(let pending): return .wait(pending)
        // A request that comes after the failure tries anew.
        case .failed(let error): return begin(at: now, after: error)
        }
    }

    /// A request was refused that had been sent with the credential of that version.
    mutating func refused(with version: Int, at now: Duration) -> Answer {
        guard version == self.version else { return .askAgain }
        switch phase {
        case .settled: return begin(at: now)
        case .refreshing(let pending): return .wait(pending)
        // It was sent before the failure, and would have waited for that refresh had its answer been here.
        case .failed(let error): return .fail(error)
        }
    }

    private mutating func begin(at now: Duration, after error: (any Error)? = nil) -> Answer {
        guard let present else { return .askAgain }
        guard history.begins(at: now) else { return .excessive(after: error) }
        let pending = PendingRefresh<Credential>()
        phase = .refreshing(pending)
        return .begin(pending, of: present)
    }

    /// A refresh is over.
    ///
    /// - Returns: whether that counts: not if another credential was set meanwhile.
    mutating func ended(_ pending: PendingRefresh<Credential>, _ result: Result<Credential, any Error>) -> Bool {
        guard self.pending === pending else { return false }
        switch result {
        case .success(let credential):
            self.credential = credential
            version += 1
            phase = .settled
        case .failure(let error): phase = .failed(error)
        }
        return true
    }

    /// Another credential takes the place of the present one, or none: what was before is forgotten.
    ///
    /// - Returns: the refresh that is under way, of which nothing is expected any more.
    mutating func set(_ credential: Credential?) -> PendingRefresh<Credential>? {
        self.credential = credential
        version += 1
        history.forget()
        defer { phase = .settled }
        return pending
    }
}
