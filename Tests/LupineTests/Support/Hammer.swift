import Lupine
import LupineCore

/// What many like requests came to.
struct Tally: Sendable, CustomStringConvertible {
    var answered = 0
    /// Answers that took more than one sending.
    var resent = 0
    /// Connections opened, as the metrics tell.
    var connections = 0
    var failures: [String: Int] = [:]

    var failed: Int { failures.values.reduce(0, +) }

    var description: String {
        "\(answered) answered, \(resent) sent again, \(connections) connections, \(failed) failed \(failures)"
    }

    mutating func add(_ result: Result<DataResponse, LupineError>, isRight: (DataResponse) -> Bool) {
        switch result {
        case .success(let response) where isRight(response):
            answered += 1
            if response.sendings > 1 { resent += 1 }
            if !response.metrics.isReusedConnection { connections += 1 }
        case .success(let response): failures["\(response.status), \(response.data.count) bytes", default: 0] += 1
        case .failure(let error): failures["\(error)", default: 0] += 1
        }
    }
}

/// Sends a request `count` times, `inFlight` at a time.
func hammer(
    _ session: URLSessionManager, _ request: HTTPRequest, count: Int, inFlight: Int,
    isRight: @escaping @Sendable (DataResponse) -> Bool
) async -> Tally {
    let left = Lock(count), tally = Lock(Tally())
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<inFlight {
            group.addTask {
                while left.withLock({ left in
                    left -= 1
                    return left >= 0
                }) {
                    let result: Result<DataResponse, LupineError>
                    do throws(LupineError) {
                        result = .success(try await session.data(for: request))
                    } catch {
                        result = .failure(error)
                    }
                    tally.withLock { $0.add(result, isRight: isRight) }
                }
            }
        }
    }
    return tally.withLock { $0 }
}
