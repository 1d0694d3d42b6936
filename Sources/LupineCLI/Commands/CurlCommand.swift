internal import Lupine

/// The command that has curl do what a command line asks for.
struct CurlCommand {
    private var words = ["curl"]
    private var sendsData = false

    /// - Parameter request: with the session's fields.
    init(_ request: HTTPRequest, _ arguments: RequestArguments) {
        add(bodyOf: request, arguments)
        add(fieldsOf: request, arguments)
        // In the clear curl would offer an upgrade.
        words.append(request.url.isSecure && request.options.maximumHTTPVersion >= .http2 ? "--http2" : "--http1.1")
        add(routeOf: request.options, arguments)
        if arguments.maximumRedirects > 0 {
            words += ["--location", "--max-redirs", String(arguments.maximumRedirects)]
            if request.url.isSecure { words += ["--proto-redir", "=https"] }
        }
        if arguments.retries > 0 { words += ["--retry", String(arguments.retries), "--retry-connrefused"] }
        if let file = arguments.cookieFile { addCookies(file) }
        if let output = arguments.output { words += ["--output", output] }
        if arguments.includesHead { words.append("--include") }
        // What stands in the URL is sent as it stands there.
        words += ["--globoff", "--path-as-is", "--url", request.url.string]
    }

    /// Quoted for a shell.
    var text: String { words.map(Self.quoted).joined(separator: " ") }

    /// The method is named only where nothing else implies it: curl keeps one that it was given for all hops, also where a
    /// redirect makes a GET of it (RFC 9110 section 15.4).
    private mutating func add(bodyOf request: HTTPRequest, _ arguments: RequestArguments) {
        let method = request.method
        let upload = method == .put ? Self.upload(arguments, to: request.url) : nil
        let data = upload == nil ? Self.data(of: request, arguments) : []
        sendsData = !data.isEmpty
        switch method {
        case .head: words.append("--head")
        case .get where data.isEmpty: break
        case .post where sendsData: break
        case .put where upload != nil: break
        default:
            words += ["--request", method.rawValue]
            // With data curl takes any of them for a POST, whose body a redirect takes away unless it is told otherwise.
            if sendsData, arguments.maximumRedirects > 0 {
                words += ["--post301", "--post302"] + (method == .get ? ["--post303"] : [])
            }
        }
        words += data
        if let upload { words += ["--upload-file", upload] }
    }

    /// The file that curl PUTs by itself. To a URL that ends in a slash it would add the file's name.
    private static func upload(_ arguments: RequestArguments, to url: HTTPURL) -> String? {
        guard !url.path.hasSuffix("/") else { return nil }
        return switch arguments.data {
        case .file(let path): ["-", "."].contains(path) ? "./\(path)" : path
        case .standardInput: "-"
        case .text, nil: nil
        }
    }

    private static func data(of request: HTTPRequest, _ arguments: RequestArguments) -> [String] {
        if !arguments.parts.isEmpty { return arguments.parts.flatMap(\.curlWords) }
        switch arguments.data {
        case .file(let path): return ["--data-binary", "@\(path)"]
        case .standardInput: return ["--data-binary", "@-"]
        case .text, nil:
            guard case .bytes(let data) = request.body.source, !data.isEmpty || request.method.expectsBody else {
                return []
            }
            return ["--data-raw", String(decoding: data, as: UTF8.self)]
        }
    }

    /// What holds a `=` is a cookie to curl, unless an `@` stands before it, and `-` the standard input or output.
    private mutating func addCookies(_ file: String) {
        let file = file == "-" ? "./-" : file
        let isFile = !file.contains("=") && !file.hasPrefix("@")
        words += ["--cookie", isFile ? file : "@\(file)", "--cookie-jar", file]
    }

    private mutating func add(fieldsOf request: HTTPRequest, _ arguments: RequestArguments) {
        // With its data curl sends this by itself, and leaves it out where a redirect takes the data away.
        let implied = sendsData ? HTTPHeader(name: "Content-Type", value: "application/x-www-form-urlencoded") : nil
        for field in request.sentHeaders where field != implied {
            // The type of a multipart form names a boundary, and curl makes one of its own.
            if !arguments.parts.isEmpty, field.name.equalsIgnoringASCIICase("Content-Type") { continue }
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
