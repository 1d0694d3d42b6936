import FoundationEssentials
import LupineCore

@testable import Lupine

/// A clock that a test moves.
final class TestDate: Sendable {
    private let time: Lock<Date>

    /// A date as `Expires` has it.
    init(_ text: String = "1 Jan 2026 00:00:00") { time = Lock(CookieDate.parse(text) ?? .distantPast) }

    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

extension SetCookieField {
    init?(_ text: String) { self.init(ByteText(text)) }
}

extension CookieStorage {
    convenience init(_ clock: TestDate) { self.init(now: { clock.now }) }

    /// After answers with one cookie each.
    func receive(_ fields: String..., from url: String) throws {
        let url = try HTTPURL(url)
        for field in fields { store(["Set-Cookie": field], for: url) }
    }

    func header(_ url: String) throws -> String? { cookieHeader(for: try HTTPURL(url)) }
}
