import Lupine

/// One of curl's own tests: a reply, a command line, and what curl made of it.
struct CurlCase: Decodable {
    struct Table: Decodable { let cases: [CurlCase] }
    struct Reply: Decodable { let latin1: String }
    struct Expectation: Decodable {
        let body: String?
        let stdout: String?
    }

    let id: String
    let area: String
    let command: String?
    let replies: [Reply]
    let expect: Expectation
    let outcome: String
    let single_request: Bool

    /// What a command asks of a session.
    struct Request {
        var method = HTTPMethod.get
        var body: HTTPBody = .empty
        var decodesContent = false
        var maximumBodySize: Int64?
    }

    /// Options that say where curl's output goes and how much of it there is: the exchange is the same.
    private static let withoutMeaning: Set = [
        "-s", "-S", "-sS", "-i", "-#", "-O", "--silent", "--show-error", "--remote-time", "--http1.1", "--raw",
    ]
    private static let withoutMeaningButValue: Set = ["-D", "-o", "-w", "--write-out", "--stderr", "--output-dir"]

    /// `nil` for a command that holds anything else than a URL, a method, a short body, `--compressed`, a largest size and
    /// options without meaning here: redirects, cookies, transfer codings, HTTP/0.9, files that exist are other tests.
    var request: Request? {
        guard let command else { return nil }
        var request = Request(), words = Self.words(command)[...]
        while let word = words.popFirst() {
            switch word {
            case "-I", "--head": request.method = .head
            case "--compressed": request.decodesContent = true
            case "-X":
                guard let method = words.popFirst() else { return nil }
                request.method = HTTPMethod(rawValue: method)
            case "-d":
                guard let body = words.popFirst(), !body.isEmpty else { return nil }
                request.method = .post
                request.body = .text(body)
            case "--max-filesize":
                guard let size = words.popFirst().flatMap({ Int64($0) }) else { return nil }
                request.maximumBodySize = size
            case _ where word.hasPrefix("http://"): continue
            case _ where Self.withoutMeaning.contains(word): continue
            case _ where Self.withoutMeaningButValue.contains(word): words = words.dropFirst()
            default: return nil
            }
        }
        return request
    }

    /// A command line's words, quoted ones without their quotes.
    static func words(_ line: String) -> [String] {
        var words: [String] = [], word = "", quote: Character?, isWord = false
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
                isWord = true
            } else if quote == nil, character == " " {
                if isWord || !word.isEmpty { words.append(word) }
                (word, isWord) = ("", false)
            } else {
                word.append(character)
            }
        }
        return isWord || !word.isEmpty ? words + [word] : words
    }

    /// What the server sends.
    var reply: [UInt8] { Self.expanded(replies.first?.latin1 ?? "").latin1 }

    /// What curl prints of an answer.
    struct Printed {
        var status = 0
        /// The names of the fields.
        var names: [String] = []
        /// What stands behind the head: the body, and after it the trailers.
        var body: [UInt8] = []
    }

    /// What it prints is `data` itself unless the test says otherwise; `-w` prints more behind it.
    func printed(for method: HTTPMethod) -> Printed {
        let writesMore = command.map { $0.contains("-w ") || $0.contains("--write-out ") } ?? false
        let text = expect.body ?? (writesMore ? nil : expect.stdout)
        var printed = Printed(), rest = (text.map { Self.expanded($0).latin1 } ?? reply)[...]
        while !rest.isEmpty {
            // "HTTP/1.1 200"
            printed.status = Int(String(decoding: rest.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
            printed.names = []
            while let end = rest.firstIndex(of: 0x0A) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = rest[(end + 1)...]
                if line.isEmpty || line == "\r" { break }
                if let colon = line.firstIndex(of: ":"), !line.hasPrefix(" "), !line.hasPrefix("\t") {
                    printed.names.append(String(line[..<colon]))
                }
            }
            guard (100..<200).contains(printed.status) else { break }
        }
        if method != .head { printed.body = Array(rest) }
        return printed
    }

    /// `%repeat[3 x text]%` stands for the text three times; `%0a` in it for a line feed.
    private static func expanded(_ text: String) -> String {
        guard let start = text.firstRange(of: "%repeat["), let end = text[start.upperBound...].firstRange(of: "]%"),
            let cross = text[start.upperBound..<end.lowerBound].firstRange(of: " x "),
            let count = Int(text[start.upperBound..<cross.lowerBound])
        else { return text }
        let piece = text[cross.upperBound..<end.lowerBound].replacing("%0a", with: "\n")
        return text[..<start.lowerBound] + String(repeating: String(piece), count: count)
            + expanded(String(text[end.upperBound...]))
    }
}
