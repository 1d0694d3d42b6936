internal import Glibc

/// Becomes the program `name` of this package; returns only when that failed.
///
/// `swift run lupine-bench` builds that one program: a sibling that is not there yet is built first.
public func become(_ name: String, arguments: [String]) {
    guard let own = ownPath() else { return complain("cannot tell where this program lies") }
    let folder = parent(of: own)
    let path = "\(folder)/\(name)"
    if access(path, X_OK) != 0 { build(name, besides: folder) }
    withArguments([path] + arguments) { _ = execv(path, $0) }
    complain("cannot run \(path): \(String(cString: strerror(errno)))")
}

private func ownPath() -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
}

/// - Parameter folder: `<package>/.build/<triple>/<configuration>`, where SwiftPM puts programs.
private func build(_ product: String, besides folder: String) {
    let scratch = parent(of: parent(of: folder))
    let configuration = folder.hasSuffix("/debug") ? "debug" : "release"
    let command = [
        "swift", "build", "-c", configuration, "--package-path", parent(of: scratch), "--scratch-path", scratch,
        "--product", product,
    ]
    complain("builds \(product) first")
    // What the build says must not stand in the report.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    defer { posix_spawn_file_actions_destroy(&actions) }
    withArguments(command) { vector in
        var child = pid_t()
        var status: Int32 = 0
        guard posix_spawnp(&child, "swift", &actions, nil, vector, environ) == 0 else {
            return complain("swift is not on the PATH")
        }
        waitpid(child, &status, 0)
    }
}

private func withArguments(_ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Void) {
    let copies = words.map { strdup($0) }
    body(copies + [nil])
    copies.forEach { free($0) }
}
