import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// What goes when there is too much, against the rule in its plainest form.
@Suite struct CookieEvictionTests {
    /// A jar that looks at all it has, each time.
    private struct Plain {
        struct Entry {
            var cookie: Cookie
            let order: Int
        }

        let limits: CookieJar.Limits
        var entries: [Entry] = []
        var nextOrder = 0

        private static func site(_ cookie: Cookie) -> Substring {
            cookie.domain.split(separator: ".").suffix(2).joined(separator: ".")[...]
        }

        mutating func insert(_ cookie: Cookie, now: Date) {
            entries.removeAll { $0.cookie.isExpired(at: now) }
            if let index = entries.firstIndex(where: { $0.cookie.isReplaced(by: cookie) }) {
                let old = entries.remove(at: index)
                guard !cookie.isExpired(at: now) else { return }
                var new = Entry(cookie: cookie, order: old.order)
                new.cookie.creationTime = old.cookie.creationTime
                return entries.insert(new, at: index)
            }
            guard !cookie.isExpired(at: now) else { return }
            entries.append(Entry(cookie: cookie, order: nextOrder))
            nextOrder += 1
            let site = Self.site(cookie)
            let ofSite = entries.indices.filter { Self.site(entries[$0].cookie) == site }
            if ofSite.count > limits.cookiesPerSite { removeFirst(of: ofSite, sparesSecure: true) }
            if entries.count > limits.cookies { removeFirst(of: Array(entries.indices), sparesSecure: false) }
        }

        private mutating func removeFirst(of indices: [Int], sparesSecure: Bool) {
            let sorted = indices.sorted { one, other in
                let one = entries[one], other = entries[other]
                if sparesSecure, one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
                let used = one.cookie.lastAccessTime, otherUsed = other.cookie.lastAccessTime
                return used == otherUsed ? one.order < other.order : used < otherUsed
            }
            entries.remove(at: sorted[0])
        }

        mutating func use(_ domain: String, now: Date) {
            for index in entries.indices
            where entries[index].cookie.domain == domain && !entries[index].cookie.isExpired(at: now) {
                entries[index].cookie.lastAccessTime = now
            }
        }

        func shown(_ now: Date) -> [Cookie] {
            entries.filter { !$0.cookie.isExpired(at: now) }.sorted { one, other in
                one.cookie.creationTime == other.cookie.creationTime
                    ? one.order < other.order : one.cookie.creationTime < other.cookie.creationTime
            }.map(\.cookie)
        }
    }

    /// Cookies that come, are replaced, are sent and end, in any order; also while the clock goes back, where none ends.
    @Test(arguments: 0..<12)
    func asTheRuleSays(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let goesBack = seed.isMultiple(of: 2)
        let limits = CookieJar.Limits(cookiesPerSite: Int.random(in: 1...6, using: &random), cookies: 15)
        var jar = CookieJar(limits: limits), plain = Plain(limits: limits)
        var now = Date(timeIntervalSince1970: 1_767_225_600)
        for step in 0..<600 {
            now += TimeInterval(Int.random(in: goesBack ? -2...3 : 0...2, using: &random))
            let domain = "h\(Int.random(in: 0..<2, using: &random)).s\(Int.random(in: 0..<8, using: &random)).test"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<7:
                let life = goesBack ? 1_000_000 : Int.random(in: -1...30, using: &random)
                let cookie = Cookie(
                    name: "n\(Int.random(in: 0..<9, using: &random))", value: "\(step)", domain: domain,
                    expires: Bool.random(using: &random) ? now + TimeInterval(life) : nil,
                    isSecure: Bool.random(using: &random), creationTime: now,
                    lastAccessTime: now - TimeInterval(Int.random(in: 0..<4, using: &random)))
                jar.insert(cookie, now: now)
                plain.insert(cookie, now: now)
            default:
                _ = jar.header(for: try HTTPURL("https://\(domain)/"), now: now)
                plain.use(domain, now: now)
            }
            let shown = jar.cookies(now: now)
            try #require(shown == plain.shown(now), "step \(step)")
            #expect(jar.count <= limits.cookies && jar.ages.count <= 2 * limits.cookies + 66)
        }
    }

    /// What is known of cookies that have gone does not pile up.
    @Test func nothingPilesUp() throws {
        var jar = CookieJar()
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        for number in 0..<20_000 {
            let domain = "s\(number % 7).test"
            jar.insert(Cookie(name: "n", value: "", domain: domain, creationTime: now - Double(number)), now: now)
            jar.insert(Cookie(name: "n", value: "", domain: domain, expires: .distantPast), now: now)
        }
        #expect(jar.count == 0 && jar.sites.isEmpty)
        #expect(jar.ages.count <= 64)
    }
}
