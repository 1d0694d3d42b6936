public import LupineCore
public import LupineTransport

/// What all requests of a session have in common. Copied when the session is made.
public struct SessionConfiguration: Sendable {
    /// Connections, certificate authorities, addresses.
    public var transport = TransportConfiguration()
    /// How requests are carried that say nothing else: timeouts, proxy, HTTP version.
    public var options = TransferOptions()
    /// Fields for requests that have none of their name. `Accept: */*` and a `User-Agent` by default.
    public var headers: HTTPHeaders = ["Accept": "*/*", "User-Agent": SessionConfiguration.userAgent]
    /// The largest body that is collected in memory, in bytes after decoding; a larger one ends with
    /// `response-too-large`. 256 MiB by default. A request's own `maximumBodySize` goes before it.
    public var maximumInMemoryBodySize: Int64 = 256 << 20
    /// When a request that the server cannot have acted on is sent again.
    public var resending = ResendPolicy()
    /// Where transfers run. The process's own loop by default.
    public var eventLoop = EventLoop.shared

    public init() {}

    /// `Name (Linux; x86_64) Lupine/0.1.0`: the program, the system, the library.
    public static let userAgent: String = {
        #if arch(x86_64)
            let machine = "x86_64"
        #else
            let machine = "aarch64"
        #endif
        let path = CommandLine.arguments.first ?? ""
        let name = String(path.split(separator: "/").last ?? "").utf8.filter(\.isHTTPTokenByte)
        let program = name.isEmpty ? "" : String(decoding: name, as: UTF8.self) + " "
        return "\(program)(Linux; \(machine)) Lupine/\(lupineVersion)"
    }()
}

/// The version of this package.
public let lupineVersion = "0.1.0"
