import Dispatch
import LupineCore
import Testing

@Suite struct ByteTextTests {
    /// Any bytes come back, and a part of them is what it would be alone.
    @Test(
        arguments: [
            ([], "", false), ([0x61], "a", false), ([0xC3, 0xA4], "\u{E4}", false), ([0xE4], "\u{E4}", true),
            ([0xC3, 0xA4, 0xE4], "\u{C3}\u{A4}\u{E4}", true), ([0x80, 0xFF], "\u{80}\u{FF}", true),
            // A surrogate, a spelling that is too long.
            ([0xED, 0xA0, 0x80], "\u{ED}\u{A0}\u{80}", true), ([0xC0, 0xAF], "\u{C0}\u{AF}", true),
        ] as [([UInt8], String, Bool)])
    func thereAndBack(bytes: [UInt8], text: String, isLatin1: Bool) {
        let read = ByteText(bytes: bytes)
        #expect(read.text.utf8.elementsEqual(text.utf8))
        #expect(read.isLatin1 == isLatin1)
        #expect(read.bytes == bytes)
        #expect(read.count == bytes.count)
        #expect(ByteText(read.text[...], isLatin1: isLatin1) == read)
    }

    @Test func parts() {
        let whole = ByteText(bytes: [0xC3, 0xA4, 0x3D, 0xE4])
        #expect(ByteText(whole.text.prefix(2), isLatin1: whole.isLatin1) == ByteText("\u{E4}"))
        #expect(ByteText(whole.text.suffix(1), isLatin1: whole.isLatin1) == ByteText(bytes: [0xE4]))
    }
}

@Suite struct ASCIITests {
    @Test(arguments: [
        ("", ""), (" ", ""), ("\t a b \t", "a b"), ("a", "a"), ("\n a", "\n a"), ("\u{A0}a", "\u{A0}a"),
        // A space with an accent on it is one character, and still a space and an accent.
        (" \u{301}a", "\u{301}a"), ("a \u{301}", "a \u{301}"),
    ])
    func trimmingOWS(text: String, expected: String) {
        #expect(text.trimmingOWS.utf8.elementsEqual(expected.utf8))
    }

    @Test(arguments: [
        ("plain", "\"plain\""),
        ("a\r\nb", "\"a\\r\\nb\""),
        ("a\"b\\", "\"a\\\"b\\\\\""),
        ("\u{1B}[31m", "\"\\u{1B}[31m\""),
        ("é日😀", "\"é日😀\""),
        // NEL, LINE SEPARATOR and RIGHT-TO-LEFT OVERRIDE also change what a reader sees of a line.
        ("a\u{85}b\u{2028}c\u{202E}d", "\"a\\u{0085}b\\u{2028}c\\u{202E}d\""),
    ])
    func quotedForMessage(text: String, expected: String) { #expect(text.quotedForMessage == expected) }

    @Test func quotedForMessageIsBounded() {
        #expect(
            String(repeating: "a", count: 201).quotedForMessage == "\"" + String(repeating: "a", count: 200) + "…\"")
        #expect(String(repeating: "a", count: 200).quotedForMessage == "\"" + String(repeating: "a", count: 200) + "\"")
    }

    @Test func asciiLowercased() {
        #expect("AbC-[Z]É".asciiLowercased == "abc-[z]É")
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", nil), ("", nil), ("+1", nil),
            ("-0", nil), (" 1", nil), ("１", nil), ("1e3", nil),
        ] as [(String, Int64?)])
    func decimalLength(text: String, expected: Int64?) { #expect(text.decimalLength == expected) }
}

@Suite(.timeLimit(.minutes(1))) struct LockTests {
    @Test func contendedCounter() {
        let counter = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test func errorsLeaveItUnlocked() {
        struct Refusal: Error {}
        let lock = Lock(1)
        #expect(throws: Refusal.self) {
            try lock.withLock { (value: inout sending Int) throws(Refusal) -> Void in
                value = 2
                throw Refusal()
            }
        }
        #expect(lock.withLock { $0 } == 2)
    }
}
