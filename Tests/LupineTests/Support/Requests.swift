import FoundationEssentials
import Lupine
import LupineCore
import Testing

extension URLSessionManager {
    /// A session whose connections go straight to the peer, whatever proxy the environment names.
    static func direct(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> URLSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        change(&configuration)
        return URLSessionManager(configuration: configuration)
    }

    /// A session that trusts the authority of the live nginx, and no other.
    static func trustingNginx(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> URLSessionManager {
        let file = try #require(LivePeers.nginxCA)
        return .direct { configuration in
            configuration.transport.certificateAuthorities = .file(file)
            change(&configuration)
        }
    }

    /// Sends a request with the session's options.
    func send(
        _ method: HTTPMethod = .get, _ url: String, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> DataResponse {
        var options = configuration.options
        change(&options)
        let request = HTTPRequest(
            method: method, url: try HTTPURL(url), headers: headers, body: body, options: options)
        return try await data(for: request)
    }

    /// The error that a request ends with, and after how long. An answer is a failure of the test.
    func failure(
        _ method: HTTPMethod = .get, _ url: String, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> (error: LupineError, after: Duration) {
        let start = ContinuousClock.now
        let error = await #expect(throws: LupineError.self) {
            try await self.send(method, url, headers: headers, body: body, change)
        }
        let after = start.duration(to: .now)
        return (try #require(error), after)
    }
}

extension HTTPRequest {
    /// A request for the seam, past any proxy of the environment.
    static func direct(
        _ method: HTTPMethod = .get, _ url: String, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> HTTPRequest {
        var options = TransferOptions()
        options.route.proxy = .none
        change(&options)
        return HTTPRequest(method: method, url: try HTTPURL(url), headers: headers, body: body, options: options)
    }
}

/// A body made as it is read: `count` bytes, by a rule that tells a shift or a hole.
struct PatternReader: BodyReader {
    let count: Int64
    private let position = Lock<Int64>(0)

    private static let period = 65_521
    /// Some periods at once: a piece of a body is a slice.
    private static let block = Data(
        (0..<6 * period).map { UInt8(truncatingIfNeeded: ($0 % period) &* 31 &+ (($0 % period) >> 8)) })
    private static let largestPiece = 5 * period

    init(count: Int64) { self.count = count }

    func read(upTo limit: Int) async throws -> Data? {
        let (start, end) = position.withLock { position in
            let start = position
            position = min(count, start + Int64(min(limit, Self.largestPiece)))
            return (start, position)
        }
        return start == end ? nil : Self.bytes(start..<end)
    }

    private static func bytes(_ range: Range<Int64>) -> Data {
        let start = Int(range.lowerBound % Int64(period))
        return block[start..<start + range.count]
    }

    /// The first bytes of such a body.
    static func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count)
        while data.count < count {
            let start = Int64(data.count)
            data += bytes(start..<min(Int64(count), start + Int64(largestPiece)))
        }
        return data
    }
}
