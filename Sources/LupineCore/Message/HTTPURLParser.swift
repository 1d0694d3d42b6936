/// Reads a URL into its canonical bytes. See ``HTTPURL`` for the rules.
struct HTTPURLParser {
    private(set) var output: [UInt8] = []
    private(set) var userinfo: HTTPURL.Userinfo?
    private(set) var fragment: String?
    private(set) var offsets = HTTPURLOffsets(schemeEnd: 0, hostEnd: 0, pathStart: 0, pathEnd: 0)

    /// The whole text, for messages.
    private var text = ""

    mutating func read(_ text: String) throws(LupineError) {
        self.text = text
        let bytes = Array(text.utf8)
        output.reserveCapacity(bytes.count + 8)
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw fault("it holds a control character") }

        guard text.hasURLScheme, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            throw fault("it has no scheme; write http:// or https:// before it")
        }
        let scheme = bytes[..<colon].map(\.asciiLowercased)
        guard scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) else {
            let isPort = bytes[(colon + 1)...].first?.isASCIIDigit ?? false
            let advice = isPort ? "; if that is a host, write http:// or https:// before it" : ""
            throw fault(
                "its scheme is \(String(decoding: scheme, as: UTF8.self)); only http and https are spoken\(advice)")
        }
        offsets.schemeEnd = scheme.count
        output += scheme
        output += "://".utf8
        guard bytes[(colon + 1)...].starts(with: "//".utf8) else { throw fault("it has no host after the scheme") }

        let authorityStart = colon + 3
        let end = bytes.endIndex
        let authorityEnd = bytes[authorityStart...].firstIndex { "/?#".utf8.contains($0) } ?? end
        try readAuthority(bytes[authorityStart..<authorityEnd])
        offsets.pathStart = output.count

        let fragmentStart = bytes[authorityEnd...].firstIndex(of: UInt8(ascii: "#")) ?? end
        let queryStart = bytes[authorityEnd..<fragmentStart].firstIndex(of: UInt8(ascii: "?")) ?? fragmentStart
        readPath(bytes[authorityEnd..<queryStart])
        offsets.pathEnd = output.count
        if queryStart < fragmentStart {
            output.append(UInt8(ascii: "?"))
            Self.encode(bytes[(queryStart + 1)..<fragmentStart], allowing: \.isURLQueryByte, into: &output)
        }
        guard output.count < Int32.max else { throw fault("it is too long") }
        if fragmentStart < end {
            var encoded: [UInt8] = []
            Self.encode(bytes[(fragmentStart + 1)...], allowing: \.isURLQueryByte, into: &encoded)
            fragment = String(decoding: encoded, as: UTF8.self)
        }
    }

    private mutating func readAuthority(_ authority: ArraySlice<UInt8>) throws(LupineError) {
        var rest = authority
        if let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            let pair = rest[..<at]
            rest = rest[(at + 1)...]
            guard !rest.contains(UInt8(ascii: "@")), !pair.contains(UInt8(ascii: "\\")) else {
                throw fault("more than one host could be read from it", showsText: false)
            }
            let colon = pair.firstIndex(of: UInt8(ascii: ":")) ?? pair.endIndex
            let user = percentDecoded(pair[..<colon])
            let password = percentDecoded(pair[colon...].dropFirst())
            // A bare "@" names nobody: nothing is sent for it.
            if !user.isEmpty || !password.isEmpty { userinfo = HTTPURL.Userinfo(user: user, password: password) }
        }
        let hostStop: Int
        if rest.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { throw fault("its IPv6 address has no end") }
            hostStop = close + 1
            guard let address = Self.canonicalIPv6(rest[(rest.startIndex + 1)..<close]) else {
                throw fault("its IPv6 address cannot be read")
            }
            output.append(UInt8(ascii: "["))
            output += address
            output.append(UInt8(ascii: "]"))
        } else {
            hostStop = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            let name = rest[..<hostStop]
            guard !name.isEmpty else { throw fault("it has no host") }
            guard name.allSatisfy(\.isHostNameByte), Self.isPlainName(name) else {
                throw fault("its host holds a character no host name has")
            }
            guard let host = Self.canonicalIPv4OrName(name.map(\.asciiLowercased)) else {
                throw fault("its host is neither a name nor an IPv4 address")
            }
            output += host
        }
        offsets.hostEnd = output.count
        rest = rest[hostStop...]
        guard !rest.isEmpty else { return }
        guard rest.first == UInt8(ascii: ":") else { throw fault("something other than a port follows its host") }
        rest = rest.dropFirst()
        if rest.isEmpty { return }
        guard rest.allSatisfy(\.isASCIIDigit), let port = Int(String(decoding: rest, as: UTF8.self)), port <= 65535
        else { throw fault("its port is no number from 0 to 65535") }
        if port != (offsets.schemeEnd == 5 ? 443 : 80) { output += ":\(port)".utf8 }
    }

    /// Encodes the path and removes its dot segments (RFC 3986 section 5.2.4); `%2e` counts as a dot.
    private mutating func readPath(_ path: ArraySlice<UInt8>) {
        guard path.contains(UInt8(ascii: ".")) || path.contains(UInt8(ascii: "%")) else {
            if path.isEmpty { output.append(UInt8(ascii: "/")) }
            return Self.encode(path, allowing: \.isURLPathByte, into: &output)
        }
        let floor = output.count
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dots(segment) {
            case 1:
                if isLast { output.append(UInt8(ascii: "/")) }
            case 2:
                while output.count > floor, output.removeLast() != UInt8(ascii: "/") {}
                if isLast { output.append(UInt8(ascii: "/")) }
            default:
                output.append(UInt8(ascii: "/"))
                Self.encode(segment, allowing: \.isURLPathByte, into: &output)
            }
        }
        if output.count == floor { output.append(UInt8(ascii: "/")) }
    }

    /// 1 for `.`, 2 for `..`, each dot perhaps written `%2e`; else 0.
    private func dots(_ segment: ArraySlice<UInt8>) -> Int {
        var rest = segment
        var count = 0
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.prefix(3).map(\.asciiLowercased).elementsEqual("%2e".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return 0
            }
            count += 1
        }
        return count <= 2 ? count : 0
    }

    /// Appends bytes, those not allowed as `%XX`. A `%` that begins no triplet becomes `%25`.
    static func encode(_ bytes: ArraySlice<UInt8>, allowing allowed: (UInt8) -> Bool, into output: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for index in bytes.indices {
            let byte = bytes[index]
            let isTriplet =
                byte == UInt8(ascii: "%") && bytes.endIndex - index > 2 && bytes[index + 1].isASCIIHexDigit
                && bytes[index + 2].isASCIIHexDigit
            if isTriplet || (byte != UInt8(ascii: "%") && allowed(byte)) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    private func percentDecoded(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.first {
            let digits = rest.dropFirst().prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isASCIIHexDigit),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                rest = rest.dropFirst(3)
            } else {
                decoded.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The text is shown unless it may hold a password; never its query and fragment, which may hold tokens.
    private func fault(_ reason: String, showsText: Bool = true) -> LupineError {
        let place = String(decoding: text.utf8.prefix { !"?#".utf8.contains($0) }, as: UTF8.self)
        let shown = showsText && !text.utf8.contains(UInt8(ascii: "@")) ? " \(place.quotedForMessage)" : ""
        return LupineError(.invalidURL, "the URL\(shown) cannot be used: \(reason)")
    }
}

extension UInt8 {
    /// unreserved, sub-delims, ":" and "@" of RFC 3986: what stands unencoded in every later part.
    private var isPathCharacter: Bool {
        if isASCIIAlpha || isASCIIDigit { return true }
        // A switch becomes one look at a word of bits; looking through a string is most of the cost of reading a URL.
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
            UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="),
            UInt8(ascii: ":"), UInt8(ascii: "@"):
            return true
        default: return false
        }
    }
    var isURLPathByte: Bool { isPathCharacter || self == UInt8(ascii: "/") }
    var isURLQueryByte: Bool { isURLPathByte || self == UInt8(ascii: "?") }

    /// Letters, digits, `-`, `.`, `_` and non-ASCII text (IDNA is libcurl's); no percent-encoding, which readers
    /// of host names do not agree about.
    var isHostNameByte: Bool {
        isASCIIAlpha || isASCIIDigit || self >= 0x80 || "-._~".utf8.contains(self)
    }
}
