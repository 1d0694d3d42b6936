import FoundationEssentials
import Lupine
import LupineCore

/// One of curl's own tests of redirects: what is sent, what is answered, in turn.
struct CurlRedirectCase: Decodable {
    struct Table: Decodable { let cases: [CurlRedirectCase] }
    struct Reply: Decodable {
        let part: String
        let latin1: String
    }
    struct Expectation: Decodable { let request: String? }

    let id: String
    let area: String
    let command: String?
    let replies: [Reply]
    let expect: Expectation
    let outcome: String

    struct Chain {
        let requests: [Sent]
        let replies: [HTTPResponse]
        /// The same as the server sends them.
        let bytes: [[UInt8]]
        /// Whether curl ends without an error.
        let isGood: Bool
        /// Whether the body comes from the standard input.
        let isReadOnce: Bool
    }

    /// What of a request a redirect decides.
    struct Sent: Equatable {
        var method: String
        /// Host and port, as the server is told.
        var host: String
        /// Path and query.
        var target: String
        /// Those that a redirect may take away.
        var fields: [String]
        var body: String
        /// Scheme and authority: not told.
        var origin = ""

        static func == (left: Sent, right: Sent) -> Bool {
            left.method == right.method && left.host == right.host && left.target == right.target
                && left.fields == right.fields && left.body == right.body
        }
    }

    private static let follows: Set = ["-L", "--location", "--follow"]
    private static let withoutMeaning: Set = ["--insecure", "--silent", "--no-progress-meter", "-0"]
    /// What these do stands in the first request, or in no request.
    private static let withoutMeaningButValue: Set = [
        "-x", "--proxy", "--proxy-user", "-H", "-d", "-T", "-X", "-u", "--user", "-w", "--oauth2-bearer",
        "--max-redirs", "--resolve", "--connect-to",
    ]

    /// The redirects that `--max-redirs` allows; curl has 50 without.
    var maximumRedirects: Int {
        let words = CurlCase.words(command ?? "")
        guard let option = words.firstIndex(of: "--max-redirs"), option + 1 < words.count else { return 50 }
        return Int(words[option + 1]) ?? 50
    }

    /// `nil`: the test does not follow redirects, follows them against the standard (`--post301`, `--location-trusted`), or is
    /// of something else besides (authentication that asks, a proxy's tunnel, several URLs, `Referer` by itself, forms, whose
    /// lengths in the table are not those of their bodies there).
    var chain: Chain? {
        guard let command, let sent = expect.request.map(expanded), replies.allSatisfy({ $0.part != "connect" }) else {
            return nil
        }
        var words = CurlCase.words(command)[...], isFollowed = false, urls = 0
        while let word = words.popFirst() {
            switch word {
            case _ where Self.follows.contains(word): isFollowed = true
            case _ where Self.withoutMeaning.contains(word): continue
            case _ where Self.withoutMeaningButValue.contains(word): words = words.dropFirst()
            case _ where word.hasPrefix("-"): return nil
            default: urls += 1
            }
        }
        guard isFollowed, urls == 1 else { return nil }
        let bytes = replies.map { expanded($0.latin1).latin1 }
        let requests = Self.requests(in: sent), replies = replies.map { Self.response(expanded($0.latin1)) }
        guard !requests.isEmpty else { return nil }
        let isReadOnce = command.contains("-T - ")
        return Chain(
            requests: requests, replies: replies, bytes: bytes, isGood: outcome == "ok", isReadOnce: isReadOnce)
    }

    /// The text with a host, ports and the test's number for curl's names of them.
    private func expanded(_ text: String) -> String {
        text.replacing("%HOSTIP", with: "127.0.0.1").replacing("%HTTPPORT", with: "8990")
            .replacing("%HTTPSPORT", with: "8991").replacing("%HOST6IP", with: "[::1]")
            .replacing("%HTTP6PORT", with: "8992").replacing("%TESTNUMBER", with: String(id.dropFirst(5)))
    }

