internal import Lupine
internal import LupineCore
internal import LupineTesting

/// The server of the demo.
enum DemoServer {
    /// Of `/large`: more than the buffers on the way hold.
    static let largeSize = 64 << 20

    static func start() throws(LoopbackError) -> LoopbackServer {
        let failures = Lock(2)
        return try LoopbackServer(recordsTraffic: false) { connection in
            while let head = try connection.readHead() {
                switch head.path {
                case "/slow-reader":
                    try readSlowly(head, connection)
                    return
                case "/gallery":
                    try readFormSlowly(head, connection)
                    return
                case "/silence": return try connection.stall()
                case "/endless": return try neverEnd(connection)
                case "/large": return try sendMuch(connection)
                case "/busy":
                    let isBusy = failures.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                    try connection.send(
                        isBusy ? .text("too busy\n", status: 503) : .text("at your service"), to: head)
                default:
                    let request = try connection.readBody(of: head)
                    try connection.send(answer(request), to: request)
                }
            }
        }
    }

    private static let saturn = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
            <key>name</key>
            <string>Saturn</string>
            <key>moons</key>
            <integer>274</integer>
        </dict>
        </plist>

        """

    private static func answer(_ request: RecordedRequest) -> LoopbackResponse {
        switch "\(request.method) \(request.path)" {
        case "GET /planets/5": .json(#"{"name": "Jupiter", "moons": 97}"# + "\n")
        case "GET /planets/10": .json(#"{"error": "there is no planet 10"}"# + "\n", status: 404)
        case "GET /page": .bytes(Array("<h1>In maintenance</h1>\n".utf8), type: "text/html")
        case "GET /planets/6.plist": .bytes(Array(saturn.utf8), type: "application/x-plist")
        case "POST /planets": .bytes(request.body, type: "application/json", status: 201)
        case "POST /echo": .json(request.echoJSON)
        case "GET /moved/once": .redirect(to: "twice")
        case "GET /moved/twice": .redirect(to: "/found", status: 307)
        case "GET /found": .text("here it is\n")
        case "POST /login": LoopbackResponse(status: 204, headers: ["Set-Cookie": "\(request.text); Path=/; HttpOnly"])
        case "GET /whoami": .text("hello, \(request.headers["Cookie"]?.split(separator: "=").last ?? "stranger")\n")
        case "POST /token": .text("fresh")
        case "GET /private":
            request.headers["Authorization"] == "Bearer fresh"
                ? .text("welcome\n") : .text("that has expired\n", status: 401)
        default: .text("no such page\n", status: 404)
        }
    }

    /// Takes a body piece by piece, so that the progress of its sending can be watched.
    private static func readSlowly(_ head: RecordedRequest, _ connection: LoopbackConnection) throws {
        var count = 0
        try readSlowly(head, connection) { count += $0.count }
        try connection.send(.text("\(count) bytes"), isLast: true)
    }

    /// The same with a form, of which it tells what it found.
    private static func readFormSlowly(_ head: RecordedRequest, _ connection: LoopbackConnection) throws {
        var request = head
        try readSlowly(head, connection) { request.body += $0 }
        let parts = try request.formParts().map { part -> JSONValue in
            [
                "name": JSONValue(part.name ?? ""), "type": part.contentType.map { JSONValue($0) } ?? nil,
                "size": JSONValue(part.body.count),
            ]
        }
        try connection.send(.json(JSONValue(["parts": JSONValue(parts)]).serialized()), isLast: true)
    }

    private static func readSlowly(
        _ head: RecordedRequest, _ connection: LoopbackConnection, _ take: ([UInt8]) -> Void
    ) throws {
        let length = head.headers["Content-Length"].flatMap { Int($0) } ?? 0
        var count = 0
        while count < length {
            let piece = try connection.read(upTo: 256 << 10)
            guard !piece.isEmpty else { return }
            count += piece.count
            take(piece)
            try connection.delay(.milliseconds(15))
        }
    }

    /// A first piece, a moment in which to pause, and the rest.
    private static func sendMuch(_ connection: LoopbackConnection) throws {
        try connection.sendHead(headers: ["Content-Length": "\(largeSize)"])
        let piece = [UInt8](repeating: UInt8(ascii: "."), count: 1 << 20)
        try connection.send(piece)
        try connection.delay(.milliseconds(100))
        for _ in 1..<(largeSize / piece.count) { try connection.send(piece) }
    }

    private static func neverEnd(_ connection: LoopbackConnection) throws {
        try connection.sendHead(headers: ["Content-Type": "text/plain", "Transfer-Encoding": "chunked"])
        while true {
            try connection.sendChunk("and so on\n")
            try connection.delay(.milliseconds(50))
        }
    }
}

/// The files of the demo, removed with the last reference.
final class DemoFiles: Sendable {
    static let largeSize = 32 << 20

    private let folder: TemporaryDirectory
    let largeFile: String

    init() throws {
        folder = try TemporaryDirectory()
        largeFile = try folder.write([UInt8](repeating: UInt8(ascii: "."), count: Self.largeSize), to: "large-file")
    }
}
