import LupineTesting
import Testing

/// A network that is really gone, and comes back.
@Suite(
    .enabled(if: NetworkNamespace.obstacle == nil, Comment(rawValue: NetworkNamespace.obstacle ?? "")),
    .timeLimit(.minutes(2)))
struct ConnectivityNamespaceTests {
    @Test func aRequestIsHeldUntilTheNetworkIsBack() async throws {
        let network = try NetworkNamespace()
        try network.ip("link set lo up")
        let probe = try network.run { try Program([ProcessRun.sibling("lupine-probe"), "connectivity"]) }
        #expect(await probe.line() == "listening")
        // A link that is off keeps these two, and drops what is sent there.
        try network.ip("route del local 127.0.0.1 dev lo table local\nroute del local 127.0.0.0/8 dev lo table local")
        probe.write("go\n")
        #expect(await probe.line() == "waiting")
        try network.ip("route add local 127.0.0.1 dev lo table local")
        #expect(await probe.line() == "answered here to 1 request")
        #expect(probe.end().status == 0)
    }
}
