internal import FoundationEssentials
internal import Glibc

/// A directory of a test's own, removed with all it holds when the last reference goes.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at its end. Short enough for a Unix socket beneath it.
    public let path: String

    /// Makes one beneath `TMPDIR`, or `/tmp`.
    ///
    /// - Throws: ``LoopbackError`` with `file-failed`.
    public init() throws(LoopbackError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent.isEmpty ? "/tmp" : parent)/lupine-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw LoopbackError(.fileFailed, "no temporary directory: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it. Nothing is made.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in it.
    ///
    /// - Returns: its path.
    /// - Throws: ``LoopbackError`` with `file-failed`.
    @discardableResult
    public func write(_ bytes: some Collection<UInt8>, to name: String) throws(LoopbackError) -> String {
        let path = file(name)
        try writeFile(bytes, to: path)
        return path
    }
}

func writeFile(_ bytes: some Collection<UInt8>, to path: String) throws(LoopbackError) {
    do {
        try Data(bytes).write(to: URL(filePath: path))
    } catch {
        throw LoopbackError(.fileFailed, "cannot write \(path): \(error)")
    }
}
