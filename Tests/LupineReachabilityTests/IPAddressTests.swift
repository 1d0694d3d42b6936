import Testing

@testable import LupineReachability

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:DB8:0::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("0.0.0.0", "0.0.0.0"), ("::", "::"), ("fe80::1%7", "fe80::1%7"), ("255.255.255.255", "255.255.255.255"),
    ])
    func texts(text: String, written: String) { #expect(IPAddress(text)?.description == written) }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4%1", "::1%", "::1%no-such-link", "[::1]", "host", "1\u{0}",
    ])
    func whatIsNone(text: String) { #expect(IPAddress(text) == nil) }

    @Test func aLinksNameIsItsNumber() { #expect(IPAddress.init(stringLiteral: "fe80::1%lo").zone == 1) }

    @Test func kinds() {
        for (text, isLoopback, isLinkLocal) in [
            ("127.255.0.1", true, false), ("128.0.0.1", false, false), ("::1", true, false), ("::2", false, false),
            ("169.254.1.1", false, true), ("169.253.1.1", false, false), ("fe80::1", false, true),
            ("febf::1", false, true), ("fec0::1", false, false),
        ] as [(IPAddress, Bool, Bool)] {
            #expect(text.isLoopback == isLoopback && text.isLinkLocal == isLinkLocal, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/32", "10.1.2.3", true),
            ("10.1.2.3/32", "10.1.2.2", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true), ("::/0", "8.8.8.8", false), ("2001:db8::/63", "2001:db8:0:1::1", true),
            ("2001:db8::/64", "2001:db8:0:1::1", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
            ("2001:db8::/65", "2001:db8:0:0:8000::1", false), ("2001:db8::1/128", "2001:db8::1", true),
            ("2001:db8::1/127", "2001:db8::2", false),
        ] as [(IPPrefix, IPAddress, Bool)])
    func prefixes(prefix: IPPrefix, address: IPAddress, contains: Bool) {
        #expect(prefix.contains(address) == contains)
    }
}
