internal import FoundationEssentials
internal import Lupine

/// The file of `--cookies`: read before, written after; one that is not there yet is empty.
struct CookieFile {
    let storage = CookieStorage()
    private let path: String

    init(_ path: String) throws(LupineError) {
        self.path = path
        if FileManager.default.fileExists(atPath: path) { try storage.load(netscapeFile: path) }
    }

    func save() throws(LupineError) { try storage.save(netscapeFile: path) }
}
