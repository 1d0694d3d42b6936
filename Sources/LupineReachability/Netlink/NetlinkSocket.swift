internal import CLupineLinux
internal import Glibc

/// A socket to the kernel's routing tables. It belongs to the network namespace of the thread that opened it.
final class NetlinkSocket: Sendable {
    /// What a read found.
    enum Reading: Equatable {
        /// So many bytes of the buffer are a datagram of the kernel's.
        case datagram(Int)
        /// Nothing, or nothing of the kernel's.
        case nothing
        case other
        /// Messages were lost: the socket's buffer was full, or the datagram was longer than the caller's.
        case overrun
        case failed(Int32)
    }

    struct Failure: Error, CustomStringConvertible {
        let what: String
        let number: Int32
        var description: String { "\(what): \(String(cString: strerror(number)))" }
    }

    let descriptor: Int32

    /// - Parameters:
    ///   - groups: `RTNLGRP_…`, whose news come.
    ///   - receiveBuffer: the kernel's buffer for what is not read yet, in bytes; its own default (`rmem_default`) where absent.
    init(groups: [UInt32] = [], receiveBuffer: Int32? = nil) throws(Failure) {
        descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
        guard descriptor >= 0 else { throw Failure(what: "no netlink socket", number: errno) }
        if let receiveBuffer { setOption(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        // Where the kernel cannot answer, nobody waits for ever.
        setOption(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: 10, tv_usec: 0))
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        let result = withUnsafeBytes(of: &address) { bytes in
            // A sockaddr is what the call names any address; the kernel reads as much as the length says.
            bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard result == 0 else { throw Failure(what: "netlink socket", number: errno) }
        // An old kernel lacks some, which then tell nothing.
        for group in groups { setOption(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, Int32(group)) }
    }

    deinit { close(descriptor) }

    private func setOption<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, option, bytes.baseAddress, socklen_t(bytes.count))
        }
    }

    func send(_ message: [UInt8]) throws(Failure) {
        while Glibc.send(descriptor, message, message.count, 0) < 0 {
            guard errno == EINTR else { throw Failure(what: "netlink question", number: errno) }
        }
    }

    /// - Parameter waits: whether to wait for a datagram when there is none.
    func receive(into buffer: inout [UInt8], waits: Bool) -> Reading {
        var sender = sockaddr_nl()
        var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        // MSG_TRUNC: the datagram's own length, so that one cut short is noticed.
        let flags = Int32(MSG_TRUNC) | (waits ? 0 : Int32(MSG_DONTWAIT))
        var count = -1
        repeat {
            count = withUnsafeMutableBytes(of: &sender) { address in
                recvfrom(
                    descriptor, &buffer, buffer.count, flags,
                    address.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            }
        } while count < 0 && errno == EINTR
        if count < 0 {
            switch errno {
            case EAGAIN: return .nothing
            case ENOBUFS: return .overrun
            default: return .failed(errno)
            }
        }
        // Any process may write to this socket; the kernel alone has the number 0.
        guard length == socklen_t(MemoryLayout<sockaddr_nl>.size), sender.nl_pid == 0 else { return .other }
        return count <= buffer.count ? .datagram(count) : .overrun
    }
}
