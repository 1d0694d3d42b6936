internal import FoundationEssentials
internal import Lupine

/// The file of `--cookies`: read before, written after; one that is not there yet is empty.
struct CookieFile {
    let storage = CookieStorage()
    private let path: String

    /// Reads the file, and makes sure that it can be written, so that one that cannot is told before anything is sent.
    ///
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    init(_ path: String) throws(LupineError) {
        self.path = path
        if FileManager.default.fileExists(atPath: path) { try storage.load(netscapeFile: path) }
        try CookieStorage.checkWritable(netscapeFile: path)
    }

    func save() throws(LupineError) { try storage.save(netscapeFile: path) }
}
