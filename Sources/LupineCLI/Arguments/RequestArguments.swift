internal import Lupine

/// One request as a command line describes it: texts are read, files are not opened yet.
struct RequestArguments: Equatable {
    enum Data: Equatable {
        case text(String)
        case file(String)
        case standardInput
    }

    enum HeaderEdit: Equatable {
        /// Sent beside others of its name, instead of the default.
        case set(HTTPHeader)
        /// The default of that name is not sent.
        case remove(String)

        var name: String {
            switch self {
            case .set(let field): field.name
            case .remove(let name): name
            }
        }
    }

    enum Decoding: String, CaseIterable { case none, json, plist, text }

    enum Credentials: Equatable {
        case basic(String)
        case bearer(String)
    }

    var method: String
    var url: String
    var headers: [HeaderEdit] = []
    /// Percent-encoded pairs.
    var query: [String] = []
    var form: [String] = []
    var json: JSONObject?
    var parts: [Part] = []
    var data: Data?
    var contentType: String?
    var credentials: Credentials?
    var options = TransferOptions()
    var rootsFile: String?
    var acceptableStatuses = StatusSet.successful
    var acceptableTypes: ContentTypeSet?
    var decoding = Decoding.none
    var output: String?
    var includesHead = false
    var reports = false
    var isVerbose = false
    var showsSecrets = false
    var maximumRedirects = RedirectPolicy().maximumRedirects
    /// Tries after the first, at most.
    var retries = 0
    var cookieFile: String?
    var printsCurl = false

    init(method: String, url: String) {
        self.method = method
        self.url = url
    }

    init(
        method: String, operands: ArraySlice<String>, options: [(option: CommandOption, argument: String?)]
    ) throws(UsageError) {
        guard let url = operands.first else { throw UsageError("which URL? Such as: lupine get https://example.com/") }
        // The second operand may be a password that lost its option: it is not shown.
        guard operands.count == 1 else {
            throw UsageError("one URL at a time, and \(operands.count) arguments were given")
        }
        self.init(method: method, url: url)
        var seen: Set<CommandOption> = []
        var user: String?, scheme: String?
        for (option, argument) in options {
            guard option.isSupported else { throw .unsupported("--\(option.name)") }
            guard !option.isOfReachability else { throw UsageError("--\(option.name) belongs to lupine reachability") }
            guard seen.insert(option).inserted || option.isRepeatable else {
                throw UsageError("--\(option.name) is given twice")
            }
            let text = argument ?? ""
            switch option {
            case .user: user = text
            case .auth: scheme = text
            case .bearer: credentials = .bearer(text)
            default: try apply(option, text)
            }
        }
        try setBasic(user: user, scheme: scheme)
        try checkCombinations()
    }

    private mutating func setBasic(user: String?, scheme: String?) throws(UsageError) {
        guard let scheme else {
            if user != nil {
                throw .unsupported("finding out the scheme a server asks for (add --auth basic to send --user at once)")
            }
            return
        }
        switch scheme {
        case "basic": break
        case "digest", "any": throw .unsupported("--auth \(scheme)")
        default: throw UsageError("--auth is basic, digest or any")
        }
        guard let user else { throw UsageError("--auth needs --user NAME:PASSWORD") }
        guard user.utf8.contains(UInt8(ascii: ":")) else {
            throw UsageError("--user needs NAME:PASSWORD, with a colon")
        }
        guard credentials == nil else { throw UsageError("--user and --bearer exclude each other") }
        credentials = .basic(user)
    }

    private func checkCombinations() throws(UsageError) {
        let hasFormBody = !form.isEmpty && !putsFormInURL
        let bodies = [
            hasFormBody ? "--form" : nil, json == nil ? nil : "--json", parts.isEmpty ? nil : "--part",
            data == nil ? nil : "--data",
        ].compactMap(\.self)
        guard bodies.count <= 1 else { throw UsageError("a request has one body: \(bodies.joined(separator: " or "))") }
        if contentType != nil, data == nil { throw UsageError("--content-type belongs to --data") }
        if parts.count(where: { $0.content == .standardInput }) > 1 {
            throw UsageError("standard input can be one part only")
        }
        for edit in headers {
            if !parts.isEmpty, edit.name.equalsIgnoringASCIICase("Content-Type") {
                throw UsageError(
                    "--part makes a field Content-Type of its own, without which no server finds the parts")
            }
            guard case .set(let field) = edit else { continue }
            if credentials != nil, field.name.equalsIgnoringASCIICase("Authorization") {
                throw UsageError("--user or --bearer and a field Authorization exclude each other")
            }
            if contentType != nil, field.name.equalsIgnoringASCIICase("Content-Type") {
                throw UsageError("--content-type and a field Content-Type exclude each other")
            }
        }
    }

    /// Whether form parameters go into the URL, as the request serializer of that name has it.
    var putsFormInURL: Bool {
        HTTPRequestSerializer().methodsEncodingParametersInURI.contains(HTTPMethod(rawValue: method))
    }
}
