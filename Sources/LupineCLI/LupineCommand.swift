internal import Glibc
internal import Lupine

/// The command `lupine`, a thin face on the library.
public enum LupineCommand {
    /// Runs the process's command line and ends the process. To be called on the main thread.
    public static func main() -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        Console.occupyStandardDescriptors()
        let interruption = Interruption()
        interruption.begin()
        Task.detached {
            let status = await interruption.run { await run(words, console: Console()) }
            exit(status == ExitStatus.closedPipe ? Interruption.endByClosedPipe() : status)
        }
        interruption.wait()
    }

    /// Runs a command line.
    ///
    /// - Parameter words: without the program's name.
    static func run(_ words: [String], console: Console) async -> Int32 {
        do throws(UsageError) {
            let invocation = try Invocation(words)
            do {
                return try await run(invocation, console: console)
            } catch is Console.OutputClosed {
                return ExitStatus.closedPipe
            } catch let error as LupineError {
                console.complain("lupine: \(error)")
                return ExitStatus.of(error)
            } catch let error as UsageError {
                throw error
            } catch is CancellationError {
                // By a signal, which says the exit status and needs no message.
                return ExitStatus.of(.cancelled)
            } catch {
                console.complain("lupine: \(error)")
                return 1
            }
        } catch {
            console.complain("lupine: \(error.message); see: lupine help")
            return error.status
        }
    }

    private static func run(_ invocation: Invocation, console: Console) async throws -> Int32 {
        switch invocation {
        case .version:
            try await console.write("lupine \(lupineVersion)\n")
            return ExitStatus.success
        case .help(let command):
            try await console.write(try Help.text(about: command))
            return ExitStatus.success
        case .demo:
            return try await Demo(console: console).run()
        case .reachability(let arguments):
            return try await ReachabilityCommand(arguments: arguments, console: console).run()
        case .request(let arguments):
            var command = RequestCommand(arguments, console: console)
            return try await command.run()
        }
    }
}
