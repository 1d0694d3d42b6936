import LupineCore
import Testing

@Suite struct HTTPHeadersTests {
    private func lines(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name)=\($0.value)" } }

    @Test func orderAndRepeatsAreKept() {
        var headers: HTTPHeaders = ["B": "1", "A": "2", "B": "3"]
        headers.add(name: "b", value: "4")
        #expect(lines(headers) == ["B=1", "A=2", "B=3", "b=4"])
        #expect(headers.values(for: "b") == ["1", "3", "4"])
        #expect(headers.value(for: "B") == "1")
    }

    @Test func updateReplacesInPlaceAndRemovesTheOthers() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]
        headers.update(name: "a", value: "6")
        #expect(lines(headers) == ["a=6", "B=2", "C=4"])
        headers.update(name: "D", value: "7")
        #expect(lines(headers) == ["a=6", "B=2", "C=4", "D=7"])
    }

    @Test func subscriptSetsAndRemoves() {
        var headers: HTTPHeaders = ["A": "1", "a": "2", "B": "3"]
        headers["A"] = nil
        #expect(lines(headers) == ["B=3"])
        headers["b"] = "4"
        #expect(lines(headers) == ["b=4"])
        #expect(headers["missing"] == nil)
        headers.remove(name: "B")
        #expect(headers.isEmpty)
    }

    @Test(arguments: [
        ("Content-Type", "content-type", true), ("ETAG", "ETag", true), ("A", "B", false), ("A", "AA", false),
        // Only ASCII letters have two cases here: not the Kelvin sign, not "@" and "`", which differ by the same bit.
        ("K", "\u{212A}", false), ("@", "`", false), ("[", "{", false), ("É", "é", false),
    ])
    func namesCompareWithoutASCIICase(first: String, second: String, areSame: Bool) {
        #expect(first.equalsIgnoringASCIICase(second) == areSame)
        #expect((HTTPHeaders([HTTPHeader(name: first, value: "x")])).contains(second) == areSame)
    }

    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-API-Key", "x-auth-token",
        "Private-Token", "X-Access-Token", "X-Amz-Security-Token", "X-CSRF-Token", "X-Hub-Signature", "Client-Secret",
    ])
    func secretsAreRedacted(name: String) {
        let headers = HTTPHeaders([HTTPHeader(name: name, value: "sesame"), HTTPHeader(name: "Accept", value: "*/*")])
        #expect(headers.description == "\(name): <redacted>\nAccept: */*")
        #expect(!String(reflecting: headers).contains("sesame"))
        #expect(headers[name] == "sesame")
    }
}
