import LupineCore
import Testing

@testable import LupineTransport

@Suite struct FieldMemoryTests {
    private let memory = FieldMemory()

    /// The fields of a head with those lines, read with what was remembered of earlier ones.
    private func fields(_ lines: String...) -> [HTTPHeader]? {
        var assembler = ResponseAssembler(maximumSize: 1 << 20, memory: memory)
        for line in ["HTTP/1.1 200 OK"] + lines + [""] {
            switch Array((line + "\r\n").utf8).withUnsafeBytes({ assembler.add($0) }) {
            case .more: continue
            case .head: return assembler.takeHead().map { Array($0.headers) }
            case .fault: return nil
            }
        }
        return nil
    }

    private func remembered(_ line: String) -> HTTPHeader? {
        Array((line + "\r\n").utf8).withUnsafeBytes { memory.field(of: $0) }
    }

    @Test func aLineMeansWhatItMeant() {
        let first = fields("Server: x", "ETag: \"a\"", "Server: x")
        #expect(first?.map(\.description) == ["Server: x", "ETag: \"a\"", "Server: x"])
        #expect(remembered("Server: x") == HTTPHeader(name: "Server", value: "x"))
        #expect(fields("Server: x", "ETag: \"a\"", "Server: x") == first)
    }

    @Test(arguments: ["server: x", "Server: y", "Server:  x", "Server: x ", "Server: xx", "Serve r: x"])
    func onlyTheSameBytesAreTheSame(line: String) {
        _ = fields("Server: x")
        #expect(remembered(line) == nil)
    }

    /// Whether a line follows decides over what it means.
    @Test func aFoldedLineIsReadAgain() {
        _ = fields("A: one", "B: 2", " two")
        #expect(fields("A: one", " two")?.map(\.description) == ["A: one two"])
        #expect(fields("A: one")?.map(\.description) == ["A: one"])
        #expect(remembered(" two") == nil)
        #expect(fields("A: one", "B: 2")?.map(\.description) == ["A: one", "B: 2"])
    }

    /// What became of the first answer is not in the second: neither its fields nor what a receiver changed.
    @Test func statusLinesMeanWhatTheyMeant() throws {
        let lines = [
            "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 200 Ok", "HTTP/2 200", "HTTP/1.0 404 OK", "HTTP/1.1 200 OK",
        ]
        let heads = lines.compactMap { line -> HTTPResponse? in
            var assembler = ResponseAssembler(maximumSize: 1 << 20, memory: memory)
            for line in [line, "A: \(line)", ""] {
                _ = Array((line + "\r\n").utf8).withUnsafeBytes { assembler.add($0) }
            }
            var head = assembler.takeHead()
            #expect(head?.url == nil && head?.headers.count == 1 && head?.headers["A"] == line)
            head?.url = try? HTTPURL("http://a.test/")
            return head
        }
        #expect(heads.map(\.status.rawValue) == [200, 200, 200, 200, 404, 200])
        #expect(heads.map(\.reason) == ["OK", "OK", "Ok", "", "OK", "OK"])
        #expect(heads.map(\.version) == [.http1_1, .http1_1, .http1_1, .http2, .http1_0, .http1_1])
    }

    @Test func aFaultIsOneAgain() {
        for _ in 0..<2 { #expect(fields("Na me: x") == nil) }
    }

    @Test(arguments: ["Set-Cookie: a=1", "set-cookie: a=1", "X: " + String(repeating: "x", count: 200)])
    func cookiesAndLongLinesAreNotKept(line: String) {
        #expect(fields(line)?.count == 1)
        #expect(remembered(line) == nil)
    }

    /// Whatever displaces whatever, each head is what it would be without a memory.
    @Test func manyLinesInAnyOrder() {
        var numbers = SystemRandomNumberGenerator()
        let names = ["A", "Bc", "X-Long-Name", "Date", "etag"]
        for _ in 0..<2_000 {
            let sent = (0..<Int.random(in: 1...8, using: &numbers)).map { _ in
                HTTPHeader(
                    name: names.randomElement(using: &numbers) ?? "A",
                    value: String(Int.random(in: 0...30, using: &numbers)))
            }
            var assembler = ResponseAssembler(maximumSize: 1 << 20, memory: memory)
            for line in ["HTTP/1.1 200 OK"] + sent.map({ "\($0.name): \($0.value)" }) + [""] {
                _ = Array((line + "\r\n").utf8).withUnsafeBytes { assembler.add($0) }
            }
            #expect(assembler.takeHead().map { Array($0.headers) } == sent)
        }
    }
}
