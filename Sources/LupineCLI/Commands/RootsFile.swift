internal import FoundationEssentials
internal import Glibc
internal import LupineCore

/// The file of `--ca`, as the PEM that the engine reads: one in DER is rewritten into a file that lives as long as this.
final class RootsFile: Sendable {
    /// Where the PEM stands.
    let path: String
    private let isTemporary: Bool

    /// - Throws: ``LupineError`` with `file-failed`: it cannot be read, or holds no certificate.
    init(_ path: String) throws(LupineError) {
        let data = try Self.contents(of: path)
        if data.contains(text: "-----BEGIN CERTIFICATE-----")
            || data.contains(text: "-----BEGIN TRUSTED CERTIFICATE-----")
        {
            self.path = path
            isTemporary = false
            return
        }
        // DER: a SEQUENCE whose length takes two bytes or more (X.690 section 8.1.3).
        guard data.count > 4, data[data.startIndex] == 0x30, data[data.startIndex + 1] >= 0x81 else {
            throw LupineError(.fileFailed, "\(path.quotedForMessage) holds no certificate, neither PEM nor DER")
        }
        let text = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        self.path = try Self.temporary("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n")
        isTemporary = true
    }

    deinit { if isTemporary { unlink(path) } }

    /// Some hundred times what a system's roots take.
    private static let largestSize = 64 << 20

    private static func contents(of path: String) throws(LupineError) -> Data {
        let descriptor = open(path.systemPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("cannot read", path, errno) }
        defer { close(descriptor) }
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file("cannot read", path, errno) }
            guard count > 0 else { return data }
            guard data.count < largestSize else {
                throw LupineError(.fileFailed, "\(path.quotedForMessage) is too large to be a file of roots")
            }
            data.append(contentsOf: piece.prefix(count))
        }
    }

    /// In the folder that the system has for such files: `TMPDIR`, else `/tmp` (POSIX.1-2024, Base Definitions 8.3 and 10.1). The
    /// name is new, and the file its owner's alone (mkstemp).
    private static func temporary(_ pem: String) throws(LupineError) -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var template = Array("\(folder.isEmpty ? "/tmp" : folder)/lupine-roots-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard descriptor >= 0 else { throw .file("cannot write", path, errno) }
        defer { close(descriptor) }
        do {
            try descriptor.writeAll(Data(pem.utf8), name: path)
        } catch {
            unlink(path)
            throw error as? LupineError ?? .file("cannot write", path, EPIPE)
        }
        return path
    }
}

extension Data {
    fileprivate func contains(text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard count >= wanted.count else { return false }
        return (startIndex...endIndex - wanted.count).contains { self[$0...].starts(with: wanted) }
    }
}
