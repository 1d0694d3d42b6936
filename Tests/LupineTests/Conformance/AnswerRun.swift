import FoundationEssentials
import Lupine
import LupineTesting

/// Answers sent as they stand, each over a connection of its own that then ends in order, and what a session makes of
/// them.
final class AnswerRun: Sendable {
    private let server: LoopbackServer
    private let session: URLSessionManager

    /// - Parameter answers: that with the number N answers `/N`.
    init(_ answers: [[UInt8]]) throws {
        server = try LoopbackServer(recordsTraffic: false) { connection in
            guard let request = try connection.readRequest(), let number = Int(request.path.dropFirst()) else { return }
            try connection.send(answers[number])
        }
        session = .direct {
            $0.options.timeouts.total = .seconds(10)
            // What is on trial is how one answer is read.
            $0.redirects.maximumRedirects = 0
        }
    }

    /// What the answer with a number came to.
    func result(
        _ number: Int, method: HTTPMethod = .get, body: HTTPBody = .empty,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> Result<DataResponse, LupineError> {
        do {
            return .success(try await session.send(method, server.url("/\(number)"), body: body, change))
        } catch let error as LupineError {
            return .failure(error)
        }
    }

    func finish() async {
        await session.invalidate()
        server.stop()
    }
}

extension Result where Success == DataResponse, Failure == LupineError {
    /// How it differs from an answer that must be whole, with this body; `nil`: not.
    func difference(fromBody body: [UInt8]) -> String? {
        switch self {
        case .failure(let error): "refused (\(error.code)), must be read: \(error.message)"
        case .success(let response) where Array(response.data) != body:
            "the body is \(response.data.count) bytes, must be \(body.count): "
                + String(decoding: response.data.prefix(60), as: UTF8.self).debugDescription
        case .success: nil
        }
    }

    /// How it differs from an answer that must be refused; `nil`: not.
    var differenceFromRefusal: String? {
        guard case .success(let response) = self else {
            // A wait that runs into its limit is no verdict.
            if case .failure(let error) = self, error.code == .timedOut { return "no verdict in time: \(error)" }
            return nil
        }
        return "taken for whole (\(response.status), \(response.data.count) bytes), must be refused"
    }
}
