import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// An answer cut at each of its bytes, in order and by a reset: nothing is ever delivered as whole that is not.
@Suite(.timeLimit(.minutes(4)))
struct CutAnswerTests {
    static let length = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"
    static let chunks =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n0\r\nX-T: y\r\n\r\n"
    static let plainChunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n"

    @Test(arguments: [length, chunks, plainChunks], [Fault.Ending.close, .reset])
    func atEachByte(_ text: String, _ ending: Fault.Ending) async throws {
        let bytes = Array(text.utf8)
        let headEnd = Array(text.components(separatedBy: "\r\n\r\n")[0].utf8).count + 4
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            guard let cut = Int(request.path.dropFirst()) else {
                return try connection.send(.text("this is \(request.path)"), isLast: true)
            }
            try connection.send(bytes.prefix(cut))
            if ending == .reset { connection.reset() }
        }
        let transport = CurlTransport()
        for cut in 0..<bytes.count {
            let receiver = try await transport.run(server, "/\(cut)")
            #expect(receiver.code == (cut < headEnd ? .connectionLost : .incompleteBody), "cut at \(cut)")
            #expect((receiver.head == nil) == (cut < headEnd), "cut at \(cut)")
            #expect(receiver.text.count < 10 || text == Self.chunks)
        }
        try await transport.expectUnharmed(server)
        await transport.shutdown()
        try await server.waitForOpenConnections()
    }

    @Test func aResetCutsABodyThatEndsWithTheConnection() async throws {
        let (receiver, _) = try await Fault("reset", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npart", .reset).run()
        #expect(receiver.code == .incompleteBody)
        #expect(receiver.head?.status == 200)
    }

    /// RFC 9112 section 9.8: without close_notify such a body may have been cut by anybody.
    @Test(arguments: [true, false])
    func aTLSEndWithoutNoticeCutsABodyThatEndsWithTheConnection(_ notify: Bool) async throws {
        let authority = try TestCertificateAuthority()
        let directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("root.pem"))
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
            try connection.close(notify: notify)
        }
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .file(directory.file("root.pem"))
        let transport = CurlTransport(configuration: configuration)
        let receiver = try await transport.run(server)
        #expect(receiver.code == (notify ? nil : .incompleteBody))
        #expect(receiver.text == "hello")
        await transport.shutdown()
    }
}
