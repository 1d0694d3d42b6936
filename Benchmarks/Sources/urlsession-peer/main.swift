internal import BenchSupport
internal import Foundation
internal import FoundationNetworking
internal import Glibc

/// FoundationNetworking's URLSession through its async function.
struct URLSessionClient: BenchClient {
    private let session: URLSession
    private let url: URL

    struct NotHTTP: Error {}

    init(_ options: Options) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = options.connectionLimit
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
        guard let url = URL(string: options.url) else { throw URLError(.badURL) }
        self.url = url
    }

    func get() async throws -> Answer {
        let (data, response) = try await session.data(from: url)
        guard let response = response as? HTTPURLResponse else { throw NotHTTP() }
        return Answer(status: response.statusCode, length: data.count)
    }

    func close() async { session.invalidateAndCancel() }
}

/// Foundation's reader of JSON trees, which is in full Foundation only.
func measureTree() throws -> Int32 {
    let data = Data(jsonDocument(bytes: 10_000_000))
    var report = Report()
    report.add("tree_us", try medianCPU(of: 9) { _ = try JSONSerialization.jsonObject(with: data) })
    report.write()
    return 0
}

do {
    let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
    if options.certificateAuthorities != nil {
        complain("--ca has no effect: URLSession on Linux trusts the system's roots and no others")
    }
    if options.command == .decoding { exit(try measureTree()) }
    exit(await run(options, with: URLSessionClient.self))
} catch {
    complain("\(error)\n\(Options.usage)")
    exit(2)
}
