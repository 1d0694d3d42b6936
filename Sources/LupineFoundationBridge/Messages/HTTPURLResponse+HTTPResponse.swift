internal import Foundation
public import FoundationNetworking
internal import Lupine
public import LupineCore

extension HTTPURLResponse {
    /// The same head for Foundation: URL, status, version and fields.
    ///
    /// The fields are those that speak of the body as it is delivered (``HTTPResponse/headers``), so that
    /// `expectedContentLength` counts the same bytes. A repeated field becomes one, joined with `, `, as Foundation does with what
    /// it receives, `Set-Cookie` too: `HTTPCookie` reads it so. The reason phrase and the order of the fields are lost.
    ///
    /// Making one costs Foundation several microseconds; it is meant for code that asks for the type.
    ///
    /// - Returns: `nil` when the head has no URL, as one that a test has made may have, or none that Foundation reads.
    public convenience init?(_ response: HTTPResponse) {
        guard let url = response.url.flatMap({ URL(string: $0.description) }) else { return nil }
        self.init(
            url: url, statusCode: response.status.rawValue,
            httpVersion: "HTTP/\(response.version.major).\(response.version.minor)",
            headerFields: response.headers.folded { _ in ", " })
    }
}

extension HTTPResponse {
    /// The same head as Lupine has it: URL, status and fields.
    ///
    /// Foundation does not tell the version, which is HTTP/1.1 here, nor the reason phrase, which is empty. Fields come in the order
    /// of their names. What Foundation has joined stays joined: a `Set-Cookie` cannot be taken apart again without guessing. A URL
    /// that ``HTTPURL`` does not read is left out.
    public init(_ response: HTTPURLResponse) {
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name.base)"] = "\(value)" }
        self.init(
            url: response.url.flatMap { try? HTTPURL($0.absoluteString) },
            status: HTTPStatus(rawValue: response.statusCode),
            headers: HTTPHeaders(unordered: fields))
    }
}
