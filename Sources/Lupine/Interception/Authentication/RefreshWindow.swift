/// How often a credential is refreshed within some time, at most: beyond that requests fail in place of one more refresh. It ends the
/// endless round of a server that gives credentials and refuses them, for all requests together.
public struct RefreshWindow: Hashable, Sendable {
    /// The time looked back on. 30 seconds by default.
    public var interval: Duration
    /// Refreshes that begin within it, well or not. 5 by default.
    public var maximumAttempts: Int

    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }
}

/// When refreshes began that still count.
struct RefreshHistory: Hashable, Sendable {
    /// `nil`: there is no limit.
    let window: RefreshWindow?
    private var starts: [Duration] = []

    init(window: RefreshWindow?) { self.window = window }

    /// Whether one may begin now; it is then noted.
    mutating func begins(at now: Duration) -> Bool {
        guard let window else { return true }
        starts.removeAll { now - $0 >= window.interval }
        guard starts.count < window.maximumAttempts else { return false }
        starts.append(now)
        return true
    }

    mutating func forget() { starts = [] }
}
