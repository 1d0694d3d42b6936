import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite struct StringResponseSerializerTests {
    private func text(
        _ bytes: [UInt8], type: String?, _ serializer: StringResponseSerializer = StringResponseSerializer()
    ) throws -> String {
        try serializer.serialize(Data(bytes), response: answer(type: type), request: asking())
    }

    /// B37: text in gb2312 became nil in AFNetworking; so do its neighbours in label, quotes and case.
    @Test(arguments: [
        "text/html; charset=gb2312", "text/html; charset=GBK", #"text/html; charset="gb18030""#,
        #"text/html;Charset="GB2312""#, "text/html; charset= gbk ; x=y", "text/plain; x=\"charset=utf-8\"; charset=gbk",
    ])
    func gb2312IsRead(type: String) throws {
        // 中文 in the two bytes each that all three share, 镕 that GBK has and GB2312 has not.
        #expect(try text([0xD6, 0xD0, 0xCE, 0xC4, 0xE9, 0x46], type: type) == "中文镕")
    }

    @Test func anUnknownCharsetIsNamedAndTheBytesAreKept() throws {
        let body = Data([0xD6, 0xD0, 0xFF])
        let error = try fault(StringResponseSerializer(), body, answer(type: "text/html; charset=x-klingon"))
        #expect(error?.code == .responseSerializationFailed)
        #expect(
            error?.message
                == #"api.example.com answered with what cannot be read as text: the charset "x-klingon" is unknown here"#
        )
        #expect(error?.underlying as? CharsetError == CharsetError(charset: "x-klingon", offset: nil))
    }

    @Test func aWrongByteIsAnErrorThatKeepsTheBytes() throws {
        let body = Data([0x41, 0xD6, 0xD0, 0xFF])
        let error = try fault(StringResponseSerializer(), body, answer(type: "text/html; charset=gbk"))
        #expect(error?.code == .responseSerializationFailed)
        #expect(error?.underlying as? CharsetError == CharsetError(charset: "gbk", offset: 3))
    }

    @Test func theCharsetIsStatedElseMarkedElseTheDefault() throws {
        let serializer = StringResponseSerializer(defaultCharset: "koi8-r")
        #expect(try text([0xE9], type: "text/plain; charset=iso-8859-1", serializer) == "é")
        #expect(try text([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], type: "text/plain", serializer) == "é")
        #expect(try text([0xFF, 0xFE, 0xE9, 0x00], type: nil, serializer) == "é")
        #expect(try text([0xF0], type: "text/plain", serializer) == "П")
        #expect(try text([0xC3, 0xA9], type: "text/plain") == "é")
        // What is stated goes before a mark, which then is text of that charset.
        #expect(try text([0xFF, 0xFE], type: "text/plain; charset=iso-8859-1") == "ÿþ")
        // A charset that is no name counts for nothing: see the tests of content types.
        #expect(try text([0x41], type: "text/plain; charset=") == "A")
    }

    @Test func statusAndTypeComeFirst() throws {
        let serializer = StringResponseSerializer(acceptableContentTypes: ["text/*"])
        let broken = Data([0xFF])
        let status = try fault(serializer, broken, answer(500, type: "text/plain"))
        #expect(status?.code == .unacceptableStatus)
        #expect((status?.underlying as? LupineError)?.code == .responseSerializationFailed)
        #expect(try fault(serializer, broken, answer(type: "image/png"))?.code == .unacceptableContentType)
    }

    /// Nothing to read needs no charset.
    @Test func nothingOfAnUnknownCharset() throws {
        #expect(try text([], type: "text/plain; charset=x-none") == "")
    }
}
