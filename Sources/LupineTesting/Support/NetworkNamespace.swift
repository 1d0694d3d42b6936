internal import CLupineLinux
internal import Glibc

/// A network of its own: links, addresses and routes that nobody else sees. Takes root, and `ip` of iproute2 to be changed.
///
/// Threads are in a namespace each; ``run(_:)`` enters it for a call, on a thread made for that.
package final class NetworkNamespace: Sendable {
    private let descriptor: Int32

    /// The program; a user's PATH may lack its directory.
    private static let ip = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first { (path: String) in
        access(path, X_OK) == 0
    }

    /// Why there can be none here: one line, `nil` where there can.
    package static let obstacle: String? = {
        guard getuid() == 0 else { return "network namespaces need root" }
        guard ip != nil else { return "network namespaces are changed by ip, of iproute2" }
        do {
            try NetworkNamespace().ip("link set lo up")
            return nil
        } catch { return "no network namespace: \(error)" }
    }()

    /// A new one, with a loopback that is off and nothing else.
    package init() throws {
        descriptor = try onThread {
            guard lupine_leave_network() == 0 else { throw LoopbackError(.socketFailed, "unshare: \(reason())") }
            let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw LoopbackError(.socketFailed, "a namespace's file: \(reason())") }
            return descriptor
        }
    }

    deinit { close(descriptor) }

    /// Runs `body` inside, on a thread that belongs there, and waits for it. Sockets that it opens and programs that it starts belong
    /// there too.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        try onThread { [descriptor] in
            guard lupine_enter_network(descriptor) == 0 else {
                throw LoopbackError(.socketFailed, "setns: \(reason())")
            }
            return try body()
        }
    }

    /// Runs `ip` inside, several times one after another.
    ///
    /// - Parameters:
    ///   - commands: what stands behind `ip`, a line each.
    ///   - isForced: goes on where one fails, and does not say so.
    package func ip(_ commands: String, isForced: Bool = false) throws {
        try run {
            let program = try Program([Self.ip ?? "ip"] + (isForced ? ["-force"] : []) + ["-batch", "-"])
            program.write(commands + "\n")
            let (status, output) = program.end()
            guard status == 0 || isForced else { throw LoopbackError(.socketFailed, "ip \(commands): \(output)") }
        }
    }
}

func reason() -> String { String(cString: strerror(errno)) }

/// Runs `body` on a thread of its own and waits for it.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let result = Condition<Result<Value, any Error>?>(nil)
    let thread = try PlatformThread.start {
        let value = Result(catching: body)
        result.update { $0 = value }
    }
    pthread_join(thread, nil)
    guard let value = result.update({ $0 }) else { throw LoopbackError(.socketFailed, "a thread without an end") }
    return try value.get()
}
