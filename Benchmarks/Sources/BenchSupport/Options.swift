/// What a benchmark program was asked to do.
public struct Options: Sendable {
    public enum Command: String, Sendable {
        /// Many small requests over connections that are kept: speed and CPU.
        case small
        /// Many requests, then many sessions: does the process end as it began?
        case soak
        /// Tasks that are made and cancelled, and send nothing; Lupine only.
        case tasks
        /// What making requests costs, of which none is sent; Lupine only.
        case encoding
        /// One form with a file; Lupine only.
        case upload
        /// What reading a JSON answer costs, without fetching any; Lupine, and Foundation in `urlsession`.
        case decoding
        /// How often a request asks for memory.
        case allocations
    }

    public enum Peer: String, Sendable { case lupine, urlsession, c }
    public enum Executor: String, Sendable { case pool, loop }
    public enum Version: String, Sendable {
        case http1 = "1.1"
        case http2 = "2"
    }

    public var command: Command
    public var url = ""
    /// What is uploaded.
    public var file: String?
    public var requests = 10_000
    public var concurrency = 64
    public var sessions = 200
    /// Requests made before anything is counted. A soak wants some more: its servers end a connection after 1,000
    /// requests, and what libcurl holds is at its height just then.
    public var warmup: Int { givenWarmup ?? (command == .soak ? 2500 : 500) }
    private var givenWarmup: Int?
    /// At most so many connections to the host; `nil` is as many as requests are in flight.
    public var connections: Int?
    public var version: Version?
    /// PEM file with the roots to trust instead of the system's.
    public var certificateAuthorities: String?
    /// Bytes in each body; `nil` is as many as the first one has.
    public var length: Int?
    /// libcurl's receive buffer in bytes; `nil` is 64 KB, Lupine's default and the C peer's.
    public var bufferSize: Int?
    public var peer = Peer.lupine
    public var executor = Executor.pool
    /// Whether each request goes through an adapter, and each failure to a retrier.
    public var isIntercepted = false

    public var connectionLimit: Int { connections ?? concurrency }

    public static let usage = """
        usage: lupine-bench small|soak|tasks|upload|allocations|encoding|decoding --url URL [--json]
                 [--requests N]       counted requests (10000)
                 [--concurrency C]    so many in flight (64)
                 [--connections K]    at most so many connections (C)
                 [--sessions M]       soak: sessions opened and closed (200)
                 [--warmup N]         requests before the count begins (500; soak: 2500)
                 [--http 1.1|2]       HTTP version at most
                 [--ca FILE]          roots to trust, PEM
                 [--length BYTES]     what each body must have (what the first one has)
                 [--buffer BYTES]     libcurl's receive buffer (65536); not URLSession
                 [--fresh-bodies]     C peer: memory of its own for each body, instead of one that is reused
                 [--file PATH]        upload: what is sent
                 [--peer lupine|urlsession|c]
                 [--executor pool|loop]   where the asking tasks run; Lupine only
                 [--intercepted]      with an adapter that adds a field, and a retrier; Lupine only

        """

    public init(arguments: [String]) throws(UsageError) {
        guard let name = arguments.first, let command = Command(rawValue: name) else {
            throw UsageError("a command is missing")
        }
        self.command = command
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            // One line of JSON is the only report there is.
            if option == "--json" || option == "--fresh-bodies" { continue }
            if option == "--intercepted" {
                isIntercepted = true
                continue
            }
            guard let value = rest.popFirst() else { throw UsageError("\(option) wants a value") }
            try set(option, value)
        }
        if url.isEmpty, command != .encoding, command != .decoding { throw UsageError("--url is missing") }
    }

    private mutating func set(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--url": url = value
        case "--file": file = value
        case "--requests": requests = try number(option, value)
        case "--concurrency": concurrency = try number(option, value)
        case "--connections": connections = try number(option, value)
        case "--sessions": sessions = try number(option, value)
        case "--warmup": givenWarmup = try number(option, value, least: 0)
        case "--length": length = try number(option, value, least: 0)
        case "--buffer": bufferSize = try number(option, value, least: 1024)
        case "--ca": certificateAuthorities = value
        case "--http": version = try choice(option, value)
        case "--peer": peer = try choice(option, value)
        case "--executor": executor = try choice(option, value)
        default: throw UsageError("unknown option \(option)")
        }
    }

    private func number(_ option: String, _ value: String, least: Int = 1) throws(UsageError) -> Int {
        guard let number = Int(value), number >= least else {
            throw UsageError("\(option) wants a number of at least \(least), not '\(value)'")
        }
        return number
    }

    private func choice<Choice: RawRepresentable<String>>(
        _ option: String, _ value: String
    ) throws(UsageError) -> Choice {
        guard let choice = Choice(rawValue: value) else { throw UsageError("\(option) does not know '\(value)'") }
        return choice
    }
}

public struct UsageError: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
