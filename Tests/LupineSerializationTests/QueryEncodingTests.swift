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
            (
                ["b": 1, "a": 2, "B": 3, "é": 4, "a1": ["d": 5, "c": 6]], "B=3&a=2&a1%5Bc%5D=6&a1%5Bd%5D=5&b=1&%C3%A9=4"
            ),
            (["a": ["b": [1, 2]]], "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D=2"),
            (["a": [["x": 1], ["x": 2]]], "a%5B%5D%5Bx%5D=1&a%5B%5D%5Bx%5D=2"),
            (["a": [[1], [2]]], "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2"),
            (["a": nil], "a"), (["a": [nil]], "a%5B%5D"), (["a": nil, "b": 1], "a&b=1"),
            (["a": ""], "a="), (["": "x"], "=x"), (["a": []], ""), (["a": [:]], ""), (["a": [], "b": 1], "b=1"),
            (["t": true, "f": false], "f=0&t=1"),
            (["n": 1.5, "i": -3, "e": 1e300], "e=1e%2B300&i=-3&n=1.5"),
            (["filter": "[x]"], "filter=%5Bx%5D"),
            (["a&b=c": "d&e=f;g"], "a%26b%3Dc=d%26e%3Df%3Bg"),
            (["a[b]": 1], "a%5Bb%5D=1"),
            (["naïve key": "é"], "na%C3%AFve%20key=%C3%A9"),
            (["url": "http://h/a?b"], "url=http%3A//h/a?b"),
        ] as [(JSONValue, String)])
    func queryStrings(parameters: JSONValue, expected: String) throws {
        #expect(try QueryEncoding().string(from: parameters) == expected)
    }

    @Test(arguments: [[1, 2], "text", 1, true, nil] as [JSONValue])
    func parametersWithoutNames(parameters: JSONValue) {
        #expect(throws: LupineError.self) { try QueryEncoding().string(from: parameters) }
    }

    private static let tree: JSONValue = ["b": [true, nil, ["k": "v w", "j": 1]], "a": ["c": ["d": false]]]

    private static let optionCases: [(@Sendable (inout QueryEncoding) -> Void, String)] = [
        ({ _ in }, "a[c][d]=0&b[]=1&b[]&b[][j]=1&b[][k]=v%20w"),
        ({ $0.sortsNames = false }, "b[]=1&b[]&b[][k]=v%20w&b[][j]=1&a[c][d]=0"),
        ({ $0.arrays = .noBrackets }, "a[c][d]=0&b=1&b&b[j]=1&b[k]=v%20w"),
        ({ $0.arrays = .indexInBrackets }, "a[c][d]=0&b[0]=1&b[1]&b[2][j]=1&b[2][k]=v%20w"),
        ({ $0.arrays = .custom { "\($0).\($1)" } }, "a[c][d]=0&b.0=1&b.1&b.2[j]=1&b.2[k]=v%20w"),
        ({ $0.bools = .literal }, "a[c][d]=false&b[]=true&b[]&b[][j]=1&b[][k]=v%20w"),
        ({ $0.keyPaths = .dots }, "a.c.d=0&b[]=1&b[]&b[].j=1&b[].k=v%20w"),
        ({ $0.keyPaths = .custom { "\($0)-\($1)" } }, "a-c-d=0&b[]=1&b[]&b[]-j=1&b[]-k=v%20w"),
        ({ $0.nils = .dropKey }, "a[c][d]=0&b[]=1&b[][j]=1&b[][k]=v%20w"),
        ({ $0.nils = .dropValue }, "a[c][d]=0&b[]=1&b[]=&b[][j]=1&b[][k]=v%20w"),
        ({ $0.nils = .null }, "a[c][d]=0&b[]=1&b[]=null&b[][j]=1&b[][k]=v%20w"),
        ({ $0.spaces = .plusReplaced }, "a[c][d]=0&b[]=1&b[]&b[][j]=1&b[][k]=v+w"),
    ]

    @Test(arguments: optionCases)
    func options(change: @Sendable (inout QueryEncoding) -> Void, expected: String) throws {
        var encoding = QueryEncoding()
        change(&encoding)
        let text = try encoding.string(from: Self.tree)
        #expect(text.replacing("%5B", with: "[").replacing("%5D", with: "]") == expected)
    }

    /// Each name and value is escaped as a whole, also what options put between names.
    @Test func whatOptionsPutInIsEscapedToo() throws {
        var encoding = QueryEncoding()
        encoding.keyPaths = .custom { "\($0)&\($1)=" }
        encoding.spaces = .plusReplaced
        #expect(try encoding.string(from: ["a b": ["c+": "d"]]) == "a+b%26c%2B%3D=d")
    }

    @Test(arguments: [QueryEncoding.maximumDepth, QueryEncoding.maximumDepth + 1, 4096])
    func depth(_ depth: Int) throws {
        let tree = (1..<depth).reduce(JSONValue.string("x")) { inner, _ in .array([inner]) }
        let parameters: JSONValue = ["a": tree]
        guard depth > QueryEncoding.maximumDepth else {
            let text = try QueryEncoding().string(from: parameters)
            return #expect(text.utf8.count == 1 + 6 * (depth - 1) + 2)
        }
        #expect {
            try QueryEncoding().string(from: parameters)
        } throws: {
            ($0 as? LupineError)?.code == .requestSerializationFailed
        }
    }
}
