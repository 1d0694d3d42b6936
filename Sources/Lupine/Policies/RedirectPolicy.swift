public import LupineCore

/// Which redirects are followed, and with what request: a value.
///
/// By RFC 9110 sections 10.2.2 and 15.4, and the "HTTP-redirect fetch" of WHATWG's fetch standard where those leave a
/// choice. Credentials stay with the origin they were meant for. See ``step(after:to:followed:)``.
public struct RedirectPolicy: Hashable, Sendable {
    /// Redirects in a row that are followed, at most; one more ends with `too-many-redirects`. 20 by default. 0: none is,
    /// and the 3xx itself is the answer.
    public var maximumRedirects = 20
    /// Whether a redirect may lead from https to http, where everybody on the way reads the request and may change the
    /// answer. `false` by default: it ends with `bad-response`.
    public var allowsDowngrade = false

    public init() {}

    /// What an answer means for the request it answers.
    ///
    /// 301, 302, 303, 307 and 308 with a `Location` redirect; 300, 304, 305 and 306 do not. The next request differs so:
    ///
    /// - After 301 and 302 a POST becomes a GET, after 303 everything but GET and HEAD does. A request that becomes a GET loses
    ///   its body, and the fields that speak of one. All others are sent again as they were, body included.
    /// - Its URL is `Location`'s, read against the request's. What is not allowed in a URL is percent-encoded. A fragment is
    ///   inherited where `Location` has none. Credentials in `Location` are ignored, on the same origin too: a server does
    ///   not choose as whom a client speaks (section 4.2.4 would go further, and have it refused).
    /// - If scheme, host or port differ, it has no credentials: none from the URL, no field that
    ///   `HTTPHeader.isSecret` tells (`Authorization`, `Cookie`, API keys), and neither `Host`, `Referer` nor `Origin`, which
    ///   speak of the first origin. A chain that comes back there has lost them for good.
    /// - Everything else is as it was. `connectTo` says where hosts are reached, and holds for any host that it names.
    ///
    /// What is refused carries the answer's head, and one of these codes:
    ///
    /// - `too-many-redirects`.
    /// - `bad-response`: `Location` is no URL, or there are two that differ, so that readers would not agree on one. Or it leads
    ///   where a request is not sent after it: to another scheme than http and https; from https to http, without
    ///   ``allowsDowngrade``; or from a Unix socket to another origin, whose requests are not for that socket, while a server
    ///   on it is not to send the request out into a network.
    /// - `upload-source-failed`: the body must be sent again, and can be read only once. The server is not at fault, and
    ///   sending the same again ends the same way: it is the source that must be another.
    ///
    /// - Parameters:
    ///   - followed: how many redirects led to this request.
    ///   - hsts: hosts that are gone to over https, wherever a redirect to them says http.
    public func step(
        after response: HTTPResponse, to request: HTTPRequest, followed: Int, hsts: HSTSStorage? = nil
    ) -> RedirectStep {
        guard maximumRedirects > 0, response.status.redirects, let location = response.headers["Location"] else {
            return .answer
        }
        do throws(LupineError) {
            guard followed < maximumRedirects else {
                throw request.refusal(
                    .tooManyRedirects, "redirects once more after \(followed) redirects, the most that are followed")
            }
            // The same twice is one place; of two places, others would take the other. By bytes: a server knows no
            // characters that are equivalent.
            guard response.headers.values(for: "Location").allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
                throw request.refusal(.badResponse, "redirects to several places at once (RFC 9110 10.2.2)")
            }
            return .follow(try self.request(after: response.status, to: request, at: location, hsts: hsts))
        } catch {
            return .refuse(error.with(response: response, data: nil, metrics: nil))
        }
    }

    private func request(
        after status: HTTPStatus, to request: HTTPRequest, at location: String, hsts: HSTSStorage?
    ) throws(LupineError) -> HTTPRequest {
        let named = try request.target(of: location), target = hsts?.upgraded(named) ?? named
        let crosses = target.origin != request.url.origin
        if request.url.isSecure, !target.isSecure, !allowsDowngrade {
            throw request.refusal(
                .badResponse,
                "redirects from https to \(target.origin), where others could read along; allowsDowngrade follows it")
        }
        if crosses, request.options.route.unixSocket != nil {
            throw request.refusal(
                .badResponse,
                "redirects from a Unix socket to another origin, \(target.origin); a request of its own can go there")
        }
        var next = request
        next.url = target.with(
            userinfo: crosses ? nil : request.url.userinfo, fragment: target.fragment ?? request.url.fragment)
        if status.makesGet(of: request.method) {
            next.method = .get
            next.body = .empty
            next.headers = HTTPHeaders(next.headers.filter { !$0.speaksOfBody })
        } else if next.body.isEmpty {
            // A source of nothing may be one that cannot be asked twice.
            next.body = .empty
        } else if !next.body.isRewindable {
            throw request.spentBodyRefusal
        }
        if crosses { next.headers = HTTPHeaders(next.headers.filter { !$0.isForOneOrigin }) }
        return next
    }
}

/// What an answer means for the request it answers.
public enum RedirectStep: Sendable {
    /// It is the answer.
    case answer
    /// It leads on to this request, which is ready to be sent: a credential it does not have is not to be added again.
    case follow(HTTPRequest)
    /// It leads where the request does not follow.
    case refuse(LupineError)
}
