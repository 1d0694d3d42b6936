internal import FoundationEssentials
public import LupineCore
public import LupineSerialization
public import LupineTransport

/// A session for an API over HTTP: a base URL, parameters that become queries and bodies, answers that become values,
/// and an error for every status that is no success.
///
/// ```swift
/// let api = HTTPSessionManager(baseURL: "https://api.example.com/v1/")
/// let user = try await api.get("users/42", as: User.self)
/// ```
public final class HTTPSessionManager: Sendable {
    /// What relative URLs are relative to, as given.
    public let baseURL: String?
    /// The session underneath.
    public let session: URLSessionManager

    /// What may be changed while requests are made.
    struct Settings: Sendable {
        var requestSerializer: any RequestSerializer
        var headers = HTTPHeaders()
        var responseSerializer: HTTPResponseSerializer
        var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
    }

    /// One reference, since each request asks for them.
    private let settingsNow: Lock<Shared<Settings>>
    var settings: Settings { settingsNow.withLock(\.self).value }

    /// Requests that are being made go on with what was before.
    func change(_ change: (inout Settings) -> Void) {
        // What is replaced may be a user's, and goes after the lock.
        _ = settingsNow.withLock { shared in
            let replaced = shared
            var settings = shared.value
            change(&settings)
            shared = Shared(settings)
            return replaced
        }
    }

    private final class Shared<Value: Sendable>: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let base: Result<HTTPURL, LupineError>?
    private let origin: String?

    /// A session of the process with no base URL and the default configuration.
    public static let shared = HTTPSessionManager()

    /// - Parameters:
    ///   - baseURL: an absolute URL. A `/` is added to a path that lacks one at its end, as in AFNetworking, so that
    ///     relative URLs go below it. One that cannot be read makes each request fail with `invalid-url`.
    ///   - configuration: copied.
    ///   - acceptableStatuses: see ``acceptableStatuses``.
    ///   - transport: what performs exchanges. libcurl by default; a stub in tests.
    public init(
        baseURL: String? = nil, configuration: SessionConfiguration = SessionConfiguration(),
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        acceptableStatuses: StatusSet? = .successful, transport: (any HTTPTransport)? = nil
    ) {
        self.baseURL = baseURL
        settingsNow = Lock(
            Shared(
                Settings(
                    requestSerializer: requestSerializer,
                    responseSerializer: HTTPResponseSerializer(acceptableStatuses: acceptableStatuses))))
        let base = baseURL.map { text in
            Result { () throws(LupineError) in
                let url = try HTTPURL(text)
                guard !url.path.hasSuffix("/") else { return url }
                let folder = try HTTPURL("\(url.origin)\(url.path)/\(url.query.map { "?\($0)" } ?? "")")
                return folder.with(userinfo: url.userinfo, fragment: nil)
            }
        }
        self.base = base
        origin = (try? base?.get())?.origin
        session = URLSessionManager(configuration: configuration, transport: transport, origin: origin)
    }

    public var configuration: SessionConfiguration { session.configuration }
    /// Where this session's transfers run. See ``URLSessionManager/eventLoop``.
    public var eventLoop: EventLoop { session.eventLoop }

    /// The session's cookies.
    public var cookieStorage: CookieStorage { session.cookieStorage }

    /// Takes no more requests and closes the connections. See ``URLSessionManager/invalidate(cancellingTasks:)``.
    public func invalidate(cancellingTasks: Bool = true) async {
        await session.invalidate(cancellingTasks: cancellingTasks)
    }

    /// Another session with the same base URL and serializers, whose configuration differs. Connections are not shared.
    public func copy(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> HTTPSessionManager {
        var configuration = configuration
        change(&configuration)
        let copy = HTTPSessionManager(baseURL: baseURL, configuration: configuration)
        copy.change { $0 = settings }
        return copy
    }

    /// The URL that a string means here: absolute as it is, else relative to the base URL (RFC 3986 section 5.2).
    ///
    /// - Throws: ``LupineError`` with `invalid-url`.
    public func url(_ string: String) throws(LupineError) -> HTTPURL {
        guard let base else { return try HTTPURL(string) }
        return try base.get().resolve(string)
    }

    // Not inlined: what it needs for a moment would be part of each waiting task.
    /// A request with its parameters serialized, not sent yet.
    ///
    /// - Throws: ``LupineError`` with `invalid-url` or `request-serialization-failed`.
    @inline(never)
    public func makeRequest(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil
    ) throws(LupineError) -> HTTPRequest {
        let settings = settingsNow.withLock(\.self)
        let request = plainRequest(method, try self.url(url), .empty, headers, options, settings.value.headers)
        if let serializer { return try serializer.serialize(request, parameters: parameters) }
        var made = try settings.value.requestSerializer.serialize(request, parameters: parameters)
        if isElsewhere(made.url) {
            // What the session adds, and not the call.
            made.headers = HTTPHeaders(made.headers.filter { !$0.isForOneOrigin || request.headers.contains($0.name) })
        }
        return made
    }

    /// A request with a body of one's own, not sent yet.
    ///
    /// - Throws: ``LupineError`` with `invalid-url`.
    @inline(never)
    public func makeRequest(
        _ method: HTTPMethod, _ url: String, body: HTTPBody, headers: HTTPHeaders = [:], options: TransferOptions? = nil
    ) throws(LupineError) -> HTTPRequest {
        plainRequest(method, try self.url(url), body, headers, options, settings.headers)
    }

    private func plainRequest(
        _ method: HTTPMethod, _ url: HTTPURL, _ body: HTTPBody, _ headers: HTTPHeaders, _ options: TransferOptions?,
        _ own: HTTPHeaders
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, url: url, headers: headers, body: body, options: options ?? configuration.options)
        guard !own.isEmpty else { return request }
        let isElsewhere = isElsewhere(url)
        for field in own where !(isElsewhere && field.isForOneOrigin) && !headers.contains(field.name) {
            request.headers.add(field)
        }
        return request
    }

    /// Whether it leads away from the base URL: what is for one origin is for that one's.
    private func isElsewhere(_ url: HTTPURL) -> Bool { origin.map { !url.hasOrigin($0) } ?? false }
}

extension HTTPSessionManager: CustomStringConvertible {
    /// The base URL has no credentials here.
    public var description: String {
        let base = baseURL.map { text in (try? HTTPURL(text)).map(\.description) ?? "a base URL that is none" }
        return "HTTPSessionManager\(base.map { " at \($0)" } ?? ""), \(session.tasks.count) tasks"
    }
}
