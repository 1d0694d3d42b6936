internal import Lupine

// What each option's argument means.
extension RequestArguments {
    mutating func apply(_ option: CommandOption, _ text: String) throws(UsageError) {
        switch option {
        case .header: headers.append(try HeaderEdit(text))
        case .query: query.append(try pair(text, of: option))
        case .form: form.append(try pair(text, of: option))
        case .json: try addMember(text)
        case .part: parts.append(try Part(argument: text))
        case .data: data = Data(argument: text)
        case .contentType: contentType = text
        case .timeout: options.timeouts.idle = try seconds(text, of: option)
        case .connectTimeout: options.timeouts.connect = try seconds(text, of: option)
        case .totalTimeout: options.timeouts.total = try seconds(text, of: option)
        case .http: options.maximumHTTPVersion = try version(text)
        case .ca: rootsFile = text
        case .unixSocket, .ipv4, .ipv6, .connectTo, .proxy, .noProxy: try applyRoute(option, text)
        case .acceptStatus:
            guard let statuses = StatusSet(text) else {
                throw UsageError("--accept-status needs codes and ranges, such as 200-299,304")
            }
            acceptableStatuses = statuses
        case .acceptType:
            acceptableTypes = try ContentTypeSet(argument: text)
        case .decode:
            guard let decoding = Decoding(rawValue: text) else {
                throw UsageError("--decode is none, json, plist or text")
            }
            self.decoding = decoding
        case .output: output = text == "-" ? nil : text
        case .include: includesHead = true
        case .report: reports = true
        case .verbose: isVerbose = true
        case .showSecrets: showsSecrets = true
        case .maxRedirects:
            guard let number = Int(text), (0...1000).contains(number) else {
                throw UsageError("--max-redirects needs a number from 0 to 1000")
            }
            maximumRedirects = number
        case .retry:
            guard let number = Int(text), (0...1000).contains(number) else {
                throw UsageError("--retry needs a number from 0 to 1000")
            }
            retries = number
        case .cookies: cookieFile = text
        case .curl: printsCurl = true
        default: throw .unsupported("--\(option.name)")
        }
    }

    private mutating func applyRoute(_ option: CommandOption, _ text: String) throws(UsageError) {
        switch option {
        case .unixSocket: options.route.unixSocket = text
        case .connectTo: options.route.connectTo.append(try ConnectTo(argument: text))
        case .proxy, .noProxy:
            guard options.route.proxy == .environment else {
                throw UsageError("--proxy and --no-proxy exclude each other")
            }
            options.route.proxy = option == .proxy ? .url(text) : .none
        default:
            guard options.route.addressFamily == .any else { throw UsageError("-4 and -6 exclude each other") }
            options.route.addressFamily = option == .ipv4 ? .ipv4 : .ipv6
        }
    }

    private func seconds(_ text: String, of option: CommandOption) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
            throw UsageError("--\(option.name) needs seconds above 0, such as 2.5")
        }
        return .seconds(seconds)
    }

    private func version(_ text: String) throws(UsageError) -> HTTPVersion {
        switch text {
        case "1.1": return .http1_1
        case "2": return .http2
        default: throw UsageError("--http is 1.1 or 2")
        }
    }

    /// `name=value`, escaped.
    private func pair(_ text: String, of option: CommandOption) throws(UsageError) -> String {
        guard let equals = text.firstIndex(of: "=") else { throw UsageError("--\(option.name) needs NAME=VALUE") }
        let value = String(text[text.index(after: equals)...])
        return "\(QueryEncoding.percentEscaped(String(text[..<equals])))=\(QueryEncoding.percentEscaped(value))"
    }

    /// `name=text` or `name:=JSON`.
    private mutating func addMember(_ text: String) throws(UsageError) {
        guard let equals = text.firstIndex(of: "=") else {
            throw UsageError("--json needs NAME=VALUE, or NAME:=JSON")
        }
        var name = text[..<equals]
        let rest = String(text[text.index(after: equals)...])
        var value = JSONValue(rest)
        if name.last == ":" {
            name.removeLast()
            do {
                value = try JSONValue(parsing: rest)
            } catch {
                throw UsageError("--json \(String(name).quotedForMessage): what follows := is no JSON: \(error)")
            }
        }
        var object = json ?? JSONObject()
        object[String(name)] = value
        json = object
    }
}

extension RequestArguments.HeaderEdit {
    /// `Name: value` sets, `Name:` removes, `Name;` sets an empty value, as with curl.
    init(_ text: String) throws(UsageError) {
        guard let end = text.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw UsageError("--header needs 'Name: value', or 'Name:' to leave a default out")
        }
        let name = String(text[..<end])
        guard name.isHTTPToken else { throw UsageError("--header: \(name.quotedForMessage) is no field name") }
        let value = String(text[text.index(after: end)...]).trimmingOWS
        if text[end] == ";" {
            guard value.isEmpty else { throw UsageError("--header needs 'Name: value', or 'Name;' for an empty value") }
            self = .set(HTTPHeader(name: name, value: ""))
        } else if !value.isEmpty {
            self = .set(HTTPHeader(name: name, value: String(value)))
        } else {
            for framing in ["Host", "Content-Length", "Transfer-Encoding"] where name.equalsIgnoringASCIICase(framing) {
                throw UsageError("--header: \(framing) cannot be left out, the message has no shape without it")
            }
            self = .remove(name)
        }
    }
}

extension RequestArguments.Data {
    /// `@path`, `@-` for standard input, or the text itself.
    init(argument text: String) {
        if text == "@-" {
            self = .standardInput
        } else if text.first == "@" {
            self = .file(String(text.dropFirst()))
        } else {
            self = .text(text)
        }
    }
}

extension ConnectTo {
    /// `HOST:PORT:HOST2:PORT2`, each part may be empty, IPv6 addresses in brackets.
    init(argument text: String) throws(UsageError) {
        let fault = UsageError("--connect-to needs HOST:PORT:HOST2:PORT2, such as example.com:443:127.0.0.1:8443")
        var parts = [""]
        var isInBrackets = false
        for character in text {
            if character == "[" { isInBrackets = true } else if character == "]" { isInBrackets = false }
            if character == ":", !isInBrackets { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        guard parts.count == 4 else { throw fault }
        for port in [parts[1], parts[3]] where !port.isEmpty {
            guard port.utf8.allSatisfy(\.isASCIIDigit), UInt16(port) != nil else { throw fault }
        }
        self.init(host: parts[0], port: Int(parts[1]), toHost: parts[2], toPort: Int(parts[3]))
    }
}

extension ContentTypeSet {
    /// `application/json,text/*`.
    init(argument text: String) throws(UsageError) {
        let patterns = text.split(separator: ",", omittingEmptySubsequences: false).map {
            String(String($0).trimmingOWS)
        }
        for pattern in patterns {
            let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
            // `*` is a letter of tokens too.
            if parts.count == 2, parts.allSatisfy({ String($0).isHTTPToken }) { continue }
            throw UsageError("--accept-type needs content types, such as application/json,text/*")
        }
        self.init(patterns)
    }
}
