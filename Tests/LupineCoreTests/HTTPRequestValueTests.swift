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

    /// The way back from a copy's copy, by values in a collection.
    @Test func copiesOfCopiesAreApart() throws {
        var requests = Array(repeating: try request(), count: 3)
        for index in requests.indices { requests[index].headers.add(name: "N", value: "\(index)") }
        #expect(requests.map { $0.headers["N"] } == ["0", "1", "2"])
    }
}
