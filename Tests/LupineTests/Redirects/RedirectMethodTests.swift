import Lupine
import Testing

/// What is sent again: method, body, and the fields that speak of it (RFC 9110 section 15.4).
@Suite struct RedirectMethodTests {
    /// B55. Sections 15.4.2, 15.4.3, 15.4.4, 15.4.8 and 15.4.9; methods are case-sensitive (9.1).
    @Test(
        arguments: [
            (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"),
            (301, "PATCH", "PATCH"), (301, "DELETE", "DELETE"), (301, "post", "post"),
            (302, "GET", "GET"), (302, "HEAD", "HEAD"), (302, "POST", "GET"), (302, "PUT", "PUT"),
            (302, "OPTIONS", "OPTIONS"), (302, "IGLOO", "IGLOO"),
            (303, "GET", "GET"), (303, "HEAD", "HEAD"), (303, "POST", "GET"), (303, "PUT", "GET"),
            (303, "DELETE", "GET"), (303, "OPTIONS", "GET"), (303, "IGLOO", "GET"), (303, "head", "GET"),
            (307, "GET", "GET"), (307, "HEAD", "HEAD"), (307, "POST", "POST"), (307, "IGLOO", "IGLOO"),
            (308, "GET", "GET"), (308, "HEAD", "HEAD"), (308, "POST", "POST"), (308, "DELETE", "DELETE"),
        ] as [(Int, String, String)])
    func methods(status: Int, method: String, expected: String) throws {
        let next = try RedirectRun(to: "/x") {
            $0.status = HTTPStatus(rawValue: status)
            $0.method = HTTPMethod(rawValue: method)
        }.next()
        #expect(next.method.rawValue == expected)
        #expect(next.url.string == "https://a.example/x")
        #expect(next.validate() == nil)
    }

    /// Sections 15.4.1, 15.4.5 to 15.4.7 and 10.2.2: `Location` redirects with no other status.
    @Test(arguments: [100, 200, 201, 202, 204, 300, 304, 305, 306, 309, 310, 399, 404, 503] as [HTTPStatus])
    func otherStatusesAreAnswers(status: HTTPStatus) throws {
        #expect(try RedirectRun(to: "/x") { $0.status = status }.step().isAnswer)
    }

    @Test(arguments: [301, 302, 303, 307, 308] as [HTTPStatus])
    func withoutLocationItIsTheAnswer(status: HTTPStatus) throws {
        let run = RedirectRun(to: "") {
            $0.status = status
            $0.answer = ["Content-Location": "/x"]
        }
        #expect(try run.step().isAnswer)
    }

    /// B54. Section 5.1.
    @Test(arguments: ["location", "LOCATION", "lOcAtIoN"])
    func fieldNamesHaveNoCase(name: String) throws {
        #expect(try RedirectRun(to: "") { $0.answer = [name: "/x"] }.next().url.path == "/x")
    }

    /// B57. Section 15.4, step 5: and no field of the body's is left to wait for one.
    @Test(arguments: [(301, "POST"), (302, "POST"), (303, "POST"), (303, "PUT")] as [(HTTPStatus, HTTPMethod)])
    func aGetHasNothingOfTheBody(status: HTTPStatus, method: HTTPMethod) throws {
        for body in [HTTPBody.text("abc"), .again, .once, .empty] {
            let next = try RedirectRun(to: "/x") {
                $0.status = status
                $0.method = method
                $0.body = body
                $0.headers = [
                    "Accept": "text/html", "Content-Type": "text/plain", "content-length": "3",
                    "Content-Encoding": "gzip", "Content-Language": "de", "CONTENT-LOCATION": "/y",
                    "Content-MD5": "x", "Content-Disposition": "form-data", "Content-Range": "bytes 0-2/3",
                    "Transfer-Encoding": "chunked", "Expect": "100-continue", "Digest": "x",
                    "Content-Digest": "x", "Repr-Digest": "x", "Trailer": "x", "Last-Modified": "x",
                    "X-Content": "kept",
                ]
            }.next()
            #expect(next.body.length == 0 && next.body.isRewindable)
            #expect(next.headers.map(\.name) == ["Accept", "X-Content"])
        }
    }

    /// Sections 15.4.8 and 15.4.9, and 15.4.2 for all but POST: the request is sent as it was. What Linux's URLSession sends
    /// here is the method with an empty body (row B1), what AFNetworking met was a stream read already (B47).
    @Test(
        arguments: [(307, "POST"), (308, "POST"), (301, "PUT"), (302, "PATCH"), (307, "PUT")]
            as [(
                HTTPStatus, HTTPMethod
            )])
    func aBodyIsSentAgain(status: HTTPStatus, method: HTTPMethod) throws {
        for body in [HTTPBody.text("abc"), .again] {
            let headers: HTTPHeaders = [
                "Content-Type": "text/plain", "Content-Length": "3", "Expect": "100-continue",
            ]
            let next = try RedirectRun(to: "/x") {
                $0.status = status
                $0.method = method
                $0.body = body
                $0.headers = headers
            }.next()
            #expect(next.method == method)
            #expect(next.body.length == 3)
            #expect(next.headers == headers)
        }
    }

    @Test(arguments: [(307, "POST"), (308, "POST"), (301, "PUT"), (302, "PATCH")] as [(HTTPStatus, HTTPMethod)])
    func aBodyThatCanBeReadOnceIsNot(status: HTTPStatus, method: HTTPMethod) throws {
        let error = try RedirectRun(to: "/x") {
            $0.status = status
            $0.method = method
            $0.body = .once
        }.refusal()
        #expect(error.code == .uploadSourceFailed)
        #expect(error.message.contains("only once"))
        #expect(error.response?.status == status)
    }

    /// Of nothing there is nothing to send again.
    @Test func aSourceOfNothingGoesOn() throws {
        let next = try RedirectRun(to: "/x") {
            $0.status = 307
            $0.method = .post
            $0.body = .oneShotStream(length: 0, AsyncStream { $0.finish() })
        }.next()
        #expect(next.method == .post)
        #expect(next.body.length == 0 && next.body.isRewindable)
    }
}
