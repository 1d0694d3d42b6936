import Glibc
import LupineTesting

/// A port of 127.0.0.1 that is taken, so that no other test gets it, and where nobody listens: connections are refused.
final class ClosedPort: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws { (descriptor, port) = try Self.bound() }
    deinit { close(descriptor) }

    /// A socket bound to a free port.
    fileprivate static func bound() throws -> (descriptor: Int32, port: Int) {
        let descriptor = tcpSocket()
        let port = withLoopback(0) { address, length in
            var length = length
            guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0 else {
                return 0
            }
            return Int(UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian)
        }
        guard port != 0 else {
            close(descriptor)
            throw LoopbackError(.socketFailed, "no free port")
        }
        return (descriptor, port)
    }
}

/// The same for a port of the other address family than a server's: what goes to it goes to nobody else's server.
final class HeldPort: Sendable {
    private let descriptor: Int32

    /// `nil`: it is another's already.
    init?(_ port: Int, ipv6: Bool) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(ipv6 ? AF_INET6 : AF_INET, kind, 0)
        self.descriptor = descriptor
        let result: Int32
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            address.sin6_addr = in6addr_loopback
            result = withUnsafeBytes(of: address) { bytes in
                bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
            }
        } else {
            result = withLoopback(UInt16(port)) { bind(descriptor, $0, $1) }
        }
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }
}

/// A port that listens and takes no connection: its queue is full. A connection to it neither stands nor fails.
final class FullListener: Sendable {
    let port: Int
    private let descriptors: [Int32]

    init() throws {
        let (listener, port) = try ClosedPort.bound()
        listen(listener, 0)
        // One fills the queue; the others make sure.
        let fillers = (0..<4).map { _ in
            let filler = tcpSocket()
            withLoopback(UInt16(port)) { _ = connect(filler, $0, $1) }
            var wanted = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            poll(&wanted, 1, 200)
            return filler
        }
        self.port = port
        descriptors = [listener] + fillers
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}

private func tcpSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
}

private func withLoopback<Result>(_ port: UInt16, _ call: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result)
    -> Result
{
    var address = sockaddr_in(
        sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
        sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian),
        sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
