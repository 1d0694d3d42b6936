import LupineCore
import LupineSerialization
import Testing

@Suite struct ContentTypeTests {
    @Test(
        arguments: [
            ("text/html", "text/html", nil, "text/html"),
            ("Text/HTML;Charset=\"utf-8\"", "text/html", "utf-8", "text/html; charset=utf-8"),
            ("text/html; charset=ISO-8859-1", "text/html", "ISO-8859-1", "text/html; charset=ISO-8859-1"),
            (" text/html ; charset=gb2312 ", "text/html", "gb2312", "text/html; charset=gb2312"),
            ("application/problem+json", "application/problem+json", nil, "application/problem+json"),
            ("a/b;;; ;c=d;", "a/b", nil, "a/b; c=d"),
            ("a/b; charset = utf-8", "a/b", "utf-8", "a/b; charset=utf-8"),
            ("a/b; x=\"a;b\\\"c\\\\\"; charset=z", "a/b", "z", "a/b; x=\"a;b\\\"c\\\\\"; charset=z"),
            ("a/b; x=\"\"", "a/b", nil, "a/b; x=\"\""),
            ("a/b; charset=one; CHARSET=two", "a/b", "one", "a/b; charset=one"),
            ("a/b; charset=\"open", "a/b", "open", "a/b; charset=open"),
            // A parameter that cannot be read hides neither the type nor the others.
            ("a/b; x; =y; z=; charset=utf-8", "a/b", "utf-8", "a/b; charset=utf-8"),
            // What stands in quotes is never a parameter of its own, whatever stands before it.
            ("a/b; x]=\";charset=one\"; charset=two", "a/b", "two", "a/b; charset=two"),
            ("a/b; x=\"y\" charset=one; charset=two", "a/b", "two", "a/b; x=y; charset=two"),
            ("multipart/mixed; boundary=a:b/c=d", "multipart/mixed", nil, "multipart/mixed; boundary=\"a:b/c=d\""),
        ] as [(String, String, String?, String)])
    func reading(text: String, essence: String, charset: String?, description: String) throws {
        let type = try #require(ContentType(text))
        #expect(type.essence == essence)
        #expect(type.charset == charset)
        #expect(type.description == description)
        #expect(ContentType(description) == type)
    }

    @Test(arguments: [
        "", " ", "text", "text/", "/html", "text html", "text/ html", "te xt/html", "text/html x", "text/html,a/b",
        "é/a", "a/b/c",
    ])
    func noContentType(text: String) { #expect(ContentType(text) == nil) }

    @Test func parametersInAnyCase() throws {
        let type = try #require(ContentType("multipart/form-data; Boundary=\"aB c\"; x=1"))
        #expect(type["boundary"] == "aB c")
        #expect(type["BOUNDARY"] == "aB c")
        #expect(type["y"] == nil)
        #expect(type.parameters.map(\.name) == ["boundary", "x"])
    }

    @Test(arguments: [
        ("application/json", true), ("text/json", true), ("application/problem+json", true), ("image/json", false),
        ("application/jsonp", false), ("application/xml", false),
    ])
    func json(text: String, isJSON: Bool) throws { #expect(try #require(ContentType(text)).isJSON == isJSON) }

    @Test(
        arguments: [
            (["application/json"], "application/json; charset=utf-8", true),
            (["Application/JSON; q=1"], "application/json", true),
            (["application/json"], "application/problem+json", false),
            (["application/*+json"], "application/problem+json", true),
            (["application/*+json"], "application/json", false),
            (["*/*+json"], "model/gltf+json", true),
            (["application/*+json"], "image/x+json", false),
            (["image/*"], "image/png", true), (["image/*"], "text/png", false), (["*/*"], "a/b", true),
            (["text/html", "image/png"], "image/png", true), ([], "a/b", false), (["nonsense"], "a/b", false),
            (["a/b/c"], "a/b", false),
        ] as [([String], String, Bool)])
    func acceptableSets(patterns: [String], type: String, isAccepted: Bool) throws {
        #expect(ContentTypeSet(patterns).contains(try #require(ContentType(type))) == isAccepted)
    }

    @Test func setsCanBeExtended() {
        var types = ContentTypeSet.json
        #expect(types.description == "application/json, text/json, text/javascript")
        types.insert("TEXT/plain")
        types.insert("text/plain; charset=utf-8")
        #expect(types.patterns == ["application/json", "text/json", "text/javascript", "text/plain"])
    }
}

@Suite struct StatusSetTests {
    @Test(arguments: [
        ("200", "200"), ("200-299", "200-299"), ("200-299,304", "200-299,304"), ("304, 200-299", "200-299,304"),
        ("200-204,205-206,203-299", "200-299"), ("200,200", "200"), ("404-404", "404"), ("100-999", "100-999"),
    ])
    func reading(text: String, expected: String) throws {
        #expect(try #require(StatusSet(text)).description == expected)
    }

    @Test(arguments: [
        "", ",", "200,", ",200", "20", "2000", "abc", "200-", "-200", "299-200", "200-299-300", "2xx", "+20", "099",
        "200 - 299", "200;304", "２００",
    ])
    func noStatusSet(text: String) { #expect(StatusSet(text) == nil) }

    @Test(arguments: [(199, false), (200, true), (299, true), (300, false), (304, true), (305, false)])
    func membership(code: Int, isIn: Bool) throws {
        #expect(try #require(StatusSet("200-299,304")).contains(.init(rawValue: code)) == isIn)
    }

    @Test func otherWaysToMakeOne() {
        #expect(StatusSet.successful == StatusSet("200-299"))
        #expect(StatusSet(200..<200).contains(200) == false)
        #expect(StatusSet([200...Int.max, 100...150]).contains(201))
        let literal: StatusSet = [304, 200, 201]
        #expect(literal.description == "200-201,304")
    }
}
