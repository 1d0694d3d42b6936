/// Runs the command with one kind of client and answers the exit status.
public func run<Client: BenchClient>(_ options: Options, with _: Client.Type) async -> Int32 {
    raiseDescriptorLimit()
    do {
        switch options.command {
        case .small: return try await small(options, Client.self)
        case .soak: return try await soak(options, Client.self)
        case .tasks: return try await tasks(options, Client.self)
        case .upload: return try await upload(options, Client.self)
        case .allocations, .encoding, .decoding:
            complain("this program does not measure that")
            return 2
        }
    } catch {
        complain("\(error)")
        return 1
    }
}

private func small<Client: BenchClient>(_ options: Options, _: Client.Type) async throws -> Int32 {
    let client = try Client(options)
    let length = try await client.expectedLength(options)
    var failures = await client.drive(requests: options.warmup, concurrency: options.concurrency, length: length)
    let before = Reading.now()
    failures += await client.drive(requests: options.requests, concurrency: options.concurrency, length: length)
    let after = Reading.now()
    let footprint = Footprint.now()
    await client.close()

    var report = Report()
    report.add("requests_per_s", Double(options.requests) / (after.seconds - before.seconds))
    report.add("cpu_us_per_request", (after.cpuSeconds - before.cpuSeconds) * 1e6 / Double(options.requests))
    report.add("max_rss_mb", footprint.maxRSSMB)
    report.add("failures", failures)
    report.write()
    return failures == 0 ? 0 : 1
}

private func tasks<Client: BenchClient>(_ options: Options, _: Client.Type) async throws -> Int32 {
    let client = try Client(options)
    guard try client.makeAndCancel(tasks: options.warmup) else {
        complain("this client makes no tasks")
        return 2
    }
    let before = Reading.now()
    _ = try client.makeAndCancel(tasks: options.requests)
    let after = Reading.now()
    await client.close()
    var report = Report()
    report.add("cpu_us_per_task", (after.cpuSeconds - before.cpuSeconds) * 1e6 / Double(options.requests))
    report.write()
    return 0
}

private func upload<Client: BenchClient>(_ options: Options, _: Client.Type) async throws -> Int32 {
    let client = try Client(options)
    guard let answer = try await client.upload(options.file ?? "") else {
        complain("this client sends no forms")
        return 2
    }
    let footprint = Footprint.now()
    await client.close()
    var report = Report()
    report.add("max_rss_mb", footprint.maxRSSMB)
    report.add("failures", answer.status == 200 ? 0 : 1)
    report.write()
    return answer.status == 200 ? 0 : 1
}

private func soak<Client: BenchClient>(_ options: Options, _: Client.Type) async throws -> Int32 {
    // The warm-up is of sessions that are closed like the others: the count begins and ends with none open.
    var failures = try await session(options, Client.self, options.warmup, options.concurrency)
    for _ in 0..<10 { failures += try await session(options, Client.self, 1, 1) }
    let start = Footprint.now()
    failures += try await session(options, Client.self, options.requests, options.concurrency)
    for _ in 0..<options.sessions { failures += try await session(options, Client.self, 1, 1) }
    let end = await settled(atMost: start)

    var report = Report()
    report.add("rss_mb_start", start.rssMB)
    report.add("rss_mb_end", end.rssMB)
    report.add("fds_start", start.descriptors)
    report.add("fds_end", end.descriptors)
    report.add("threads_start", start.threads)
    report.add("threads_end", end.threads)
    report.add("failures", failures)
    report.write()
    return failures == 0 ? 0 : 1
}

private func session<Client: BenchClient>(
    _ options: Options, _: Client.Type, _ requests: Int, _ concurrency: Int
) async throws -> Int {
    let client = try Client(options)
    let failures: Int
    do {
        let length = try await client.expectedLength(options)
        failures = await client.drive(requests: requests, concurrency: concurrency, length: length)
    } catch {
        await client.close()
        throw error
    }
    await client.close()
    return failures
}

/// The footprint, once descriptors and threads are no more than before, or after two seconds all the same:
/// threads of Swift's pool come and go by themselves.
private func settled(atMost limit: Footprint) async -> Footprint {
    for _ in 0..<20 {
        let now = Footprint.now()
        if now.descriptors <= limit.descriptors, now.threads <= limit.threads { return now }
        try? await Task.sleep(for: .milliseconds(100))
    }
    return Footprint.now()
}
