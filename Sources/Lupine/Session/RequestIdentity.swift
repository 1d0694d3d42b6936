internal import LupineCore
internal import LupineSerialization

/// What requests have in common that may be answered together: all that is sent, and how.
struct RequestIdentity: Hashable {
    private let method: HTTPMethod
    private let url: HTTPURL
    private let headers: HTTPHeaders
    private let options: TransferOptions
    /// Whom an interceptor asks must not wait for those that wait for the interceptor.
    private let bypassed: ObjectIdentifier?
    private let check: Check?

    private struct Check: Hashable {
        let statuses: StatusSet?
        let contentTypes: ContentTypeSet?
    }

    /// - Parameters:
    ///   - request: with the session's fields.
    ///   - check: what its answer has to stand, lest retriers are asked.
    init(_ request: HTTPRequest, check: HTTPResponseSerializer? = nil) {
        method = request.method
        url = request.url
        headers = request.headers
        options = request.options
        bypassed = Bypass.interceptor
        self.check = check.map {
            Check(statuses: $0.acceptableStatuses, contentTypes: $0.acceptableContentTypes)
        }
    }
}

extension HTTPRequest {
    /// Whether it asks to be answered together with identical ones, and can be: it changes nothing, and is all there is to it.
    var isCoalescable: Bool {
        options.coalescesIdenticalRequests && (method == .get || method == .head) && body.isEmpty
            && !hasSourceOfNothing && !options.priority.isNaN
    }
}
