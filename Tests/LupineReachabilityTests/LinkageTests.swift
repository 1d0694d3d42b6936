import LupineTesting
import Testing

/// A program that uses this module alone loads nothing of Foundation, libcurl or OpenSSL.
@Suite(.timeLimit(.minutes(1)))
struct LinkageTests {
    @Test func whatTheModuleLoads() throws {
        let (status, output) = try Program(["ldd", Programs.probe]).end()
        #expect(status == 0)
        #expect(output.contains("libswiftCore"))
        for unwanted in ["Foundation", "curl", "ssl", "crypto", "icu", "xml"] {
            #expect(!output.lowercased().contains(unwanted.lowercased()), "\(output)")
        }
    }
}
