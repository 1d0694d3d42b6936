import FoundationEssentials
import Testing

@testable import Lupine

/// How a field is read (RFC 6265bis section 5.6).
@Suite struct SetCookieFieldTests {
    @Test(arguments: [
        ("a=b", "a", "b"),
        ("a=b=c==", "a", "b=c=="),
        (" a\t = \t b c ", "a", "b c"),
        ("a=\"b c\"", "a", "\"b c\""),
        ("a=", "a", ""),
        ("a", "", "a"),
        ("=a", "", "a"),
        ("==a=b", "", "=a=b"),
        ("a b; Path=/", "", "a b"),
        ("", "", ""),
        ("a=\u{E4}\u{4F60}", "a", "\u{E4}\u{4F60}"),
        ("a=b, c=d", "a", "b, c=d"),
        // A tab is white space, within a value too.
        ("a=b\tc", "a", "b\tc"),
        // A mark after a space makes one character of both; what counts is the byte.
        ("a=b \u{301}", "a", "b \u{301}"),
        ("a=\u{301};Secure", "a", "\u{301}"),
    ])
    func pair(text: String, name: String, value: String) throws {
        let field = try #require(SetCookieField(text))
        #expect(field.name.text == name)
        #expect(field.value.text == value)
    }

    /// Any control character but the tab, anywhere, and the field is nothing (step 1).
    @Test(arguments: Array(0..<0x20) + [0x7F])
    func controlCharacters(byte: UInt8) {
        let character = Character(Unicode.Scalar(byte))
        for text in ["a\(character)=b", "a=b\(character)c", "a=b; Path=/\(character)", "a=b\(character)"] {
            #expect((SetCookieField(text) != nil) == (byte == 0x09), "\(text.debugDescription)")
        }
    }

    @Test func longPairs() {
        let half = String(repeating: "n", count: 2048), other = String(repeating: "v", count: 2048)
        #expect(SetCookieField("\(half)=\(other)") != nil)
        #expect(SetCookieField("\(half)=\(other)v") == nil)
        #expect(SetCookieField("\(half)n=\(other)") == nil)
        #expect(SetCookieField(half + other) != nil)
        #expect(SetCookieField(half + other + "v") == nil)
        // Bytes count, not characters.
        #expect(SetCookieField("a=" + String(repeating: "\u{E4}", count: 2047)) != nil)
        #expect(SetCookieField("a=" + String(repeating: "\u{E4}", count: 2048)) == nil)
    }

    /// An attribute that is too long is passed over, and the one before it counts (step 6).
    @Test func longAttributes() throws {
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try #require(SetCookieField("a=b; Path=\(path)")).path == path)
        #expect(try #require(SetCookieField("a=b; Path=/x; Path=\(path)p")).path == "/x")
        let domain = String(repeating: "d", count: 1025)
        #expect(try #require(SetCookieField("a=b; Domain=x; Domain=\(domain)")).domain == "x")
        #expect(try #require(SetCookieField("a=b; Secure=\(domain)")).isSecure == false)
    }

    @Test func attributes() throws {
        let field = try #require(
            SetCookieField(
                "a=b;DOMAIN=.Example.COM; pAtH = /x ;secure;HttpOnly=no; samesite=LAX; Max-Age=60; unknown=1; ; ="))
        #expect(field.domain == "example.com")
        #expect(field.path == "/x")
        #expect(field.isSecure)
        #expect(field.isHTTPOnly)
        #expect(field.sameSite == .lax)
        #expect(field.maximumAge == 60)
    }

    @Test(
        arguments: [
            ("a=b", nil), ("a=b; Domain", ""), ("a=b; Domain=", ""), ("a=b; Domain=.", ""), ("a=b; Domain=..x", ".x"),
            ("a=b; Domain=x; Domain=y", "y"), ("a=b; Domain=x; Domain=", ""),
            // The dot and the mark after it are one character.
            ("a=b; Domain=.\u{301}x", "\u{301}x"),
        ] as [(String, String?)])
    func domain(text: String, expected: String?) throws {
        #expect(try #require(SetCookieField(text)).domain == expected)
    }

    @Test(
        arguments: [
            ("a=b", nil), ("a=b; Path", ""), ("a=b; Path=x", ""), ("a=b; Path=\"/\"", ""), ("a=b; Path=/; Path=x", ""),
            ("a=b; Path=x; Path=/", "/"),
        ] as [(String, String?)])
    func path(text: String, expected: String?) throws {
        #expect(try #require(SetCookieField(text)).path == expected)
    }

    /// Digits, with a minus perhaps; anything else is passed over (section 5.6.2).
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("007", 7), ("-1", -1), ("-0", -1), ("99999999999999999999", .max),
            ("-99999999999999999999", -1), ("", nil), ("-", nil), ("+1", nil), ("1.5", nil), ("1s", nil), ("1 2", nil),
            ("0x10", nil), ("\u{661}", nil),
        ] as [(String, Int64?)])
    func maximumAge(text: String, expected: Int64?) throws {
        #expect(try #require(SetCookieField("a=b; Max-Age=\(text)")).maximumAge == expected)
        // It does not undo one that can be read.
        #expect(try #require(SetCookieField("a=b; Max-Age=9; Max-Age=\(text)")).maximumAge == expected ?? 9)
    }

    @Test(arguments: [
        ("Strict", Cookie.SameSite.strict), ("lAx", .lax), ("NONE", .none), ("", .unspecified), ("Laxer", .unspecified),
        ("None; SameSite=what", .unspecified), ("what; SameSite=None", .none),
    ])
    func sameSite(text: String, expected: Cookie.SameSite) throws {
        #expect(try #require(SetCookieField("a=b; SameSite=\(text)")).sameSite == expected)
    }

    /// Long fields of many attributes are read in one pass.
    @Test func manyAttributes() throws {
        let field = try #require(SetCookieField("a=b" + String(repeating: ";;Path=/x;x=;", count: 50_000) + "Secure"))
        #expect(field.isSecure)
        #expect(field.path == "/x")
    }
}
