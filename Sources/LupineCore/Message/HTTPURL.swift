/// An absolute http or https URL in one canonical form (RFC 3986, RFC 9110 section 4.2).
///
/// One reading decides what is sent, where a connection goes and whether two URLs share an origin. Scheme and host
/// are lower case, a default port and dot segments are gone, an empty path is `/`; what RFC 3986 does not allow in
/// a path, query or fragment (spaces, non-ASCII text) is percent-encoded as UTF-8; a numeric host is an IPv4 address in
/// four decimal parts, an IPv6 address is as RFC 5952 writes it. Credentials are kept apart: no
/// form of the text holds them.
public struct HTTPURL: Hashable, Sendable {
    /// The URL without credentials and without fragment: what a server is asked for.
    public let string: String
    /// The credentials that stood in the text.
    public let userinfo: Userinfo?
    /// What followed `#`. Never sent.
    public let fragment: String?

    // Offsets into `string`'s UTF-8.
    private let schemeEnd: Int32
    private let hostEnd: Int32
    private let pathStart: Int32
    private let pathEnd: Int32

    /// A user name and password from before the `@`, percent-decoded. Not described: it holds a secret.
    public struct Userinfo: Hashable, Sendable, CustomStringConvertible {
        public let user: String
        public let password: String
        public var description: String { "<redacted>" }
    }

    /// Reads an absolute URL.
    ///
    /// - Throws: ``LupineError`` with `invalid-url`: not absolute, another scheme, no host, a bad port, control
    ///   characters, or an authority that two readers could take for two hosts.
    public init(_ text: String) throws(LupineError) {
        if let offsets = HTTPURLOffsets(canonical: text) {
            self.init(canonical: text, offsets)
            return
        }
        var parser = HTTPURLParser()
        try parser.read(text)
        self.init(
            canonical: String(decoding: parser.output, as: UTF8.self), parser.offsets, userinfo: parser.userinfo,
            fragment: parser.fragment)
    }

    private init(
        canonical: String, _ offsets: HTTPURLOffsets, userinfo: Userinfo? = nil, fragment: String? = nil
    ) {
        string = canonical
        self.userinfo = userinfo
        self.fragment = fragment
        schemeEnd = Int32(offsets.schemeEnd)
        hostEnd = Int32(offsets.hostEnd)
        pathStart = Int32(offsets.pathStart)
        pathEnd = Int32(offsets.pathEnd)
    }

    /// The URL with those credentials, unless it has its own.
    private init(_ text: String, userinfo inherited: Userinfo?) throws(LupineError) {
        let url = try HTTPURL(text)
        self.init(url, userinfo: url.userinfo ?? inherited, fragment: url.fragment)
    }

    private init(_ url: HTTPURL, userinfo: Userinfo?, fragment: String?) {
        string = url.string
        self.userinfo = userinfo
        self.fragment = fragment
        schemeEnd = url.schemeEnd
        hostEnd = url.hostEnd
        pathStart = url.pathStart
        pathEnd = url.pathEnd
    }

    private func slice(_ start: Int32, _ end: Int32) -> Substring {
        let text = string.utf8
        let first = text.index(text.startIndex, offsetBy: Int(start))
        return string[first..<text.index(first, offsetBy: Int(end - start))]
    }

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }
    public var isSecure: Bool { schemeEnd == 5 }
    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    public var host: String { String(hostText) }
    /// The host where it stands: no copy is made.
    package var hostText: Substring { slice(schemeEnd + 3, hostEnd) }
    /// The port, the scheme's default when the text has none.
    public var port: Int {
        hostEnd == pathStart ? (isSecure ? 443 : 80) : Int(slice(hostEnd + 1, pathStart)) ?? 0
    }
    /// Scheme, host and, unless it is the default, port: two URLs with the same have one origin (RFC 9110 section 4.3.1).
    public var origin: String { String(slice(0, pathStart)) }
    /// Whether that is its ``origin``, which is compared where it stands.
    package func hasOrigin(_ origin: String) -> Bool {
        origin.utf8.count == Int(pathStart) && string.hasBytes(of: origin)
    }
    /// The path, percent-encoded; begins with `/`.
    public var path: String { String(slice(pathStart, pathEnd)) }
    /// What follows `?`, percent-encoded.
    public var query: String? {
        Int(pathEnd) < string.utf8.count ? String(slice(pathEnd + 1, Int32(string.utf8.count))) : nil
    }

    /// Reads a reference as it stands in a `Location` field or beside a base URL (RFC 3986 section 5.2).
    ///
    /// The credentials are part of the authority: a reference without an authority keeps them, any other loses them.
    ///
    /// - Throws: ``LupineError`` with `invalid-url`.
    public func resolve(_ reference: String) throws(LupineError) -> HTTPURL {
        let bytes = reference.utf8
        if reference.hasURLScheme { return try HTTPURL(reference) }
        if bytes.starts(with: "//".utf8) { return try HTTPURL("\(scheme):\(reference)") }
        switch bytes.first {
        case UInt8(ascii: "/"): return try HTTPURL(origin + reference, userinfo: userinfo)
        case UInt8(ascii: "?"): return try HTTPURL(origin + path + reference, userinfo: userinfo)
        case UInt8(ascii: "#"), nil: return try HTTPURL(string + reference, userinfo: userinfo)
        default:
            let path = self.path
            let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
            return try HTTPURL(origin + folder + reference, userinfo: userinfo)
        }
    }

    /// The same place over https: the default port becomes the other scheme's, a port that was written stays (RFC 6797
    /// section 8.3). Credentials and fragment stay.
    ///
    /// - Throws: ``LupineError`` with `invalid-url`: the text would become longer than a URL may be.
    package func overHTTPS() throws(LupineError) -> HTTPURL {
        isSecure ? self : HTTPURL(try HTTPURL("https" + string.dropFirst(4)), userinfo: userinfo, fragment: fragment)
    }

    /// The URL with more query text, already percent-encoded, after what there is. Credentials and fragment stay.
    ///
    /// - Throws: ``LupineError`` with `invalid-url`.
    public func addingQuery(_ encoded: String) throws(LupineError) -> HTTPURL {
        guard !encoded.isEmpty else { return self }
        let url = try HTTPURL(string + (query == nil ? "?" : query == "" ? "" : "&") + encoded)
        return url.with(userinfo: userinfo, fragment: fragment)
    }

    /// The same place with those credentials and that fragment, already percent-encoded.
    package func with(userinfo: Userinfo?, fragment: String?) -> HTTPURL {
        HTTPURL(self, userinfo: userinfo, fragment: fragment)
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The URL without credentials.
    public var description: String { fragment.map { "\(string)#\($0)" } ?? string }
}

extension String {
    /// Whether the text begins with a scheme and a colon (RFC 3986 section 3.1).
    package var hasURLScheme: Bool {
        guard let first = utf8.first, first.isASCIIAlpha, let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return false
        }
        return utf8[..<colon].allSatisfy {
            $0.isASCIIAlpha || $0.isASCIIDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }
}
