import Testing

@testable import LupineTransport

/// RFC 9112 section 7.1, with every cut of every text.
@Suite struct ChunkCheckerTests {
    private enum Verdict { case whole, open, wrong }

    private func verdict(_ text: String, pieceSize: Int = .max) -> Verdict {
        var checker = ChunkChecker()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceSize))
            piece.withUnsafeBytes { checker.feed($0) }
            rest = rest.dropFirst(piece.count)
        }
        return checker.isDamaged ? .wrong : checker.isDone ? .whole : .open
    }

    @Test(arguments: [
        "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "005\r\nhello\r\n000\r\n\r\n",
        "A\r\n0123456789\r\n0\r\n\r\n",
        "a;x=y\r\n0123456789\r\n0;last\r\n\r\n", "5  \r\nhello\r\n0\t\r\n\r\n", "5 ; x\r\nhello\r\n0\r\n\r\n",
        "0\r\nX: y\r\n\r\n", "0\r\nX: y\r\nZ: w\r\n\r\n", "2\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\nmore",
    ])
    func whole(_ text: String) {
        for size in 1...text.utf8.count { #expect(verdict(text, pieceSize: size) == .whole) }
    }

    @Test(arguments: [
        "0x5\r\nhello\r\n0\r\n\r\n", "5zz\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n", "\r\n", "g\r\n",
        "-5\r\n",
        "+5\r\n", " 5\r\n", ";x\r\n", "5,\r\n", "11111111111111111\r\n", "5\rhello", "5\r\nhellO!\r\n",
        "5\r\nhello\rX", "5;a\u{0}b\r\n", "0\rX",
    ])
    func wrong(_ text: String) {
        for size in 1...text.utf8.count { #expect(verdict(text, pieceSize: size) == .wrong) }
    }

    @Test func eachCutIsOpen() {
        let text = "5;x\r\nhello\r\n0\r\nX: y\r\n\r\n"
        let bytes = Array(text.utf8)
        for end in bytes.indices {
            #expect(verdict(String(decoding: bytes[..<end], as: UTF8.self)) == .open, "\(end)")
        }
    }
}
