import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite struct PropertyListResponseSerializerTests {
    struct Settings: Codable, Equatable, Sendable {
        var name: String
        var sizes: [Int]
        var date: Date
        var key: Data
    }

    static let settings = Settings(name: "é", sizes: [1, 2], date: Date(timeIntervalSince1970: 5), key: Data([1, 2]))

    private func body(_ format: PropertyListDecoder.PropertyListFormat) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        return try encoder.encode(Self.settings)
    }

    @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func bothFormatsAsTreeAndAsType(format: PropertyListDecoder.PropertyListFormat) throws {
        let response = answer(type: "application/x-plist"), data = try body(format)
        let tree = try PropertyListResponseSerializer().serialize(data, response: response, request: asking())
        #expect(tree["name"]?.stringValue == "é")
        #expect(tree["key"]?.dataValue == Data([1, 2]))
        let typed = try PropertyListResponseSerializer(Settings.self).serialize(
            data, response: response, request: asking())
        #expect(typed == Self.settings)
    }

    @Test func singleValues() throws {
        let data = PropertyListValueTests.xml("<string>a</string>")
        let response = answer(type: "application/x-plist")
        #expect(
            try PropertyListResponseSerializer(String.self).serialize(data, response: response, request: asking())
                == "a")
        let wrong = try fault(PropertyListResponseSerializer(Int.self), data, response)
        #expect(wrong?.code == .responseSerializationFailed)
        #expect(wrong?.message.contains(" answered with what is no Int: the top: ") == true)
    }

    /// Sixteen bytes hold more than any integer that a decoder gives.
    @Test func anIntegerBeyond64Bits() throws {
        var list = Data("bplist00".utf8)
        list += [0xA1, 1, 0x14, 1] as [UInt8] + Data(count: 15)
        list += [8, 10, 0, 0, 0, 0, 0, 0, 1, 1] as [UInt8]
        for number: UInt8 in [2, 0, 27] { list += Data(count: 7) + [number] }
        let error = try fault(PropertyListResponseSerializer([Int].self), list, answer(type: "application/x-plist"))
        #expect(
            error?.message
                == "api.example.com answered with what is no Array<Int>: [0]: \(Int128(1) << 120) is beyond the "
                + "integers of 64 bits")
    }

    @Test func faultsTellThePlace() throws {
        let response = answer(type: "application/x-plist")
        let lacks = try fault(
            PropertyListResponseSerializer(Settings.self), PropertyListValueTests.xml("<dict/>"), response)
        #expect(lacks?.message.hasPrefix("api.example.com answered with what is no Settings: ") == true)
        #expect(lacks?.underlying is DecodingError)
        let cut = try fault(PropertyListResponseSerializer(Settings.self), try body(.xml).prefix(200), response)
        #expect(cut?.message.hasPrefix("api.example.com answered with a body that is no property list: byte ") == true)
        #expect(cut?.underlying is PropertyListParseError)
    }

    @Test func statusAndTypeComeFirst() throws {
        let serializer = PropertyListResponseSerializer()
        #expect(try fault(serializer, "x", answer(type: "text/xml"))?.code == .unacceptableContentType)
        let status = try fault(serializer, "x", answer(500, type: "application/x-plist"))
        #expect(status?.code == .unacceptableStatus)
        #expect((status?.underlying as? LupineError)?.code == .responseSerializationFailed)
    }
}
