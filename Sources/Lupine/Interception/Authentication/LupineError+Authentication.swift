internal import LupineCore

// How requests end that get no credential. None of these messages tells one: of another's error it tells the type alone.
extension LupineError {
    static func noCredential(for host: String) -> LupineError {
        LupineError(
            .authenticationFailed,
            "there is no credential for \(host): set the interceptor's `credential`, after a login, say", host: host)
    }

    static func refreshFailed(_ error: any Error, for host: String) -> any Error {
        if error is LupineError { return error }
        return LupineError(
            .authenticationFailed, "the credential for \(host) could not be refreshed: \(type(of: error))", host: host,
            underlying: error)
    }

    static func excessiveRefresh(
        _ window: RefreshWindow?, for host: String, after error: (any Error)?
    ) -> LupineError {
        let limit = window.map { "\($0.maximumAttempts) times within \($0.interval.shortText)" } ?? "too often"
        return LupineError(
            .authenticationFailed,
            "excessive refresh: the credential for \(host) was refreshed, or that was tried, \(limit)", host: host,
            underlying: error)
    }

    /// Whether what failed was answered by the origin that the request was for, and the way there never led past it: the answer of
    /// another, which did not get the credential, says nothing about it. Nor does that of the same origin to a request that came
    /// back to it, since it has lost the credential on the way.
    func isOfOrigin(of request: HTTPRequest) -> Bool {
        guard let origin = response?.url?.origin, redirects.allSatisfy({ $0.hasOrigin(origin) }) else { return false }
        // A host that is reached over https only gets there what was given for http.
        return request.url.hasOrigin(origin) || (try? request.url.overHTTPS())?.hasOrigin(origin) == true
    }
}
