import Lupine
import LupineTesting
import Testing

/// The web platform's and curl's tables of redirects, against the policy alone.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint), .timeLimit(.minutes(1)))
struct RedirectConformanceTests {
    private struct Table: Decodable {
        struct Method: Decodable {
            let status: Int
            let method: String
            let with_body: Bool
            let next_method: String
            let body_resent: Bool
            let content_headers_kept: Bool
        }
        struct Count: Decodable {
            let status: Int
            let hops: Int
            let ok: Bool
        }
        struct Bytes: Decodable {
            let location: String
            let requested_suffix: String
        }
        struct Edge: Decodable {
            let status: Int
            let location: String?
            let expect: String
        }
        let redirect_method: [Method]
        let redirect_count: [Count]
        let redirect_location_bytes: [Bytes]
        let redirect_edge: [Edge]
    }

    private static func table() throws -> Table { try ConformanceCases.read("http1/wpt-tables.json") }

    @Test func methods() throws {
        var comparison = Comparison("WPT redirected methods")
        for testCase in try Self.table().redirect_method {
            let content: HTTPHeaders = [
                "Content-Encoding": "identity", "Content-Language": "en", "Content-Location": "/y",
                "Content-Type": "text/plain",
            ]
            let next = try RedirectRun(to: "/x") {
                $0.status = HTTPStatus(rawValue: testCase.status)
                $0.method = HTTPMethod(rawValue: testCase.method)
                $0.headers = content
                if testCase.with_body { $0.body = .text("body") }
            }.next()
            let seen = (next.method.rawValue, !next.body.isEmpty, next.headers == content)
            let expected = (testCase.next_method, testCase.body_resent, testCase.content_headers_kept)
            comparison.add(
                "\(testCase.status) \(testCase.method)", seen == expected ? nil : "\(seen), must be \(expected)")
        }
        comparison.conclude()
    }

    @Test func counts() throws {
        var comparison = Comparison("WPT redirect counts")
        let policy = RedirectPolicy()
        for testCase in try Self.table().redirect_count {
            var request: HTTPRequest? = HTTPRequest(url: try HTTPURL("http://a.example/"))
            for hop in 0..<testCase.hops {
                let answer = HTTPResponse(
                    status: HTTPStatus(rawValue: testCase.status), headers: ["Location": "/\(hop)"])
                request = request.flatMap { policy.step(after: answer, to: $0, followed: hop).next }
            }
            let isFollowed = request != nil
            comparison.add(
                "\(testCase.status) \(testCase.hops) times",
                isFollowed == testCase.ok ? nil : "followed: \(isFollowed), must be \(testCase.ok)")
        }
        comparison.conclude()
    }

    /// Through the engine, which is where bytes become text.
    @Test func locationBytes() async throws {
        let cases = try Self.table().redirect_location_bytes
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest(), let number = Int(request.path.dropFirst()) else { return }
            let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(cases[number].location)\r\n\r\n"
            try connection.send(head.latin1)
        }
        let transport = CurlTransport()
        var comparison = Comparison("WPT Location bytes")
        for (number, testCase) in cases.enumerated() {
            let request = try HTTPRequest.direct(.get, server.url("/\(number)")), receiver = RecordingReceiver()
            transport.start(request, receiver: receiver)
            let answer = try await receiver.waitForHead()
            let next = try #require(RedirectPolicy().step(after: answer, to: request, followed: 0).next)
            let seen = next.url.path.dropFirst() + (next.url.query.map { "?\($0)" } ?? "")
            let isEqual = seen == testCase.requested_suffix
            comparison.add(
                testCase.location, isEqual ? nil : "\(seen.debugDescription), must be \(testCase.requested_suffix)")
        }
        await transport.shutdown()
        server.stop()
        comparison.conclude(known: [
            KnownDifference(
                "a percent sign that begins no triplet is encoded too (RFC 3986 section 2.4)",
                ["top.txt?%\u{E2}\u{98}\u{83}"])
        ])
    }

    @Test func edges() throws {
        var comparison = Comparison("WPT redirect edges")
        for testCase in try Self.table().redirect_edge {
            let step = try RedirectRun(to: "") {
                $0.status = HTTPStatus(rawValue: testCase.status)
                $0.answer = testCase.location.map { ["Location": $0] } ?? [:]
            }.step()
            let isRight = testCase.expect.hasPrefix("error") ? step.refusal != nil : step.isAnswer
            comparison.add(
                "\(testCase.status) \(testCase.location ?? "without")",
                isRight ? nil : "\(step), must be: \(testCase.expect)")
        }
        comparison.conclude(known: [
            KnownDifference(
                "an empty reference is the same place (RFC 3986 section 4.4): a POST that 303 sends there is a GET by then",
                ["302 "])
        ])
    }

    /// curl's table of references once more: as a redirect, without credentials and fragments, which have other rules there.
    @Test func references() throws {
        struct Table: Decodable { let redirect: [Reference] }
        struct Reference: Decodable {
            let base: String
            let location: String
            let result: String
            let flags: String
            let code: String
        }
        var comparison = Comparison("curl redirect targets")
        for testCase in try ConformanceCases.read("url/curl-url-tables.json", as: Table.self).redirect {
            guard testCase.base.hasPrefix("http"), !testCase.flags.contains("NO_AUTHORITY") else {
                comparison.skipped += 1
                continue
            }
            let id = "\(testCase.base) \(testCase.location)"
            let step = try RedirectRun(to: testCase.location) {
                $0.url = testCase.base
                $0.policy.allowsDowngrade = true
            }.step()
            guard testCase.code == "CURLUE_OK" else {
                comparison.add(id, step.refusal == nil ? "\(step), must be refused" : nil)
                continue
            }
            let expected = SpelledURL(table: String(testCase.result.prefix { $0 != "#" })).text
            let seen = step.next?.url.string ?? "\(step)"
            comparison.add(id, seen == expected ? nil : "\(seen), must be \(expected)")
        }
        comparison.conclude(known: Self.knownReferences)
    }

    private static let knownReferences = [
        KnownDifference(
            "an empty host is none, and no slash is skipped to find one (RFC 9110 section 4.2.1)",
            ["http://example.org/ ///example.org/../path/../../"]),
        KnownDifference(
            "a space in a query is %20: only forms write it as + (RFC 3986 section 2.1)",
            [
                "http://example.com/please/../gimme/%TESTNUMBER?foobar#hello http://example.net/there/it/is/../../"
                    + "tes t case=/%TESTNUMBER0002? yes no"
            ]),
    ]
}
