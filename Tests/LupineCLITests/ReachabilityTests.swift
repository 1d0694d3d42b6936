import Glibc
import LupineTesting
import Testing

@testable import LupineCLI

/// `lupine reachability`.
@Suite(.timeLimit(.minutes(1)))
struct ReachabilityTests {
    @Test(arguments: [
        ["reachability", "here"], ["reachability", "--host"], ["reachability", "--host", ""],
        ["reachability", "--watch", "--watch"], ["reachability", "--host", "a.test", "--host", "b.test"],
        ["reachability", "--json", "a=1"], ["reachability", "--timeout", "1"], ["get", "http://h.test/", "--watch"],
        ["get", "http://h.test/", "--host", "a.test"],
    ])
    func wrongUse(words: [String]) async throws {
        let run = try await lupine(words)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("lupine: ") && run.errors.hasSuffix("; see: lupine help\n"))
    }

    @Test func arguments() throws {
        guard case .reachability(let plain) = try Invocation(["reachability"]),
            case .reachability(let whole) = try Invocation(["--watch", "reachability", "--host=a.test"])
        else {
            Issue.record("not read as reachability")
            return
        }
        #expect(plain.host == nil && !plain.watches && whole.host == "a.test" && whole.watches)
    }

    /// No such name can be asked for: a label has 63 bytes at most.
    @Test func aHostThatCannotBe() async throws {
        let run = try await lupine("reachability", "--host", String(repeating: "a", count: 70) + ".test")
        #expect(run.status == 1 && run.text == "not reachable\n")
        #expect(run.errors.hasPrefix("lupine: ") && run.errors.contains("nothing leads to "))
        #expect(run.errors.split(separator: "\n").count == 1)
    }
}

/// The command in a network of its own.
@Suite(
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"),
    .enabled("the command was not built") { BuiltCommand.path != nil }, .timeLimit(.minutes(1)))
struct ReachabilityNamespaceTests {
    private func start(_ network: NetworkNamespace, _ words: String...) throws -> Program {
        let path = try #require(BuiltCommand.path)
        return try network.run { try Program([path, "reachability"] + words) }
    }

    @Test func theStatusNow() async throws {
        let network = try NetworkNamespace()
        let nothing = try start(network).end()
        #expect(nothing.status == 1)
        #expect(nothing.output.hasPrefix("not reachable\nlupine: ") && nothing.output.contains("default route"))
        try network.ip("link set lo up")
        #expect(try start(network).end().status == 1)
        #expect(try start(network, "--host", "127.0.0.1").end() == (0, "reachable via ethernet\n"))
        try network.ip(Self.ready)
        #expect(try start(network).end() == (0, "reachable via ethernet\n"))
        #expect(try start(network, "--host", "2001:db8::1").end().status == 1)
    }

    @Test func eachChangeUntilInterrupted() async throws {
        let network = try NetworkNamespace()
        try network.ip(Self.ready)
        let program = try start(network, "--watch")
        #expect(await program.line() == "reachable via ethernet")
        try network.ip("link set p0 down")
        #expect(await program.line() == "not reachable")
        try network.ip("link set p0 up\nroute add default via 10.0.0.1")
        #expect(await program.line() == "reachable via ethernet")
        program.signal(SIGINT)
        #expect(program.end() == (130, ""))
    }

    private static let ready = """
        link add p0 type veth peer name p1
        link set p1 up
        link set p0 up
        addr add 10.0.0.2/24 dev p0
        route add default via 10.0.0.1
        """
}
