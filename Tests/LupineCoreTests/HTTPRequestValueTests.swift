import LupineCore
import Testing

/// A request is a value: what is done to a copy is not seen by the original.
@Suite struct HTTPRequestValueTests {
    private func request() throws -> HTTPRequest {
        HTTPRequest(
            method: .post, url: try HTTPURL("http://a.test/x"), headers: ["A": "1"], body: .text("body"))
    }

    @Test func aChangedCopyLeavesTheOriginal() throws {
        let original = try request()
        var copy = original
        copy.method = .put
        copy.url = try HTTPURL("http://b.test/y")
        copy.headers.add(name: "B", value: "2")
        copy.body = .empty
        copy.options.timeouts.total = .seconds(1)
        #expect(original.method == .post && copy.method == .put)
        #expect(original.url.string == "http://a.test/x" && copy.url.string == "http://b.test/y")
        #expect(original.headers.map(\.name) == ["A"] && copy.headers.map(\.name) == ["A", "B"])
        #expect(original.body.length == 4 && copy.body.isEmpty)
        #expect(original.options == TransferOptions() && copy.options.timeouts.total == .seconds(1))
    }

    @Test func theOriginalMayChangeToo() throws {
        var original = try request()
        let copy = original
        original.headers.update(name: "A", value: "2")
        original.options.priority = 1
        #expect(copy.headers["A"] == "1" && original.headers["A"] == "2")
        #expect(copy.options.priority == 0.5 && original.options.priority == 1)
    }

    @Test func routesAreValues() throws {
        var route = ConnectionRoute()
        route.unixSocket = "/a"
        var copy = route
        copy.addressFamily = .ipv6
        copy.connectTo.append(ConnectTo(toHost: "b.test"))
        #expect(route.addressFamily == .any && route.connectTo.isEmpty && copy.unixSocket == "/a")
        #expect(route != copy && route != ConnectionRoute())
        copy.addressFamily = .any
        copy.connectTo = []
        #expect(copy == route && copy.hashValue == route.hashValue)
        // Back to what it was at first, however it came to it.
        copy.unixSocket = nil
        #expect(copy == ConnectionRoute() && copy.hashValue == ConnectionRoute().hashValue && copy.isDefault)
    }

    @Test(arguments: [
        (Duration.seconds(2), Duration.seconds(2)), (.zero, .zero), (.milliseconds(-5), .zero),
        (.nanoseconds(7), .nanoseconds(7)),
        (.nanoseconds(7) + Duration(secondsComponent: 0, attosecondsComponent: 5), .nanoseconds(7)),
        (.seconds(8_999_999_999), .seconds(8_999_999_999)), (.seconds(Int64.max), .nanoseconds(Int64.max)),
    ])
    func limitsOfTimeComeBack(set: Duration, kept: Duration) {
        for limit in [\Timeouts.pool, \.connect, \.idle, \.total] {
            var timeouts = Timeouts()
            timeouts[keyPath: limit] = set
            #expect(timeouts[keyPath: limit] == kept)
            timeouts[keyPath: limit] = nil
            #expect(timeouts[keyPath: limit] == nil)
        }
        #expect(Timeouts().pool == nil && Timeouts().total == nil)
        #expect(Timeouts().connect == .seconds(30) && Timeouts().idle == .seconds(60))
    }

    /// The way back from a copy's copy, by values in a collection.
    @Test func copiesOfCopiesAreApart() throws {
        var requests = Array(repeating: try request(), count: 3)
        for index in requests.indices { requests[index].headers.add(name: "N", value: "\(index)") }
        #expect(requests.map { $0.headers["N"] } == ["0", "1", "2"])
    }
}
