public import LupineCore

/// Which requests an interceptor's credential is for. It is attached to no other, since whoever gets a request gets its credential.
public struct CredentialScope: Sendable {
    private enum Reach: Sendable {
        case baseURL, everywhere
        case urls(@Sendable (HTTPURL) -> Bool)
    }

    private let reach: Reach

    /// Those to the origin of the session's base URL: to an absolute URL elsewhere that the same session is asked for (a link in an
    /// answer, a file on another host), the credential does not go. Where a session has no base URL: all.
    ///
    /// As for the secrets in ``SessionConfiguration/headers``.
    public static let baseURL = Self(reach: .baseURL)

    /// All, wherever they go.
    public static let everywhere = Self(reach: .everywhere)

    /// Those to these origins: scheme, host and port of each URL; its path does not count.
    public static func origins(_ urls: HTTPURL...) -> Self { origins(urls) }

    /// Those to these origins: scheme, host and port of each URL; its path does not count.
    public static func origins(_ urls: [HTTPURL]) -> Self {
        let origins = urls.map(\.origin)
        return Self(reach: .urls { url in origins.contains { url.hasOrigin($0) } })
    }

    /// Those whose URL is one of which `contains` says so.
    public static func urls(where contains: @escaping @Sendable (HTTPURL) -> Bool) -> Self {
        Self(reach: .urls(contains))
    }

    /// - Parameter base: the origin of the session's base URL, if it has one.
    func contains(_ url: HTTPURL, base: String?) -> Bool {
        switch reach {
        case .baseURL: base.map { url.hasOrigin($0) } ?? true
        case .everywhere: true
        case .urls(let contains): contains(url)
        }
    }
}
