import FoundationEssentials
import Glibc
import Lupine
import LupineTesting

/// A request to this program's own server, which waits for a network: a line when it may begin, and then for each thing that happens.
struct ConnectivityProbe {
    func run() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("here") })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.options.waitsForConnectivity = true
        configuration.handlers = TaskHandlers { _, event in
            if case .waitingForConnectivity = event { say("waiting") }
        }
        let session = URLSessionManager(configuration: configuration)
        say("listening")
        _ = readLine()
        do {
            let answer = try await session.data(
                for: HTTPRequest(url: try HTTPURL(server.url("/")), options: session.configuration.options))
            say("answered \(answer.text ?? "nothing") to \(server.requestCount) request")
        } catch {
            say("\(error)")
        }
    }

    /// A pipe would keep lines back.
    private func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(1, bytes, bytes.count)
    }
}
