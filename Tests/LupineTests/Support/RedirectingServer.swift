import LupineCore
import LupineTesting

extension LoopbackServer {
    /// Answers `/start` with that status and `Location`, and every other path with what it was asked.
    static func redirecting(
        to location: String, _ status: Int, body: LoopbackResponse
    ) throws -> LoopbackServer {
        try LoopbackServer(
            handler: LoopbackServer.serving { request in
                guard request.path == "/start" else {
                    return .text("\(request.method) \(request.target) \(request.text)")
                }
                var answer = body
                answer.status = HTTPStatus(rawValue: status)
                answer.headers.add(name: "Location", value: location)
                return answer
            })
    }
}
