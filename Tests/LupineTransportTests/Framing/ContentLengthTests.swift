import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// RFC 9112 section 6.3, rules 4 to 8.
@Suite(.timeLimit(.minutes(2)))
struct ContentLengthTests {
    private static func answer(_ fields: String...) -> String {
        "HTTP/1.1 200 OK\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\nhello"
    }

    @Test(arguments: [
        Fault("two that differ", answer("Content-Length: 5", "Content-Length: 6")),
        Fault("two that differ, the longer first", answer("Content-Length: 100", "Content-Length: 5")),
        Fault("three, the last differs", answer("Content-Length: 5", "Content-Length: 5", "Content-Length: 4")),
        Fault("a list that differs", answer("Content-Length: 5, 6")),
        Fault("negative", answer("Content-Length: -5"), .close),
        Fault("with a sign", answer("Content-Length: +5")),
        Fault("hexadecimal", answer("Content-Length: 0x5"), .close),
        Fault("with a fraction", answer("Content-Length: 5.0")),
        Fault("with a unit", answer("Content-Length: 5 bytes")),
        Fault("empty", answer("Content-Length:"), .close),
        Fault("a word", answer("Content-Length: five"), .close),
        Fault("a list with nothing", answer("Content-Length: 5,")),
        Fault("beyond 64 bits", answer("Content-Length: 99999999999999999999"), .close),
        Fault("beyond 63 bits", answer("Content-Length: 9223372036854775808"), .close),
        Fault("two numbers", answer("Content-Length: 5 5")),
    ])
    func noOneLength(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == .badResponse)
        #expect(receiver.body.isEmpty)
        #expect(connections == 2)
    }

    @Test(arguments: [
        Fault("one", answer("Content-Length: 5")),
        Fault("two that agree", answer("Content-Length: 5", "Content-Length: 5")),
        Fault("a list that agrees", answer("Content-Length: 5, 5")),
        Fault("leading zeros", answer("Content-Length: 005")),
        Fault("space around", answer("Content-Length: \t 5 \t")),
        Fault("another case", answer("content-LENGTH: 5")),
    ])
    func oneLength(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == nil)
        #expect(receiver.text == "hello")
        #expect(connections == 1)
    }

    /// B25.
    @Test func twoLengthsEndAtOnceThoughTheConnectionStaysOpen() async throws {
        let fault = Fault("B25", "HTTP/1.1 206 Partial\r\nContent-Length: 100\r\nContent-Length: 11\r\n\r\nhello world")
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == .badResponse)
        #expect(connections == 2)
    }

    /// B28.
    @Test(arguments: [
        Fault("HTTP/1.1", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ntest", .close),
        Fault("HTTP/1.1, unannounced", "HTTP/1.1 200 OK\r\n\r\ntest", .close),
        Fault("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\ntest", .close),
        Fault("HTTP/1.0 that says keep-alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\ntest", .close),
    ])
    func withoutALengthTheCloseIsTheEnd(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == nil)
        #expect(receiver.text == "test")
        #expect(receiver.head?.expectedBodyLength == nil)
        #expect(connections == 2)
    }

    @Test func aHugeLengthReservesNothingAndIsCut() async throws {
        let fault = Fault("huge", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello", .close)
        let (receiver, _) = try await fault.run()
        #expect(receiver.code == .incompleteBody)
        #expect(receiver.text == "hello")
    }

    @Test(arguments: [
        (Fault("1.1 close", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"), 2),
        (Fault("1.1 close, in a list", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: x, close\r\n\r\nhello"), 2),
        (Fault("1.0", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"), 2),
        (Fault("1.0 keep-alive", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"), 1),
    ])
    func persistenceIsAsSaid(_ fault: Fault, _ expected: Int) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.text == "hello")
        #expect(connections == expected)
    }
}
