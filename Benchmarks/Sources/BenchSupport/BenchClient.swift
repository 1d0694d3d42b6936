/// A client in Swift, as the benchmarks see it.
public protocol BenchClient: Sendable {
    /// Opens one session.
    init(_ options: Options) throws

    /// Makes one request and collects its body.
    func get() async throws -> Answer

    /// Runs `body` where the options want the asking tasks to run.
    func run<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result

    /// Makes so many tasks and cancels each. False: it has no such tasks.
    func makeAndCancel(tasks: Int) throws -> Bool

    /// Sends a file in a form. `nil`: it cannot.
    func upload(_ file: String) async throws -> Answer?

    /// Ends the session and everything of it.
    func close() async
}

extension BenchClient {
    public func makeAndCancel(tasks: Int) throws -> Bool { false }
    public func upload(_ file: String) async throws -> Answer? { nil }
    public func run<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result { await body() }
}

public struct Answer: Sendable {
    public let status: Int
    public let length: Int

    public init(status: Int, length: Int) {
        self.status = status
        self.length = length
    }
}

extension BenchClient {
    /// Makes so many requests in so many tasks, each of them one after the other, and says how many failed.
    public func drive(requests: Int, concurrency: Int, length: Int) async -> Int {
        guard requests > 0 else { return 0 }
        return await run {
            await withTaskGroup(of: Int.self) { group in
                for task in 0..<concurrency {
                    let share = requests / concurrency + (task < requests % concurrency ? 1 : 0)
                    group.addTask { await repeated(share, length: length) }
                }
                return await group.reduce(0, +)
            }
        }
    }

    private func repeated(_ count: Int, length: Int) async -> Int {
        var failures = 0
        for _ in 0..<count {
            do {
                let answer = try await get()
                if answer.status == 200, answer.length == length { continue }
                complain(ofFailure: "status \(answer.status), \(answer.length) bytes instead of \(length)")
            } catch {
                complain(ofFailure: "\(error)")
            }
            failures += 1
        }
        return failures
    }

    /// What each body must have: told, or learnt from one request. It is made in any case, so that what cannot
    /// work at all is told once and at once.
    public func expectedLength(_ options: Options) async throws -> Int {
        let answer = try await get()
        guard answer.status == 200 else { throw WrongStatus(status: answer.status) }
        return options.length ?? answer.length
    }
}

struct WrongStatus: Error, CustomStringConvertible {
    let status: Int
    var description: String { "the server answers with status \(status)" }
}
