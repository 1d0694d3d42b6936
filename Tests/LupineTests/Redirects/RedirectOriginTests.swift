import FoundationEssentials
import Lupine
import Testing

/// What a redirect takes along, and what stays with the origin (RFC 9110 sections 15.4 and 17.9, fetch).
@Suite struct RedirectOriginTests {
    private static let own: HTTPHeaders = [
        "Authorization": "Bearer x", "Cookie": "a=1", "Cookie2": "$Version=1", "Proxy-Authorization": "Basic x",
        "X-Api-Key": "x", "apikey": "x", "X-Auth-Token": "x", "X-CSRF-TOKEN": "x", "X_Api_Key": "x",
        "X-Amz-Security-Token": "x", "Client-Secret": "x", "Signature": "x",
        "Host": "virtual.example", "Referer": "https://a.example/private", "Origin": "https://a.example",
    ]
    private static let all = HTTPHeaders([HTTPHeader(name: "Accept", value: "*/*")] + own)

    /// B58 and row B9: scheme, host without case, and port.
    @Test(arguments: [
        "https://b.example/", "//b.example/", "https://a.example:8443/", "//a.example:444", "https://www.a.example/",
        "https://example/", "https://a.example./", "https://a.example.b.example/", "https://a.example@b.example/",
        "http://a.example:443/", "http://a.example/",
    ])
    func anotherOriginGetsNoSecrets(location: String) throws {
        for status in [301, 302, 303, 307, 308] as [HTTPStatus] {
            let next = try RedirectRun(to: location) {
                $0.status = status
                $0.headers = Self.all
                $0.policy.allowsDowngrade = true
            }.next()
            #expect(next.headers == ["Accept": "*/*"])
            #expect(next.url.userinfo == nil)
        }
    }

    @Test(arguments: ["/x", "x", "?y", "", "//A.EXAMPLE/", "https://a.example:443/x", "HTTPS://A.example/x"])
    func theSameOriginKeepsThem(location: String) throws {
        let next = try RedirectRun(to: location) { $0.headers = Self.all }.next()
        #expect(next.headers == Self.all)
    }

    /// To https on the same host too: another server may listen there.
    @Test func anUpgradeIsAnotherOrigin() throws {
        let next = try RedirectRun(to: "https://a.example/x") {
            $0.url = "http://a.example/"
            $0.headers = Self.all
        }.next()
        #expect(next.headers == ["Accept": "*/*"])
    }

    /// A server chooses neither as whom a client speaks, nor that its name and password go elsewhere.
    @Test(
        arguments: [
            ("/x", "me"), ("", "me"), ("https://a.example/x", "me"), ("https://you:pw@a.example/x", "me"),
            ("https://@a.example/x", "me"), ("https://b.example/x", nil), ("https://you:pw@b.example/x", nil),
            ("//you@a.example:8443/x", nil),
        ] as [(String, String?)])
    func credentialsOfTheURL(location: String, user: String?) throws {
        let next = try RedirectRun(to: location) { $0.url = "https://me:pw@a.example/" }.next()
        #expect(next.url.userinfo?.user == user)
        #expect(!next.headers.contains("Authorization"))
    }

    /// What was lost on the way does not come back, whatever the chain comes back to.
    @Test func aChainThatReturnsStaysWithout() throws {
        let policy = RedirectPolicy()
        var request = HTTPRequest(url: try HTTPURL("https://me:pw@a.example/"), headers: Self.all)
        for (followed, location) in ["https://b.example/", "https://a.example/", "/x"].enumerated() {
            let answer = HTTPResponse(status: 302, headers: ["Location": location])
            request = try #require(policy.step(after: answer, to: request, followed: followed).next)
        }
        #expect(request.url.string == "https://a.example/x")
        #expect(request.url.userinfo == nil)
        #expect(request.headers == ["Accept": "*/*"])
    }

    /// Fetch adds one by its referrer policy; a client that has none adds none.
    @Test func noRefererIsAdded() throws {
        #expect(try RedirectRun(to: "/x").next().headers.isEmpty)
        #expect(try RedirectRun(to: "https://b.example/").next().headers.isEmpty)
    }

    @Test func fromHTTPSToHTTP() throws {
        for location in ["http://a.example/", "http://b.example:8080/", "HTTP://a.example:443"] {
            let error = try RedirectRun(to: location).refusal()
            #expect(error.code == .badResponse)
            #expect(error.message.contains("allowsDowngrade"))
            #expect(error.response?.status == 302)
            let next = try RedirectRun(to: location) { $0.policy.allowsDowngrade = true }.next()
            #expect(!next.url.isSecure)
        }
        // Not down, and not at all.
        #expect(
            try RedirectRun(to: "http://b.example/") { $0.url = "http://a.example/" }.next().url.host == "b.example")
        #expect(try RedirectRun(to: "https://b.example/") { $0.url = "http://a.example/" }.next().url.isSecure)
    }

    @Test func aUnixSocketIsForOneOrigin() throws {
        func run(to location: String) -> RedirectRun {
            RedirectRun(to: location) {
                $0.url = "http://localhost/v1"
                $0.options.route.unixSocket = "/run/daemon.sock"
            }
        }
        #expect(try run(to: "/v2").next().options.route.unixSocket == "/run/daemon.sock")
        #expect(try run(to: "http://LOCALHOST:80/v2").next().options.route.unixSocket == "/run/daemon.sock")
        for location in ["http://b.example/", "https://localhost/", "http://localhost:8080/", "//169.254.169.254/"] {
            let error = try run(to: location).refusal()
            #expect(error.code == .badResponse)
            #expect(error.message.contains("Unix socket"))
        }
    }

    /// Nothing else of how a request is carried changes.
    @Test(arguments: ["/x", "https://b.example/"])
    func optionsStay(location: String) throws {
        var options = TransferOptions()
        options.route.connectTo = [ConnectTo(host: "a.example", toHost: "127.0.0.1", toPort: 8080)]
        options.route.proxy = .url("http://proxy.example:3128")
        options.timeouts.total = .seconds(5)
        options.maximumBodySize = 10
        options.decodesContent = false
        #expect(try RedirectRun(to: location) { $0.options = options }.next().options == options)
    }
}
