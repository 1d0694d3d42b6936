internal import CLupineLinux
internal import Glibc
internal import LupineCore

/// A socket that accepts connections.
final class ListeningSocket: Sendable {
    /// The free port that the system gave; 0 for a Unix socket.
    let port: Int
    /// The descriptor. Used and closed by the accepting thread, or by deinit when there was none.
    private let state: Lock<Int32>
    private let path: String?

    var descriptor: Int32 { state.withLock { $0 } }

    init(_ address: LoopbackServer.Address) throws(LoopbackError) {
        switch address {
        case .ipv4:
            let address = sockaddr_in(
                sin_family: sa_family_t(AF_INET), sin_port: 0, sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian),
                sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
            let descriptor = try Self.listening(AF_INET, at: address)
            state = Lock(descriptor)
            port = Self.boundPort(of: descriptor)
            path = nil
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            let descriptor = try Self.listening(AF_INET6, at: address)
            state = Lock(descriptor)
            port = Self.boundPort(of: descriptor)
            path = nil
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
                guard bytes.count < place.count, !bytes.contains(0) else { return false }
                place.copyBytes(from: bytes)
                return true
            }
            guard isShort else { throw LoopbackError(.socketFailed, "no path for a Unix socket: \(path)") }
            state = Lock(try Self.listening(AF_UNIX, at: address))
            port = 0
            self.path = path
        }
    }

    deinit { close() }

    private static func listening<Address>(_ family: Int32, at address: Address) throws(LoopbackError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .system("socket") }
        let result = withUnsafeBytes(of: address) { bytes in
            bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(MemoryLayout<Address>.size))
        }
        guard result == 0, listen(descriptor, Int32(SOMAXCONN)) == 0 else {
            let error = LoopbackError.system("bind")
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func boundPort(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { bytes in
            var length = socklen_t(bytes.count)
            getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            // The port stands at the same place for both families, in network order.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }

    /// The next connection; `nil` when it has gone before it was accepted.
    func accept() throws(LoopbackError) -> Int32? {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let connection = lupine_accept4(descriptor, flags)
        guard connection >= 0 else {
            switch errno {
            case EAGAIN, EINTR, ECONNABORTED, EPROTO: return nil
            default: throw .system("accept")
            }
        }
        if path == nil {
            // Each piece that a script sends is to leave as it was sent.
            var one: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        return connection
    }

    func close() {
        let descriptor = state.withLock { state in
            defer { state = -1 }
            return state
        }
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        if let path { unlink(path) }
    }
}
