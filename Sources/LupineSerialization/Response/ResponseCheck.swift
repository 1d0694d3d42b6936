internal import FoundationEssentials
internal import LupineCore

/// How the faults of one answer compose, the same for every serializer.
///
/// The status is on top, then the type, then the content, and what is wrong besides lies underneath: a page that a gateway
/// sends with a 502 is `unacceptable-status`, with `unacceptable-content-type` as its `underlying`; a 422 whose JSON is broken
/// has that beneath it.
struct ResponseCheck {
    private let check: HTTPResponseSerializer

    init(_ acceptableStatuses: StatusSet?, _ acceptableContentTypes: ContentTypeSet?) {
        check = HTTPResponseSerializer(
            acceptableStatuses: acceptableStatuses, acceptableContentTypes: acceptableContentTypes)
    }

    /// What `read` makes of the content, if status and type are acceptable.
    ///
    /// - Parameter readsErrors: read the content of an unacceptable status too, for what is wrong with it. Not where a value
    ///   is wanted that such an answer does not hold.
    func value<Value>(
        of data: Data, _ response: HTTPResponse, _ request: HTTPRequest, readsErrors: Bool = true,
        _ read: () throws(LupineError) -> Value
    ) throws(LupineError) -> Value {
        do throws(LupineError) {
            try check.validate(data, response: response, request: request)
        } catch {
            guard readsErrors, error.code == .unacceptableStatus, error.underlying == nil else { throw error }
            do throws(LupineError) { _ = try read() } catch let beneath { throw error.with(underlying: beneath) }
            throw error
        }
        return try read()
    }
}
