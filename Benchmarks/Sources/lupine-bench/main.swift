internal import BenchSupport
internal import Glibc
internal import LupineWork

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    exit(await perform(try Options(arguments: arguments)))
} catch {
    complain("\(error)\n\(Options.usage)")
    exit(2)
}

func measure(_ work: () throws -> Int32) -> Int32 {
    do {
        return try work()
    } catch {
        complain("\(error)")
        return 1
    }
}

/// A peer is a program of its own: URLSession drags in the whole of Foundation, and the counter of allocations
/// replaces malloc. Neither may be in the process that is measured.
func perform(_ options: Options) async -> Int32 {
    switch (options.command, options.peer) {
    case (.allocations, _): become("allocation-count", arguments: arguments)
    case (_, .c): become("c-peer", arguments: arguments)
    case (_, .urlsession): become("urlsession-peer", arguments: arguments)
    case (.decoding, .lupine): return measure { try measureDecoding(options) }
    case (.encoding, .lupine): return measure { try measureEncoding(options) }
    case (_, .lupine): return await run(options, with: LupineClient.self)
    }
    return 1
}
