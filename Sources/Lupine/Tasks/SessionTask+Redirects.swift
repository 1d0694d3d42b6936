internal import LupineCore

extension SessionTask {
    /// The request that a handler made in place of the proposed one, as it is sent: with the session's fields and its limit
    /// for bodies, where it has none of its own. No credential comes back that the proposed request has lost.
    func completed(_ chosen: HTTPRequest, insteadOf proposed: HTTPRequest) -> HTTPRequest {
        var request = chosen.keepingSecrets(of: proposed)
        if let userinfo = request.url.userinfo, userinfo != proposed.url.userinfo {
            let own = request.headers["Authorization"]
            if own == nil || own == proposed.headers["Authorization"] {
                request.headers["Authorization"] = userinfo.basicAuthorization
            }
        }
        for field in core.headers where !field.isForOneOrigin && !request.headers.contains(field.name) {
            request.headers.add(field)
        }
        if reader == nil, request.options.maximumBodySize == nil {
            request.options.maximumBodySize = core.maximumBodySize
        }
        return request
    }
}

extension HTTPRequest {
    /// The request that a handler made of the proposed one. Where it goes to another origin, what it has from there and is for
    /// one origin stays behind; what the handler gave it is its own.
    func keepingSecrets(of proposed: HTTPRequest) -> HTTPRequest {
        guard url.origin != proposed.url.origin else { return self }
        let left = Set(proposed.headers.filter(\.isForOneOrigin))
        var request = self
        request.headers = HTTPHeaders(headers.filter { !left.contains($0) })
        return request
    }
}
