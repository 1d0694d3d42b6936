internal import LupineCore

// Where a session has a circuit breaker: a host that fails is not asked.
extension TaskExchange {
    /// Whether it may be sent. Otherwise it is over, with an error that says why.
    func passes() -> Bool {
        guard core.breaksCircuits else { return true }
        pass = core.hosts.pass(request.url, at: core.clock.elapsed())
        if pass != nil { return true }
        let host = request.url.host
        let error = LupineError(
            .notReachable, "\(host) has failed too often in a row, and is not asked for a while; nothing was sent",
            host: host)
        didFinish(ExchangeCompletion(error: error, delivery: .unsent))
        return false
    }

    func leaveCircuit(_ completion: ExchangeCompletion) {
        guard pass != nil else { return }
        leaveCircuit(HostHealth(after: completion.error, response: response))
    }

    /// Does nothing where that has been told.
    func leaveCircuit(_ health: HostHealth) {
        guard let pass = pass.take() else { return }
        core.hosts.ended(pass, request.url, health, at: core.clock.elapsed())
    }
}