    private static func response(_ latin1: String) -> HTTPResponse {
        var lines = String(decoding: latin1.latin1, as: UTF8.self).split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n"
        }[...]
        var status = 0
        repeat {
            status = lines.popFirst()?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            // An interim answer, and the empty line after it.
            if status == 100 { lines = lines.drop { !$0.isEmpty }.dropFirst() }
        } while status == 100
        var headers = HTTPHeaders()
        for line in lines.prefix(while: { !$0.isEmpty }) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...]).trimmingOWS
            headers.add(name: String(line[..<colon]), value: String(value))
        }
        return HTTPResponse(status: HTTPStatus(rawValue: status), headers: headers)
    }

    /// The requests that stand in a text one after another. Chunked ones end at the last chunk.
    private static func requests(in text: String) -> [Sent] {
        var rest = text.latin1[...], requests: [Sent] = []
        while let end = rest.firstRange(of: "\r\n\r\n".utf8) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            rest = rest[end.upperBound...]
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count == 3 else { return requests }
            var headers = HTTPHeaders()
            for line in lines.dropFirst() {
                guard let colon = line.firstRange(of: ": ") else { continue }
                headers.add(name: String(line[..<colon.lowerBound]), value: String(line[colon.upperBound...]))
            }
            var length = headers["Content-Length"].flatMap { Int($0) } ?? 0
            if headers.contains("Transfer-Encoding"), let last = rest.firstRange(of: "0\r\n\r\n".utf8) {
                length = last.upperBound - rest.startIndex
            }
            let sent = rest.prefix(length)
            let body = String(decoding: headers.contains("Transfer-Encoding") ? dechunked(sent) : sent, as: UTF8.self)
            rest = rest.dropFirst(length)
            requests.append(
                Sent(String(words[0]), target: String(words[1]), headers: headers, body: body))
        }
        return requests
    }

    private static func dechunked(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes, content: ArraySlice<UInt8> = []
        while let end = rest.firstRange(of: "\r\n".utf8) {
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16) ?? 0
            content += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return content
    }
}

extension CurlRedirectCase.Sent {
    private static let names: Set = ["authorization", "cookie", "referer", "content-type"]

    private static func fields(of headers: HTTPHeaders) -> [String] {
        headers.filter { names.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
    }

    /// A request as it is sent, to a proxy by its whole URL.
    init(_ method: String, target: String, headers: HTTPHeaders, body: String) {
        let host = headers["Host"] ?? "", isWhole = target.hasPrefix("http://")
        let path = isWhole ? target.dropFirst(7).firstIndex(of: "/") ?? target.endIndex : target.startIndex
        self.init(
            method: method, host: host, target: String(target[path...]), fields: Self.fields(of: headers), body: body,
            origin: isWhole ? String(target[..<path]) : "http://\(host)")
    }

    init(_ request: HTTPRequest) {
        let url = request.url
        var body = ""
        if case .bytes(let data) = request.body.source { body = String(decoding: data, as: UTF8.self) }
        // Of an address the zone is nobody else's business (RFC 6874 section 1).
        var authority = String(url.origin.dropFirst(url.scheme.count + 3))
        if let zone = authority.firstRange(of: "%25"), let end = authority.lastIndex(of: "]") {
            authority.removeSubrange(zone.lowerBound..<end)
        }
        self.init(
            method: request.method.rawValue,
            host: request.headers["Host"] ?? authority,
            target: url.path + (url.query.map { "?\($0)" } ?? ""), fields: Self.fields(of: request.headers), body: body)
    }

    /// The request that a program makes for it. `Host` is its own where it says another than the URL.
    func request(isReadOnce: Bool) throws -> HTTPRequest {
        var headers = HTTPHeaders()
        for field in fields {
            guard let colon = field.firstRange(of: ": ") else { continue }
            headers.add(name: String(field[..<colon.lowerBound]), value: String(field[colon.upperBound...]))
        }
        if !origin.hasSuffix("//\(host)") { headers.add(name: "Host", value: host) }
        return HTTPRequest(
            method: HTTPMethod(rawValue: method), url: try HTTPURL(origin + target), headers: headers,
            body: isReadOnce ? .once : .text(body))
    }
}
