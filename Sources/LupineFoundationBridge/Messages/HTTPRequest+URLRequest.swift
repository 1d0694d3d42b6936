internal import Foundation
public import FoundationNetworking
internal import Lupine
public import LupineCore

extension HTTPRequest {
    /// The same request as Lupine sends it.
    ///
    /// Carried: URL, method, every header field, the body, and `timeoutInterval` as the idle timeout. Fields come in the order
    /// of their names, since `URLRequest` keeps none. A `httpBodyStream` becomes a body that can be sent once; it is opened, read
    /// beside the event loop and closed when the request is sent, and is not to be touched otherwise.
    ///
    /// Not carried, because nothing in a session answers to them: cache policies (there is no cache), `allowsCellularAccess`
    /// and its like, `networkServiceType`, `httpShouldHandleCookies`, `httpShouldUsePipelining`, `mainDocumentURL`,
    /// `attribution`.
    ///
    /// What `URLRequest` lets through and HTTP does not, such as a line break in a field, is carried as it is: sending it ends with
    /// `invalid-request`, and nothing leaves.
    ///
    /// - Parameter options: how the request is carried otherwise. Its idle timeout is replaced: by `timeoutInterval` in
    ///   seconds, by none where that is zero, negative, not a number, or a year and more.
    /// - Throws: ``LupineError`` with `invalid-url`: no URL, or none that ``HTTPURL`` reads; with `unsupported`: the cache policy
    ///   `returnCacheDataDontLoad`, which forbids to send anything.
    public init(_ request: URLRequest, options: TransferOptions = .init()) throws(LupineError) {
        guard let url = request.url else { throw LupineError(.invalidURL, "the request has no URL") }
        let target = try HTTPURL(url.absoluteString)
        guard request.cachePolicy != .returnCacheDataDontLoad else {
            throw LupineError(
                .unsupported, "the request to \(target.host) is to be answered from a cache only, and there is none",
                host: target.host)
        }
        var options = options
        options.timeouts.idle = Duration(idle: request.timeoutInterval)
        self.init(
            method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: target,
            headers: HTTPHeaders(unordered: request.allHTTPHeaderFields ?? [:]), body: HTTPBody(request),
            options: options)
    }
}

extension HTTPBody {
    fileprivate init(_ request: URLRequest) {
        if let stream = request.httpBodyStream {
            self = .oneShotStream(reader: InputStreamReader(stream))
        } else {
            self = request.httpBody.map { .bytes($0) } ?? .empty
        }
    }
}

extension HTTPHeaders {
    /// The fields in the order of their names, so that equal dictionaries become equal requests.
    init(unordered fields: [String: String]) {
        let sorted = fields.sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
        self.init(sorted.map { HTTPHeader(name: $0.key, value: $0.value) })
    }
}

extension Duration {
    /// From here on a time-out is none; in seconds, a year. Foundation has no word for none, and traps on what is far more.
    static let noIdleLimit: TimeInterval = 365 * 86_400

    fileprivate init?(idle interval: TimeInterval) {
        // False for what is not a number too.
        guard interval > 0, interval < Self.noIdleLimit else { return nil }
        self = .seconds(interval)
    }
}
