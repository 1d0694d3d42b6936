import Dispatch
import Glibc
import LupineLock
import LupineTesting
import Testing

@testable import LupineReachability

/// The socket: floods, forgeries, silence.
@Suite(
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"), .timeLimit(.minutes(2)))
struct NetlinkSocketTests {
    /// 1,000 times down and up as fast as the kernel does it: never the same twice in a row, no more than happened, the last one right.
    @Test(arguments: [false, true])
    func flapping(endsReachable: Bool) async throws {
        let namespace = try Namespace(Namespace.ready)
        let manager = namespace.manager(), heard = manager.heard()
        try await heard.count(1)
        let flaps = 1000
        let flap = "link set p0 down\nlink set p0 up\nroute add default via 10.0.0.1 dev p0\n"
        try namespace.ip(String(repeating: flap, count: flaps) + (endsReachable ? "" : "route del default"))
        try await namespace.settled()
        let told = heard.settled, changes = 2 * flaps + (endsReachable ? 0 : 1)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
        #expect(told.count <= changes + 1)
        #expect(told.last == (endsReachable ? .reachable(.ethernet) : .notReachable))
        print("\(flaps) flaps, \(changes) changes: \(told.count - 1) events, \(namespace.monitor.counts)")
    }

    /// Nobody reads while much happens: the socket's buffer runs over, and then all is asked for again.
    @Test func anOverrunIsMadeGoodByAskingForAll() async throws {
        let namespace = try Namespace(Namespace.ready, receiveBuffer: 4096)
        let manager = namespace.manager(), heard = manager.heard()
        try await heard.count(1)
        let held = Gate(), release = DispatchSemaphore(value: 0), isFirst = Lock(true)
        let added = namespace.monitor.add { _ in
            guard
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }; return isFirst
                })
            else { return }
            held.open()
            release.wait()
        }
        let id = try #require(added).id
        try namespace.ip("addr add 10.3.0.1/24 dev p0")
        try await held.opened()
        // The kernel says little of what then goes with the link, and that little is lost.
        try namespace.ip(
            String(repeating: "addr add 10.4.0.1/24 dev p0\naddr del 10.4.0.1/24 dev p0\n", count: 300)
                + "link set p0 down")
        release.signal()
        try await heard.count(2)
        #expect(heard.all == [.reachable(.ethernet), .notReachable])
        #expect(namespace.monitor.counts.dumps > 1)
        namespace.monitor.remove(id)
        try namespace.ip("link set p0 up\nroute add default via 10.0.0.1 dev p0")
        try await heard.count(3)
        #expect(heard.settled == [.reachable(.ethernet), .notReachable, .reachable(.ethernet)])
    }

    /// Anyone with the right to may write to the socket; only the kernel is believed.
    @Test func messagesOfOtherProcessesAreIgnored() async throws {
        let network = try NetworkNamespace()
        let (socket, forger) = try network.run { (try NetlinkSocket(groups: [1]), try NetlinkSocket()) }
        let port = try #require(socket.port)
        let forged = Bytes.link(index: 9, name: "forged")
        var address = sockaddr_nl_bytes(port: port)
        let sent = address.withUnsafeMutableBytes { bytes in
            sendto(
                forger.descriptor, forged, forged.count, 0, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        try #require(sent == forged.count)
        var buffer = [UInt8](repeating: 0, count: 8192)
        #expect(socket.receive(into: &buffer, waits: false) == .other)
        #expect(socket.receive(into: &buffer, waits: false) == .nothing)
        try network.ip("link set lo up")
        guard case .datagram = socket.receive(into: &buffer, waits: false) else {
            Issue.record("the kernel's own")
            return
        }
    }

    @Test func aDatagramLongerThanTheBufferIsAnOverrun() throws {
        let network = try NetworkNamespace()
        let socket = try network.run { try NetlinkSocket(groups: [1]) }
        try network.ip("link set lo up")
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(socket.receive(into: &buffer, waits: false) == .overrun)
    }

    /// With a buffer that no answer fits into, what is known is what fits; nothing hangs, and nothing is read beyond it.
    @Test func aBufferTooShortForAnything() throws {
        let network = try NetworkNamespace()
        var source = try network.run { try NetworkSource(bufferSize: 32) }
        try source.update()
        #expect(source.state == NetworkState() && source.dumps == 1)
    }

    /// B95. For ten seconds nothing changes: the thread does not wake up once, by its own count and by the kernel's, and nothing is told. Then
    /// each change is, once.
    @Test func tenSecondsOfSilence() async throws {
        let network = try NetworkNamespace()
        try network.ip(
            "link set lo up\nlink add p0 type veth peer name p1\nlink set p0 addrgenmode none\nlink set p1 addrgenmode none\n"
                + Namespace.ready)
        let probes = try [[], ["127.0.0.1"]].map { arguments in
            try network.run { try Program([Programs.probe] + arguments) }
        }
        func counts() async -> [String?] {
            var counts: [String?] = []
            for probe in probes {
                probe.write("\n")
                counts.append(await probe.line())
            }
            return counts
        }
        for probe in probes { #expect(await probe.line() == "reachable via ethernet") }
        // What the kernel has still to say of the setting up, a cable's being there above all, it says within a second.
        var before = await counts(), earlier: [String?] = []
        for _ in 0..<10 where before != earlier {
            try await Silence.lasting(seconds: 1)
            (earlier, before) = (before, await counts())
        }
        try await Silence.lasting(seconds: 10)
        let after = await counts()
        #expect(after == before)
        #expect(after.allSatisfy { $0?.hasPrefix("wake-ups ") == true && $0?.hasSuffix("sleeps -1") == false })
        print("ten seconds: \(before), then \(after)")
        // And both still listen.
        try network.ip("link set p0 down")
        #expect(await probes[0].line() == "not reachable")
        try network.ip("link set lo down")
        #expect(await probes[1].line() == "not reachable")
        try network.ip("link set lo up\nlink set p0 up\nroute add default via 10.0.0.1 dev p0")
        for probe in probes { #expect(await probe.line() == "reachable via ethernet") }
        for probe in probes { #expect(probe.end() == (0, "")) }
    }
}

enum Silence {
    /// Waits for something that does not come.
    static func lasting(seconds: Int) async throws {
        do { try await Gate().opened(within: .seconds(seconds)) } catch is WaitTimeoutError {}
    }
}

enum Programs {
    /// A program of this package, beside the one that runs the tests.
    static func beside(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (folder + [Substring(name)]).joined(separator: "/")
    }

    static let probe = beside("lupine-reachability-probe")
}

/// `struct sockaddr_nl`: family 16, two bytes of nothing, port, groups.
private func sockaddr_nl_bytes(port: UInt32) -> [UInt8] {
    Bytes.number(UInt16(16)) + [0, 0] + Bytes.number(port) + Bytes.number(UInt32(0))
}

extension NetlinkSocket {
    /// The number that the kernel gave it.
    fileprivate var port: UInt32? {
        var address = [UInt8](repeating: 0, count: 12)
        var length = socklen_t(12)
        let result = address.withUnsafeMutableBytes { bytes in
            getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        return result == 0 ? address[4...].integer(UInt32.self, at: 0) : nil
    }
}
