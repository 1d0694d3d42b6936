import Glibc
import LupineTesting
import Testing

@testable import LupineReachability

/// What a device is, by what the kernel shows of it.
@Suite struct LinkMediumTests {
    @Test(
        arguments: [
            ("DEVTYPE=wlan\nINTERFACE=x0\nIFINDEX=7\n", [], .wifi),
            ("DEVTYPE=wwan\nINTERFACE=x0\nIFINDEX=7\n", [], .cellular),
            ("INTERFACE=x0\nIFINDEX=7\n", [], nil), ("INTERFACE=x0\nIFINDEX=7\n", ["wireless"], .wifi),
            ("INTERFACE=x0\nIFINDEX=7\n", ["phy80211"], .wifi), ("DEVTYPE=bridge\nIFINDEX=7\n", [], nil),
            ("DEVTYPE=wlan\nIFINDEX=77\n", ["wireless"], nil), ("", ["wireless"], nil),
        ] as [(String, [String], NetworkReachabilityStatus.ConnectionType?)])
    func files(event: String, more: [String], expected: NetworkReachabilityStatus.ConnectionType?) throws {
        let folder = try TemporaryDirectory()
        try #require(mkdir(folder.file("x0"), 0o700) == 0)
        _ = try folder.write(Array(event.utf8), to: "x0/uevent")
        for name in more { _ = try folder.write([], to: "x0/\(name)") }
        #expect(LinkMedium(root: folder.path).medium(of: .up(7, "x0")) == expected)
        #expect(LinkMedium(root: folder.path).medium(of: .up(7, "gone")) == nil)
    }

    @Test func kindsAndHardware() {
        let medium = LinkMedium(root: "/nowhere")
        for kind in ["wwan", "rmnet"] { #expect(medium.medium(of: .up(2, kind: kind)) == .cellular) }
        #expect(medium.medium(of: Link(index: 2, name: "m", flags: 0, hardware: 519)) == .cellular)
        for hardware in UInt16(801)...803 {
            #expect(medium.medium(of: Link(index: 2, name: "m", flags: 0, hardware: hardware)) == .wifi)
        }
        #expect(medium.medium(of: .up(2, kind: "bridge")) == nil)
    }
}
