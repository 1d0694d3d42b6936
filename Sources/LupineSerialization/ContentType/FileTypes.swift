internal import FoundationEssentials
internal import LupineCore

/// Content types by the names of files: as the system's shared-mime-info has them, else its mime.types, else a small table.
package struct FileTypes: Sendable {
    /// What nobody knows.
    package static let unknown = "application/octet-stream"

    /// As this system has them. Read once.
    package static let system = FileTypes(
        globs: text(of: "/usr/share/mime/globs2"), mimeTypes: text(of: "/etc/mime.types"))

    /// By what follows a dot: `png`, `tar.gz`. In lower case, unless its case counts.
    private var types: [String: String] = [:]
    private var typesByCase: [String: String] = [:]
    /// By whole names, in lower case: `makefile`.
    private var typesByName: [String: String] = [:]

    /// - Parameters:
    ///   - globs: the text of a `globs2` of shared-mime-info. `nil`: there is none.
    ///   - mimeTypes: the text of a `mime.types`. `nil`: there is none.
    package init(globs: String?, mimeTypes: String?) {
        // The first that knows an extension is believed.
        types = Self.fixed
        if let globs { add(globs: globs) }
        if let mimeTypes { add(mimeTypes: mimeTypes) }
        types.merge(Self.common) { known, _ in known }
    }

    /// The type of a file of that name. A path will do.
    package func type(of fileName: String) -> String {
        let name = fileName.split(separator: "/").last.map(String.init) ?? fileName
        if let type = typesByName[name.asciiLowercased] { return type }
        var rest = name[...]
        // The longest first: `tar.gz` before `gz`.
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = typesByCase[String(rest)] ?? types[String(rest).asciiLowercased] { return type }
        }
        return Self.unknown
    }

    /// Lines `weight:type:pattern[:flags]`. Of patterns only whole names and `*.extension` are taken, which is nearly all.
    private mutating func add(globs: String) {
        var weights: [String: Int] = [:]
        for line in globs.split(separator: "\n") where line.first != "#" {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 3, let weight = Int(fields[0]), ContentType(String(fields[1])) != nil else {
                continue
            }
            let isExtension = fields[2].hasPrefix("*.")
            let pattern = String(isExtension ? fields[2].dropFirst(2) : fields[2])
            guard !pattern.isEmpty, !pattern.utf8.contains(where: "*?[".utf8.contains) else { continue }
            if fields.count > 3, fields[3].split(separator: ",").contains("cs") {
                if isExtension, typesByCase[pattern] == nil { typesByCase[pattern] = String(fields[1]) }
                continue
            }
            let key = String(fields[2]).asciiLowercased
            guard weight > weights[key] ?? -1 else { continue }
            weights[key] = weight
            if !isExtension {
                typesByName[pattern.asciiLowercased] = String(fields[1])
            } else if Self.fixed[pattern.asciiLowercased] == nil {
                types[pattern.asciiLowercased] = String(fields[1])
            }
        }
    }

    /// Lines `type extension extension …`.
    private mutating func add(mimeTypes: String) {
        for line in mimeTypes.split(separator: "\n") where line.first != "#" {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let type = words.first.map(String.init), ContentType(type) != nil else { continue }
            for word in words.dropFirst() where types[String(word).asciiLowercased] == nil {
                types[String(word).asciiLowercased] = type
            }
        }
    }

    private static func text(of path: String) -> String? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// As in AFNetworking, whatever the system says.
    private static let fixed = ["cer": "application/x-x509-ca-cert"]

    /// Where a system has neither file.
    private static let common = [
        "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "bz2": "application/x-bzip2",
        "crt": "application/x-x509-ca-cert", "css": "text/css", "csv": "text/csv", "flac": "audio/flac",
        "gif": "image/gif", "gz": "application/gzip", "heic": "image/heif", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "ogg": "audio/ogg", "pdf": "application/pdf",
        "pem": "application/x-x509-ca-cert", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
        "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain", "wav": "audio/x-wav", "webm": "video/webm",
        "webp": "image/webp", "xml": "application/xml", "zip": "application/zip", "zst": "application/zstd",
    ]
}
