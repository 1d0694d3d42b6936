public import Dispatch
internal import FoundationEssentials
internal import Glibc
public import LupineCore
public import LupineTransport

/// What all requests of a session have in common. Copied when the session is made.
public struct SessionConfiguration: Sendable {
    /// Connections, certificate authorities, addresses.
    public var transport = TransportConfiguration()
    /// How requests are carried that say nothing else: timeouts, proxy, HTTP version.
    public var options = TransferOptions()
    /// Fields for requests that have none of their name. ``defaultHeaders`` by default. Secrets among them
    /// (``HTTPHeader/isSecret``) are for the origin of the session's base URL alone, if it has one.
    public var headers = SessionConfiguration.defaultHeaders
    /// The largest body that is collected in memory, in bytes after decoding; a larger one ends with
    /// `response-too-large`. 256 MiB by default. A request's own `maximumBodySize` goes before it.
    public var maximumInMemoryBodySize: Int64 = 256 << 20
    /// When a request that the server cannot have acted on is sent again.
    public var resending = ResendPolicy()
    /// Which redirects are followed.
    public var redirects = RedirectPolicy()
    /// Where cookies are kept. `nil`, the default: in a storage of the session's own, in memory; sessions that are given one
    /// share it. A request without them has ``TransferOptions/handlesCookies`` off, or a `Cookie` field of its own, which is
    /// sent as it is.
    public var cookieStorage: CookieStorage?
    /// Where hosts are kept that want to be reached over https only. `nil`, the default: in a storage of the session's own.
    public var hstsStorage: HSTSStorage?
    /// Decisions for all tasks, interceptors among them, and who is told of what happens to them.
    public var handlers = TaskHandlers()
    /// How often retriers have one task's request sent again, at most, whatever they say. 20 by default.
    public var maximumRetries = 20
    /// How many retries a host gets in all, so that one that fails under its load is not hammered by them. `nil`: as many as
    /// retriers want. Retries of what no host is in trouble for, such as a 401, are not counted.
    public var retryBudget: RetryBudget? = RetryBudget()
    /// When a host that fails is not asked any more. `nil`, the default: never. A request to such a host ends with
    /// `not-reachable`, unsent.
    public var circuitBreaker: CircuitBreaker?
    /// What pauses between tries are counted by. Limits of time of a request (`Timeouts`) go by the system's clock.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Told, on ``eventQueue``, when the session has been invalidated and all its tasks have ended.
    public var didBecomeInvalid: (@Sendable () -> Void)?
    /// Where completion handlers and the progress of tasks run. The main queue by default: a program that blocks its main thread,
    /// and has no `dispatchMain()` or run loop there, gives another. On a concurrent one those of one task still come one at a
    /// time and in order.
    public var callbackQueue = DispatchQueue.main
    /// Entered for each completion handler that is to run, left when it has returned.
    public var callbackGroup: DispatchGroup?
    /// Tells whether the network leads to a host, or, by `nil`, to anything beyond this machine: now, and at each change.
    package var connectivity: @Sendable (_ host: String?) -> AsyncStream<Bool> = Connectivity.watch
    /// Told of all tasks by their turns and ends; for modules on top.
    package var observer: SessionObserver?
    /// Where handlers are told of events: one at a time, in order.
    public var eventQueue = DispatchQueue(label: "lupine.events")
    /// Where transfers run. The process's own loop by default.
    public var eventLoop = EventLoop.shared

    public init() {}

    /// `Accept: */*`; `Accept-Language` with the languages that the environment names (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`,
    /// `LANG`), if it names any; and ``userAgent``. The transport adds `Accept-Encoding` with the codings that it removes.
    public static let defaultHeaders: HTTPHeaders = {
        var headers: HTTPHeaders = [.accept("*/*"), .userAgent(userAgent)]
        let languages = PreferredLanguages.acceptLanguage { name in getenv(name).map { String(cString: $0) } }
        if let languages { headers.add(.acceptLanguage(languages)) }
        return headers
    }()

    /// `Name (Linux; x86_64) Lupine/0.1.0`: the program's file, the system, the library.
    public static let userAgent: String = {
        let path = CommandLine.arguments.first ?? ""
        return userAgent(program: String(path.split(separator: "/").last ?? ""))
    }()

    /// The same for a program that tells its name and version: `Name/1.2 (Linux; x86_64) Lupine/0.1.0`. Characters that no
    /// token may hold (RFC 9110 section 5.6.2) are left out.
    public static func userAgent(program: String, version: String? = nil) -> String {
        #if arch(x86_64)
            let machine = "x86_64"
        #else
            let machine = "aarch64"
        #endif
        let products = [program, version ?? ""].map {
            String(decoding: $0.utf8.filter(\.isHTTPTokenByte), as: UTF8.self)
        }
        let product = products[1].isEmpty ? products[0] : products.joined(separator: "/")
        return "\(products[0].isEmpty ? "" : product + " ")(Linux; \(machine)) Lupine/\(lupineVersion)"
    }
}

extension SessionConfiguration {
    /// The request as it is sent.
    package func completed(_ request: consuming HTTPRequest) -> HTTPRequest {
        request.completed(headers: headers, maximumBodySize: nil)
    }
}

extension HTTPRequest {
    /// The request as it is sent: with a session's fields, the URL's credentials, and, if its body is to be collected, a limit
    /// for that.
    // Not inlined: what it needs for a moment would be part of each waiting task.
    @inline(never)
    consuming func completed(headers: HTTPHeaders, maximumBodySize: Int64?) -> HTTPRequest {
        var request = self
        if let maximumBodySize, request.options.maximumBodySize == nil {
            request.options.maximumBodySize = maximumBodySize
        }
        if request.headers.isEmpty {
            request.headers = headers
        } else {
            for field in headers where !request.headers.contains(field.name) {
                request.headers.add(name: field.name, value: field.value)
            }
        }
        if let userinfo = request.url.userinfo, !request.headers.contains("Authorization") {
            request.headers.add(name: "Authorization", value: userinfo.basicAuthorization)
        }
        return request
    }
}

extension HTTPURL.Userinfo {
    /// What an `Authorization` field says of them (RFC 7617 section 2).
    package var basicAuthorization: String { HTTPHeader.authorization(username: user, password: password).value }
}

/// The version of this package.
public let lupineVersion = "0.1.0"
