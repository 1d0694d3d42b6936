internal import LupineCore

// What it asks the machine, and what it does as that says.
extension AuthenticationInterceptor {
    /// Whether the credential is for it, and it is not made to refresh that.
    func isConcerned(with url: HTTPURL, of task: SessionTask) -> Bool {
        task.bypassed != ObjectIdentifier(self) && scope.contains(url, base: task.core.origin)
    }

    func isRefusal(_ error: LupineError, of request: HTTPRequest) -> Bool {
        error.isOfOrigin(of: request) && authenticator.didRequest(request, failDueToAuthenticationError: error)
    }

    /// Asks the machine, does what it says, and waits as it says. `nil`: there is nothing to wait for.
    func outcome(
        for host: String, of ask: (inout Machine) -> Machine.Answer
    ) async throws -> PendingRefresh<A.Credential>.Outcome? {
        switch change(ask) {
        case .send: return nil
        case .askAgain: return .superseded
        case .fail(let error): return .failed(error)
        case .excessive(let error): throw LupineError.excessiveRefresh(window, for: host, after: error)
        case .wait(let pending): return try await pending.outcome()
        case .begin(let pending, let versioned):
            begin(pending, of: versioned.credential)
            return try await pending.outcome()
        }
    }

    /// Refreshes in a Swift task of its own, which nobody who waits for it cancels. It holds the interceptor: as long as it runs no other
    /// has the same address, by which its requests tell whom they bypass.
    private func begin(_ pending: PendingRefresh<A.Credential>, of credential: A.Credential) {
        Task {
            let result: Result<A.Credential, any Error>
            do {
                let refreshed = try await Bypass.$interceptor.withValue(ObjectIdentifier(self)) {
                    try await authenticator.refresh(credential)
                }
                result = .success(refreshed)
            } catch {
                result = .failure(error)
            }
            guard change({ $0.ended(pending, result) }) else { return }
            switch result {
            case .success(let refreshed): pending.end(.refreshed(refreshed))
            case .failure(let error): pending.end(.failed(error))
            }
        }
    }

    /// What the machine lets go of may be a user's, and goes after the lock.
    func change<Value: Sendable>(_ change: (inout Machine) -> Value) -> Value {
        let (value, _) = machine.withLock { machine in
            let replaced = machine
            return (change(&machine), replaced)
        }
        return value
    }
}
