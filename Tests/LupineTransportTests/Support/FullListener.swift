import Glibc
import LupineTesting

/// A port that listens and takes no connection: its queue is full. A connection to it neither stands nor fails.
final class FullListener: Sendable {
    let port: Int
    private let descriptors: [Int32]

    init() throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_INET, kind, 0)
        var descriptors = [listener]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            withUnsafeBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { buffer in
                    buffer.baseAddress.map { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) } ?? -1
                }
            }
        }
        guard with({ bind(listener, $0, $1) }) == 0, listen(listener, 0) == 0 else {
            close(listener)
            throw LoopbackError(.socketFailed, "no listener")
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(listener, $0.baseAddress, &length) }
        }
        port = Int(address.sin_port.bigEndian)
        // One fills the queue; the others make sure.
        for _ in 0..<4 {
            let filler = socket(AF_INET, kind, 0)
            descriptors.append(filler)
            _ = with { connect(filler, $0, $1) }
            var wanted = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            poll(&wanted, 1, 200)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
