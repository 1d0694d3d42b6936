/// Every option of the command. One table serves reading and help.
enum CommandOption: String, CaseIterable {
    // What is asked.
    case header, query, form, json, part, data, contentType = "content-type"
    case user, auth, bearer
    // How it is carried.
    case timeout, connectTimeout = "connect-timeout", totalTimeout = "total-timeout"
    case http, ca, unixSocket = "unix-socket", ipv4, ipv6, connectTo = "connect-to"
    case proxy, noProxy = "no-proxy", maxRedirects = "max-redirects", cookies, retry
    // What becomes of the answer.
    case acceptStatus = "accept-status", acceptType = "accept-type", decode
    case output, include, report, verbose, showSecrets = "show-secrets", curl
    // Whether the network can be reached.
    case host, watch
    // The command itself.
    case help, version
    // Named by the contract, for later versions.
    case pin, pinMode = "pin-mode"
    case allowInvalid = "allow-invalid", noHostCheck = "no-host-check"
    case clientCert = "client-cert", clientKey = "client-key", har, cache

    /// The long form, without dashes.
    var name: String { rawValue }

    /// The short form.
    var letter: Character? {
        switch self {
        case .header: "H"
        case .query: "q"
        case .form: "f"
        case .json: "j"
        case .data: "d"
        case .part: "F"
        case .ipv4: "4"
        case .ipv6: "6"
        case .output: "o"
        case .include: "i"
        case .verbose: "v"
        default: nil
        }
    }

    /// What its argument is called in the help. `nil`: it has none.
    var argument: String? {
        switch self {
        case .header: "'NAME: VALUE'"
        case .query, .form: "NAME=VALUE"
        case .json, .part: "NAME=VALUE"
        case .data: "TEXT"
        case .contentType: "TYPE"
        case .user: "NAME:PASSWORD"
        case .auth: "SCHEME"
        case .bearer: "TOKEN"
        case .timeout, .connectTimeout, .totalTimeout: "S"
        case .http: "VERSION"
        case .ca, .output, .cookies, .har, .clientCert, .clientKey, .pin: "FILE"
        case .unixSocket: "PATH"
        case .connectTo: "HOST:PORT:HOST2:PORT2"
        case .proxy: "URL"
        case .acceptStatus, .acceptType: "LIST"
        case .decode: "HOW"
        case .maxRedirects, .retry: "N"
        case .pinMode: "MODE"
        case .cache: "DIR"
        case .host: "NAME"
        case .ipv4, .ipv6, .noProxy, .include, .report, .verbose, .showSecrets, .help, .version, .allowInvalid,
            .noHostCheck, .curl, .watch:
            nil
        }
    }

    /// May be given several times; any other says one thing, once.
    var isRepeatable: Bool {
        switch self {
        case .header, .query, .form, .json, .connectTo, .part, .pin, .verbose: true
        default: false
        }
    }

    /// Whether this version carries it out.
    var isSupported: Bool {
        switch self {
        case .pin, .pinMode, .allowInvalid, .noHostCheck, .clientCert, .clientKey, .har, .cache:
            false
        default: true
        }
    }
    /// Belongs to the command `reachability`, and to no request.
    var isOfReachability: Bool { self == .host || self == .watch }
}
