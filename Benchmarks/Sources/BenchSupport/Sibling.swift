internal import Glibc

/// Becomes the program `name` that lies beside this one; returns only when that failed.
public func become(_ name: String, arguments: [String]) {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return complain("cannot tell where this program lies") }
    let own = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = own[..<(own.lastIndex(of: "/") ?? own.startIndex)]
    let path = "\(folder)/\(name)"

    var vector: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    vector.append(nil)
    execv(path, vector)
    let reason = String(cString: strerror(errno))
    vector.forEach { free($0) }
    complain("cannot run \(path): \(reason); build the whole package first")
}
