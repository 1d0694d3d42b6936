internal import Foundation
public import FoundationNetworking
internal import Lupine
public import LupineCore

extension URLRequest {
    /// The same request for Foundation.
    ///
    /// Carried: method, URL with its fragment, fields, a body in memory, and the idle timeout as `timeoutInterval`, in seconds;
    /// a year where there is no limit. A repeated field becomes one, joined as `addValue(_:forHTTPHeaderField:)` joins
    /// with `,`, cookies with `; ` (RFC 6265 section 4.2.1). The URL's credentials become an `Authorization` field, if the request
    /// has none, as they do when Lupine sends it; no URL holds them.
    ///
    /// The other options of ``TransferOptions`` have no place there.
    ///
    /// - Throws: ``LupineError`` with `unsupported`: the body is a file or a stream; with `invalid-request`: what Lupine would not
    ///   send either (``HTTPRequest/validate()``), for Foundation would let a line break in a field through; with `invalid-url`:
    ///   the URL is none for Foundation.
    public init(_ request: HTTPRequest) throws(LupineError) {
        if let fault = request.validate() { throw fault }
        guard let url = URL(string: request.url.description) else {
            throw LupineError(
                .invalidURL, "Foundation cannot read the URL \(request.url.string.quotedForMessage)",
                host: request.url.host)
        }
        self.init(url: url, timeoutInterval: request.options.timeouts.idle.map(\.interval) ?? Duration.noIdleLimit)
        httpMethod = request.method.rawValue
        var headers = request.headers
        if let authorization = request.url.userinfo?.basicAuthorization, !headers.contains("Authorization") {
            headers.add(name: "Authorization", value: authorization)
        }
        allHTTPHeaderFields = headers.folded { $0.equalsIgnoringASCIICase("Cookie") ? "; " : "," }
        guard case .bytes(let data) = request.body.source else {
            throw LupineError(
                .unsupported, "a body that is read while it is sent has no place in a URLRequest",
                host: request.url.host)
        }
        if !data.isEmpty { httpBody = data }
    }
}

extension HTTPHeaders {
    /// One value a name, under the spelling that came first.
    func folded(separator: (_ name: String) -> String) -> [String: String] {
        var spellings: [String: String] = [:]
        var fields: [String: String] = [:]
        for field in self {
            let name = spellings[field.name.asciiLowercased, default: field.name]
            spellings[field.name.asciiLowercased] = name
            fields[name] = fields[name].map { $0 + separator(name) + field.value } ?? field.value
        }
        return fields
    }
}

extension Duration {
    fileprivate var interval: TimeInterval { self / .seconds(1) }
}
