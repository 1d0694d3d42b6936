package import FoundationEssentials
package import LupineCore

/// How the faults of one answer compose, the same for every serializer.
///
/// The status is on top, then the type, then the content, and what is wrong besides lies underneath: a page that a gateway
/// sends with a 502 is `unacceptable-status`, with `unacceptable-content-type` as its `underlying`; a 422 whose JSON is broken
/// has that beneath it.
package struct ResponseCheck {
    private let serializer: HTTPResponseSerializer

    package init(_ acceptableStatuses: StatusSet?, _ acceptableContentTypes: ContentTypeSet?) {
        serializer = HTTPResponseSerializer(
            acceptableStatuses: acceptableStatuses, acceptableContentTypes: acceptableContentTypes)
    }

    /// Status and type alone, for a value that an answer with another status is not expected to hold.
    package func check(_ data: Data, _ response: HTTPResponse, _ request: HTTPRequest) throws(LupineError) {
        try serializer.validate(data, response: response, request: request)
    }

    /// What `read` makes of the content, if status and type are acceptable. The content of an unacceptable status is read too,
    /// for what is wrong with it.
    package func value<Value>(
        of data: Data, _ response: HTTPResponse, _ request: HTTPRequest, _ read: () throws(LupineError) -> Value
    ) throws(LupineError) -> Value {
        do throws(LupineError) {
            try check(data, response, request)
        } catch {
            guard error.code == .unacceptableStatus, error.underlying == nil else { throw error }
            do throws(LupineError) { _ = try read() } catch let beneath { throw error.with(underlying: beneath) }
            throw error
        }
        return try read()
    }
}
