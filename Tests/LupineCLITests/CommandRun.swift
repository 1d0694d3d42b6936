import FoundationEssentials
import Glibc
import LupineSerialization
import LupineTesting
import Testing

@testable import LupineCLI

/// One run of the command in this process: what it wrote and its exit status.
struct CommandRun {
    let status: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// The report that was printed.
    func report() throws -> JSONValue { try JSONValue(parsing: output) }
}

/// Runs a command line against files in place of the standard streams.
func lupine(_ words: String..., input: String = "") async throws -> CommandRun {
    try await lupine(words, input: input)
}

func lupine(_ words: [String], input: String = "") async throws -> CommandRun {
    let folder = try TemporaryDirectory()
    let inputPath = try folder.write(Array(input.utf8), to: "in")
    let streams = [
        open(inputPath, O_RDONLY | O_CLOEXEC), open(folder.file("out"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
        open(folder.file("err"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
    ]
    defer { for stream in streams { close(stream) } }
    let console = Console(input: streams[0], output: streams[1], errors: streams[2])
    let status = await LupineCommand.run(words, console: console)
    return CommandRun(
        status: status, output: try contents(of: folder.file("out")),
        errors: String(decoding: try contents(of: folder.file("err")), as: UTF8.self))
}

func contents(of path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

func names(in folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
}
