import Foundation
import FoundationNetworking
import Lupine
import LupineFoundationBridge
import LupineTesting
import Testing

/// `HTTPResponse` to `HTTPURLResponse` and back.
struct ResponseConversionTests {
    private func response(
        _ url: String? = "http://example.test/", _ status: HTTPStatus = 200, _ headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        HTTPResponse(url: try url.map { try HTTPURL($0) }, status: status, headers: headers)
    }

    @Test(arguments: [100, 200, 204, 301, 404, 500, 599, 999])
    func statuses(_ status: Int) throws {
        let converted = try #require(
            HTTPURLResponse(try response("http://example.test/", HTTPStatus(rawValue: status))))
        #expect(converted.statusCode == status)
        #expect(HTTPResponse(converted).status.rawValue == status)
    }

    @Test(arguments: [
        ("http://example.test/ä ö?q=ü#f", "http://example.test/%C3%A4%20%C3%B6?q=%C3%BC#f"),
        ("https://bücher.test/", "https://xn--bcher-kva.test/"),
        ("http://ada:secret@example.test/", "http://example.test/"),
        ("http://[::1]:81/", "http://[::1]:81/"),
    ])
    func urls(_ text: String, _ expected: String) throws {
        let converted = try #require(HTTPURLResponse(try response(text)))
        #expect(converted.url?.absoluteString == expected)
        #expect(HTTPResponse(converted).url?.description == expected)
    }

    @Test func withoutAURLThereIsNone() throws { #expect(HTTPURLResponse(try response(nil)) == nil) }

    @Test func repeatedFieldsAreFolded() throws {
        let converted = try #require(
            HTTPURLResponse(
                try response(
                    "http://example.test/", 200,
                    [
                        "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2093 07:28:00 GMT; Path=/", "Via": "1.1 a", "X-A": "",
                        "set-cookie": "b=2", "via": "1.1 b", "Content-Type": "text/html; charset=utf-8",
                        "Content-Length": "5",
                    ])))
        #expect(converted.value(forHTTPHeaderField: "via") == "1.1 a, 1.1 b")
        #expect(converted.value(forHTTPHeaderField: "X-A") == "")
        #expect(converted.expectedContentLength == 5)
        #expect(converted.mimeType == "text/html")
        #expect(converted.textEncodingName == "utf-8")
        // Foundation's own reader takes them apart.
        let fields = try #require(converted.allHeaderFields as? [String: String])
        let url = try #require(converted.url)
        #expect(HTTPCookie.cookies(withResponseHeaderFields: fields, for: url).map(\.name).sorted() == ["a", "b"])

        let back = HTTPResponse(converted)
        #expect(back.version == .http1_1 && back.reason.isEmpty)
        #expect(back.headers.map(\.name) == back.headers.map(\.name).sorted { $0.lowercased() < $1.lowercased() })
        #expect(back.headers["Via"] == "1.1 a, 1.1 b")
        #expect(back.headers.count == 5)
        #expect(back.expectedBodyLength == 5)
    }

    /// A decoded body has another length than the fields that came with it say.
    @Test func theFieldsSpeakOfTheBodyDelivered() throws {
        var response = try response("http://example.test/", 200, ["Vary": "Accept-Encoding"])
        response.encodedHeaders = ["Content-Encoding": "gzip", "Content-Length": "3", "Vary": "Accept-Encoding"]
        let converted = try #require(HTTPURLResponse(response))
        #expect(converted.expectedContentLength == -1)
        #expect(converted.value(forHTTPHeaderField: "Content-Encoding") == nil)
    }

    @Test func aURLThatLupineDoesNotReadIsLeftOut() throws {
        let file = try #require(URL(string: "file:///etc/hosts"))
        let foundation = try #require(
            HTTPURLResponse(url: file, statusCode: 200, httpVersion: nil, headerFields: ["X-A": "1"]))
        #expect(HTTPResponse(foundation).url == nil)
        #expect(HTTPResponse(foundation).headers["x-a"] == "1")
    }

    /// As it came over the wire.
    @Test func ofARealAnswer() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes([
                "/": .text("hello", headers: ["Set-Cookie": "a=1", "Set-Cookie": "b=2"])
            ]))
        let session = URLSessionManager.direct()
        let answer = try await session.data(for: try session.request(server.url()))
        let converted = try #require(HTTPURLResponse(answer.response))
        #expect(converted.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
        #expect(converted.expectedContentLength == 5)
        #expect(converted.url?.absoluteString == server.url())
        await session.invalidate()
    }
}
