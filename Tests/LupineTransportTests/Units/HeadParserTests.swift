import LupineCore
import Testing

@testable import LupineTransport

@Suite struct HeadParserTests {
    private let memory = FieldMemory()

    private func head(_ bytes: [UInt8]) -> HTTPResponse? {
        var assembler = ResponseAssembler(maximumSize: 1 << 20, memory: memory)
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
        lines[lines.count - 1] = Array("\r\n".utf8)
        for line in lines {
            switch line.withUnsafeBytes({ assembler.add($0) }) {
            case .more: continue
            case .head: return assembler.takeHead()
            case .fault: return nil
            }
        }
        return nil
    }

    private func head(_ text: String) -> HTTPResponse? { head(Array(text.utf8)) }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", 200, HTTPVersion.http1_1, "OK"),
        ("HTTP/1.0 404 Not Found\r\n", 404, .http1_0, "Not Found"),
        ("HTTP/2 204\r\n", 204, .http2, ""), ("HTTP/2 200 \r\n", 200, .http2, ""),
        ("HTTP/1.1 200\r\n", 200, .http1_1, ""), ("HTTP/1.1 299 Odd  phrase\r\n", 299, .http1_1, "Odd  phrase"),
        ("HTTP/1.1 200 OK\n", 200, .http1_1, "OK"), ("HTTP/1.1 999 Beyond\r\n", 999, .http1_1, "Beyond"),
    ])
    func statusLines(line: String, status: Int, version: HTTPVersion, reason: String) throws {
        let response = try #require(head(line))
        #expect(response.status.rawValue == status)
        #expect(response.version == version)
        #expect(response.reason == reason)
        #expect(response.headers.isEmpty)
    }

    @Test(arguments: [
        "", "\r\n", "HTTP/1.1\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 2x0 OK\r\n",
        "HTP/1.1 200 OK\r\n",
        "HTTP/11 200 OK\r\n", "HTTP/1.11 200 OK\r\n", "HTTP/a.1 200 OK\r\n", "HTTP/1.1 099 Low\r\n",
        "HTTP/1.1 -20 OK\r\n",
    ])
    func statusLinesThatAreNone(line: String) { #expect(head(line) == nil) }

    @Test func fieldsKeepOrderRepeatsAndCase() throws {
        let text = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-One:1\r\nset-cookie: b=2\r\nEmpty:\r\nPadded: \t x y \t\r\n"
        let headers = try #require(head(text)).headers
        #expect(headers.map(\.name) == ["Set-Cookie", "X-One", "set-cookie", "Empty", "Padded"])
        #expect(headers.map(\.value) == ["a=1", "1", "b=2", "", "x y"])
        #expect(headers.values(for: "SET-COOKIE") == ["a=1", "b=2"])
    }

    @Test func aByteThatIsNoUTF8IsLatin1() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nX-L: h".utf8) + [0xE9] + Array("\r\nX-U: hé\r\n".utf8)
        let headers = try #require(head(bytes)).headers
        #expect(headers["X-L"] == "h\u{E9}")
        #expect(headers["X-U"] == "h\u{E9}")
    }

    /// RFC 3986 section 2.1: a URL's octets name the place. As text they would be others.
    @Test func aLocationKeepsItsOctets() throws {
        let bytes = Array("HTTP/1.1 302 Found\r\nlocation: /h".utf8) + [0xE9, 0x80] + Array("\r\n y".utf8) + [0xFF]
        #expect(try #require(head(bytes + Array("\r\n".utf8))).headers["Location"] == "/h%E9%80 y%FF")
        #expect(try #require(head("HTTP/1.1 302 Found\r\nLocation: /hé\r\n")).headers["Location"] == "/hé")
    }

    @Test func aFoldedLineContinuesItsValue() throws {
        let headers = try #require(head("HTTP/1.1 200 OK\r\nA: one\r\n two\r\n\tthree\r\nB: 2\r\n")).headers
        #expect(headers["A"] == "one two three")
        #expect(headers["B"] == "2")
    }

    @Test(arguments: [
        "No colon\r\n", ": no name\r\n", "Sp ace: x\r\n", "Name : x\r\n", "N\u{0}l: x\r\n", "V: a\u{0}b\r\n",
        "V: a\rb\r\n",
        " folded first\r\n", "(paren): x\r\n", "Ümlaut: x\r\n",
    ])
    func linesThatAreNoFields(line: String) { #expect(head("HTTP/1.1 200 OK\r\n" + line) == nil) }
}
