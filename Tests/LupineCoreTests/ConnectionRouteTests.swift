import LupineCore
import Testing

/// A route that libcurl would read as another, or not at all, is refused before anything is sent, and without its secrets.
@Suite struct ConnectionRouteTests {
    private func fault(_ change: (inout ConnectionRoute) -> Void) throws -> LupineError? {
        var request = HTTPRequest(url: try HTTPURL("http://a.test/"))
        change(&request.options.route)
        return request.validate()
    }

    @Test(arguments: [
        "http://p.test:3128", "p.test:3128", "p.test", "https://user:pass@p.test", "socks5h://[::1]:1080/",
        "SOCKS4A://p",
        "user:p:a@ss@p.test:1", "http://p.test:0",
    ])
    func proxies(_ url: String) throws { #expect(try fault { $0.proxy = .url(url) } == nil) }

    @Test(arguments: [
        "", "http://", "http://:3128", "foo://user:secret@p.test", "http://user:secret@p.test:99999",
        "http://user:secret word@p.test", "http://user:secret@p.test:80\r\nX: y", "http://user:secret@p.test:",
        "http://user:secret@p.test:8x", "http://user:secret@", "http://user:secret@::1", "user:secret@p.test:-1",
        "http://user:secret@p\u{0}.test",
    ])
    func proxiesThatAreNone(_ url: String) throws {
        let error = try #require(try fault { $0.proxy = .url(url) })
        #expect(error.code == .invalidRequest)
        #expect(!error.message.contains("secret") && !error.message.contains("\r"))
    }

    @Test(arguments: [
        ("/run/x.sock", true), ("x", true), ("", false), ("/a\u{0}b", false),
        ("/" + String(repeating: "x", count: 106), true),
        ("/" + String(repeating: "x", count: 107), false),
    ])
    func unixSockets(_ path: String, isAccepted: Bool) throws {
        #expect(try (fault { $0.unixSocket = path }?.code == .invalidRequest) == !isAccepted)
    }

    @Test(arguments: [("eth0", true), ("127.0.0.1", true), ("", false), ("eth0\u{0}x", false), ("a b", false)])
    func interfaces(_ name: String, isAccepted: Bool) throws {
        #expect(try (fault { $0.interface = name } == nil) == isAccepted)
    }

    @Test func redirections() throws {
        #expect(try fault { $0.connectTo = [ConnectTo(toHost: "::1", toPort: 1)] } == nil)
        #expect(try fault { $0.connectTo = [ConnectTo(toHost: "a b")] } != nil)
        #expect(try fault { $0.connectTo = [ConnectTo(toHost: "a", toPort: 65536)] } != nil)
        #expect(try fault { $0.connectTo = [ConnectTo(host: "a\n", toHost: "b")] } != nil)
    }
}

/// Foreign text in messages.
@Suite struct MessageTextTests {
    @Test(arguments: [
        (
            "Unsupported proxy syntax in 'http://user:pw@h:99999': x",
            "Unsupported proxy syntax in 'http://<redacted>@h:99999': x"
        ),
        ("in 'user:p@w@h:1'", "in '<redacted>@h:1'"), ("user:pw@h", "<redacted>@h"),
        ("no secret here", "no secret here"),
        ("http://h/", "http://h/"), ("http://u:'p w'@h and more", "http://<redacted>@h and more"), ("@", "@"),
    ])
    func userinfoIsTakenOut(_ text: String, redacted: String) { #expect(text.withoutUserinfo == redacted) }

    @Test func oneLine() { #expect("a\r\nb \u{202E}c\u{0}".onOneLine == "a b c") }
}
