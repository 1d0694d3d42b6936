// Allocations per request of Lupine and of the C peer in one process, libcurl's own included in both.

internal import BenchSupport
internal import CAllocationCounter
internal import CPeer
internal import Glibc
internal import LupineWork

struct PerRequest {
    var allocations: Double
    var bytes: Double

    init(_ before: allocation_reading, _ after: allocation_reading, requests: Int) {
        allocations = Double(after.count - before.count) / Double(requests)
        bytes = Double(after.bytes - before.bytes) / Double(requests)
    }
}

struct Failed: Error, CustomStringConvertible {
    let description: String
}

func ofLupine(_ options: Options) async throws -> PerRequest {
    let client = try LupineClient(options)
    let length = try await client.expectedLength(options)
    var failures = await client.drive(requests: options.warmup, concurrency: options.concurrency, length: length)
    let before = allocations_read()
    failures += await client.drive(requests: options.requests, concurrency: options.concurrency, length: length)
    let after = allocations_read()
    await client.close()
    if failures > 0 { throw Failed(description: "\(failures) requests of Lupine failed") }
    return PerRequest(before, after, requests: options.requests)
}

func ofC(_ options: Options) throws -> PerRequest {
    // libcurl copies what it is told, but the peer's own pointers must live as long as the peer.
    let url = strdup(options.url)
    let roots = options.certificateAuthorities.map { strdup($0) } ?? nil
    defer {
        free(url)
        free(roots)
    }
    var work = peer_work()
    work.url = UnsafePointer(url)
    work.ca_file = UnsafePointer(roots)
    work.http = options.version == .http1 ? 11 : 0
    work.connections = Int32(options.connectionLimit)
    work.expected_length = options.length ?? -1
    work.buffer_size = options.bufferSize ?? 65_536
    guard let peer = peer_open(&work) else { throw Failed(description: "the C peer did not open") }
    defer { peer_close(peer) }
    var failures = peer_run(peer, options.warmup, Int32(options.concurrency))
    let before = allocations_read()
    failures += peer_run(peer, options.requests, Int32(options.concurrency))
    let after = allocations_read()
    if failures > 0 { throw Failed(description: "\(failures) requests of the C peer failed") }
    return PerRequest(before, after, requests: options.requests)
}

func count(_ options: Options) async throws {
    var report = Report()
    for concurrency in [1, 64] {
        var options = options
        options.concurrency = concurrency
        let c = try ofC(options)
        report.add("c_\(concurrency)", c.allocations)
        report.add("c_bytes_\(concurrency)", c.bytes)
        guard options.peer == .lupine else { continue }
        let lupine = try await ofLupine(options)
        report.add("lupine_\(concurrency)", lupine.allocations)
        report.add("lupine_bytes_\(concurrency)", lupine.bytes)
        report.add("ours_\(concurrency)", lupine.allocations - c.allocations)
    }
    report.write()
}

do {
    try await count(try Options(arguments: Array(CommandLine.arguments.dropFirst())))
} catch let error as UsageError {
    complain("\(error)\n\(Options.usage)")
    exit(2)
} catch {
    complain("\(error)")
    exit(1)
}
