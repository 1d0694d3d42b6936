import LupineCore
import LupineSerialization
import Testing

@Suite struct QueryEncodingTests {
    @Test(arguments: [
        ("", ""),
        ("AZaz09-._~/?", "AZaz09-._~/?"),
        (" ", "%20"), ("+", "%2B"), ("%41", "%2541"), ("%20", "%2520"),
        (":#[]@", "%3A%23%5B%5D%40"), ("!$&'()*+,;=", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("é", "%C3%A9"), ("日", "%E6%97%A5"), ("😀", "%F0%9F%98%80"), ("\u{0}\r\n", "%00%0D%0A"), ("\u{7F}", "%7F"),
        ("a+b/c=", "a%2Bb/c%3D"),
    ])
    func escaping(text: String, expected: String) { #expect(QueryEncoding.percentEscaped(text) == expected) }

    /// A composed emoji across what AFNetworking cut into slices of 50.
    @Test func composedCharactersStayWhole() {
        let text = String(repeating: "a", count: 49) + "👨‍👩‍👧" + String(repeating: "b", count: 60)
        let expected =
            String(repeating: "a", count: 49) + "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"
            + String(repeating: "b", count: 60)
        #expect(QueryEncoding.percentEscaped(text) == expected)
    }

    @Test(
        arguments: [
            ([:], ""),
            (["key": "value"], "key=value"),
            (["b": 1, "a": 2], "b=1&a=2"),
            (["a": ["b": [1, 2]]], "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D=2"),
            (["a": [["x": 1], ["x": 2]]], "a%5B%5D%5Bx%5D=1&a%5B%5D%5Bx%5D=2"),
            (["a": [[1], [2]]], "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2"),
            (["a": nil], "a"), (["a": [nil]], "a%5B%5D"), (["a": nil, "b": 1], "a&b=1"),
            (["a": ""], "a="), (["": "x"], "=x"), (["a": []], ""), (["a": [:]], ""), (["a": [], "b": 1], "b=1"),
            (["t": true, "f": false], "t=1&f=0"),
            (["n": 1.5, "i": -3, "e": 1e300], "n=1.5&i=-3&e=1e%2B300"),
            (["filter": "[x]"], "filter=%5Bx%5D"),
            (["a&b=c": "d&e=f;g"], "a%26b%3Dc=d%26e%3Df%3Bg"),
            (["a[b]": 1], "a%5Bb%5D=1"),
            (["naïve key": "é"], "na%C3%AFve%20key=%C3%A9"),
            (["url": "http://h/a?b"], "url=http%3A//h/a?b"),
        ] as [(Parameters, String)])
    func queryStrings(parameters: Parameters, expected: String) throws {
        #expect(try QueryEncoding().string(from: parameters) == expected)
    }

    @Test(arguments: [[1, 2], "text", 1, true, nil] as [Parameters])
    func parametersWithoutNames(parameters: Parameters) {
        #expect(throws: LupineError.self) { try QueryEncoding().string(from: parameters) }
    }
}
