internal import Lupine

/// The command that has curl do what a command line asks for.
struct CurlCommand {
    private var words = ["curl"]

    /// - Parameter request: with the session's fields.
    init(_ request: HTTPRequest, _ arguments: RequestArguments) {
        add(method: request.method, body: request.body, arguments)
        add(fieldsOf: request)
        // In the clear curl would offer an upgrade.
        words.append(request.url.isSecure && request.options.maximumHTTPVersion >= .http2 ? "--http2" : "--http1.1")
        add(routeOf: request.options, arguments)
        if arguments.maximumRedirects > 0 {
            // curl keeps a method that it was given for all hops, also where a redirect makes a GET of it (RFC 9110 15.4).
            words += ["--location", "--max-redirs", String(arguments.maximumRedirects)]
            if request.url.isSecure { words += ["--proto-redir", "=https"] }
        }
        if let file = arguments.cookieFile { words += ["--cookie", file, "--cookie-jar", file] }
        if let output = arguments.output { words += ["--output", output] }
        if arguments.includesHead { words.append("--include") }
        // What stands in the URL is sent as it stands there.
        words += ["--globoff", "--path-as-is", "--url", request.url.string]
    }

    /// Quoted for a shell.
    var text: String { words.map(Self.quoted).joined(separator: " ") }

    private mutating func add(method: HTTPMethod, body: HTTPBody, _ arguments: RequestArguments) {
        switch method {
        case .head: words.append("--head")
        case .get where body.isEmpty: break
        case .post where !body.isEmpty: break
        default: words += ["--request", method.rawValue]
        }
        switch arguments.data {
        case .text(let text): words += ["--data-raw", text]
        case .file(let path): words += ["--data-binary", "@\(path)"]
        case .standardInput: words += ["--data-binary", "@-"]
        case nil:
            if case .bytes(let data) = body.source, !data.isEmpty || method.expectsBody {
                words += ["--data-raw", String(decoding: data, as: UTF8.self)]
            }
        }
    }

    private mutating func add(fieldsOf request: HTTPRequest) {
        for field in request.sentHeaders {
            words += ["--header", field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"]
        }
        // Defaults of curl's that are none here.
        let hasBody = !request.body.isEmpty || request.method.expectsBody
        for (name, counts) in [("Content-Type", hasBody), ("Expect", hasBody), ("User-Agent", true), ("Accept", true)]
        where counts && !request.headers.contains(name) {
            words += ["--header", "\(name):"]
        }
        if request.options.decodesContent, !request.headers.contains("Accept-Encoding") { words.append("--compressed") }
    }

    private mutating func add(routeOf options: TransferOptions, _ arguments: RequestArguments) {
        if let connect = options.timeouts.connect { words += ["--connect-timeout", String(connect.seconds)] }
        if let total = options.timeouts.total { words += ["--max-time", String(total.seconds)] }
        if let idle = options.timeouts.idle {
            words += ["--speed-limit", "1", "--speed-time", String(Int(idle.seconds.rounded(.up)))]
        }
        if let file = arguments.rootsFile { words += ["--cacert", file] }
        if let path = options.route.unixSocket { words += ["--unix-socket", path] }
        for redirection in options.route.connectTo { words += ["--connect-to", redirection.curlText] }
        switch options.route.addressFamily {
        case .any: break
        case .ipv4: words.append("--ipv4")
        case .ipv6: words.append("--ipv6")
        }
        switch options.route.proxy {
        case .environment: break
        case .none: words += ["--noproxy", "*"]
        case .url(let url): words += ["--proxy", url]
        }
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = { (byte: UInt8) in byte.isASCIIAlpha || byte.isASCIIDigit || "-_./=+:@".utf8.contains(byte) }
        return !word.isEmpty && word.utf8.allSatisfy(isPlain) ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
