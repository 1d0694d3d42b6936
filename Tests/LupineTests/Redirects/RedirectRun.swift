import FoundationEssentials
import Lupine
import Testing

/// A request, the redirect that answers it, and what a policy makes of the two.
struct RedirectRun {
    var method = HTTPMethod.get
    var url = "https://a.example/dir/file?q#frag"
    var headers: HTTPHeaders = [:]
    var body: HTTPBody = .empty
    var options = TransferOptions()
    var status: HTTPStatus = 302
    var answer: HTTPHeaders
    var policy = RedirectPolicy()
    var followed = 0

    init(to location: String, _ change: (inout RedirectRun) -> Void = { _ in }) {
        answer = ["Location": location]
        change(&self)
    }

    func step() throws -> RedirectStep {
        let request = HTTPRequest(
            method: method, url: try HTTPURL(url), headers: headers, body: body, options: options)
        return policy.step(
            after: HTTPResponse(status: status, headers: answer), to: request, followed: followed)
    }

    /// The next request; anything else is a failure of the test.
    func next() throws -> HTTPRequest { try #require(try step().next) }
    /// The error; anything else is a failure of the test.
    func refusal() throws -> LupineError { try #require(try step().refusal) }
}

extension RedirectStep {
    var next: HTTPRequest? { if case .follow(let request) = self { request } else { nil } }
    var refusal: LupineError? { if case .refuse(let error) = self { error } else { nil } }
    var isAnswer: Bool { if case .answer = self { true } else { false } }
}

extension HTTPBody {
    /// Three bytes that can be read once.
    static var once: HTTPBody { .oneShotStream(length: 3, reader: NoReader()) }
    /// Three bytes that can be read again.
    static var again: HTTPBody { .stream(length: 3) { NoReader() } }

    /// A redirect asks no source for anything.
    private struct NoReader: BodyReader {
        func read(upTo count: Int) async throws -> Data? {
            Issue.record("a body was read")
            return nil
        }
    }
}
