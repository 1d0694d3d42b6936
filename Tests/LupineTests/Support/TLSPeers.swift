import Lupine
import LupineTesting

/// An authority made for one test, and sessions that trust it and no other.
struct TLSPeers {
    let authority: TestCertificateAuthority
    private let directory: TemporaryDirectory
    private let roots: String

    init() throws {
        authority = try TestCertificateAuthority()
        directory = try TemporaryDirectory()
        roots = directory.file("roots.pem")
        try authority.certificate.writePEM(to: roots)
    }

    /// A server that speaks TLS, under the loopback names.
    func server(
        offersHTTP2: Bool = false, _ handler: @escaping LoopbackServer.Handler
    ) throws -> LoopbackServer {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.offersHTTP2 = offersHTTP2
        return try LoopbackServer(tls: tls, handler: handler)
    }

    func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> URLSessionManager {
        .direct { configuration in
            configuration.transport.certificateAuthorities = .file(roots)
            change(&configuration)
        }
    }
}
