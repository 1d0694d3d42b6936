internal import Lupine
internal import LupineTesting

/// The server of the demo.
enum DemoServer {
    static func start() throws(LoopbackError) -> LoopbackServer {
        try LoopbackServer(recordsTraffic: false) { connection in
            while let head = try connection.readHead() {
                switch head.path {
                case "/slow-reader":
                    try readSlowly(head, connection)
                    return
                case "/silence": return try connection.stall()
                case "/endless": return try neverEnd(connection)
                default:
                    let request = try connection.readBody(of: head)
                    try connection.send(answer(request), to: request)
                }
            }
        }
    }

    private static func answer(_ request: RecordedRequest) -> LoopbackResponse {
        switch "\(request.method) \(request.path)" {
        case "GET /planets/5": .json(#"{"name": "Jupiter", "moons": 97}"# + "\n")
        case "GET /planets/10": .json(#"{"error": "there is no planet 10"}"# + "\n", status: 404)
        case "POST /planets": .bytes(request.body, type: "application/json", status: 201)
        case "POST /echo": .json(request.echoJSON)
        default: .text("no such page\n", status: 404)
        }
    }

    /// Takes a body piece by piece, so that the progress of its sending can be watched.
    private static func readSlowly(_ head: RecordedRequest, _ connection: LoopbackConnection) throws {
        let length = head.headers["Content-Length"].flatMap { Int($0) } ?? 0
        var count = 0
        while count < length {
            let piece = try connection.read(upTo: 256 << 10)
            guard !piece.isEmpty else { return }
            count += piece.count
            try connection.delay(.milliseconds(15))
        }
        try connection.send(.text("\(count) bytes"), isLast: true)
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
