import LupineSerialization
import Testing

@Suite struct JSONNumberTests {
    /// Whatever is read is written again as it came.
    @Test(arguments: [
        "0", "-0", "1", "-1", "0.1", "-0.0", "1.0", "1.50", "1e2", "1E+2", "1e-2", "1e400", "-1e400", "1e-400",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551615", "18446744073709551616", "12345678901234567890123",
        "0.1000000000000000055511151231257827",
        "1e99999999999999999999", "0e99999999999999999999",
    ])
    func lossless(literal: String) throws {
        let value = try JSONValue(parsing: "[\(literal)]")
        #expect(value.serialized() == "[\(literal)]")
        #expect(value[0]?.numberValue?.literal == literal)
        #expect(JSONNumber(literal: literal)?.description == literal)
    }

    @Test(arguments: ["", " 1", "1 ", "+1", "01", "-", ".5", "5.", "1e", "1e+", "0x1", "NaN", "inf", "1,5", "١", "--1"])
    func noNumber(literal: String) { #expect(JSONNumber(literal: literal) == nil) }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("1.0", 1), ("1e2", 100), ("1.5e1", 15), ("100e-2", 1),
            ("-1.20e2", -120), ("0.0", 0), ("0e99999999999999999999", 0), ("1.5", nil), ("1e-1", nil), ("1e400", nil),
            ("9223372036854775807", .max), ("9223372036854775808", nil), ("-9223372036854775808", .min),
            ("-9223372036854775809", nil), ("9223372036854775807.0", .max), ("-9223372036854775808.0", .min),
            ("-9.223372036854775808e18", .min), ("9007199254740993.0", 9_007_199_254_740_993),
            ("0.99999999999999999999", nil), ("1e99999999999999999999", nil), ("10e-99999999999999999999", nil),
        ] as [(String, Int?)])
    func int(literal: String, expected: Int?) throws {
        #expect(try #require(JSONNumber(literal: literal)).int == expected)
    }

    @Test func otherWidths() throws {
        let number = try #require(JSONNumber(literal: "300"))
        #expect(number.integer(as: UInt8.self) == nil)
        #expect(number.integer(as: Int16.self) == 300)
        #expect(JSONNumber(UInt64.max).integer(as: UInt64.self) == .max)
        #expect(JSONNumber(literal: "18446744073709551615.0")?.integer(as: UInt64.self) == .max)
        #expect(JSONNumber(-1).integer(as: UInt64.self) == nil)
        #expect(JSONNumber(literal: "-1.0")?.integer(as: UInt8.self) == nil)
        #expect(JSONNumber(literal: "1e2")?.integer(as: Int8.self) == 100)
        #expect(JSONNumber(literal: "1e3")?.integer(as: Int8.self) == nil)
        #expect(JSONNumber(UInt128.max).literal == "340282366920938463463374607431768211455")
        #expect(JSONNumber(UInt128.max).integer(as: UInt128.self) == .max)
    }

    @Test(
        arguments: [
            ("0.1", 0.1), ("1e2", 100), ("-0.0", -0.0), ("18446744073709551615", 18_446_744_073_709_551_616),
            ("1e400", nil), ("1e-400", 0), ("12345678901234567890123", 1.2345678901234568e22),
        ] as [(String, Double?)])
    func double(literal: String, expected: Double?) throws {
        #expect(try #require(JSONNumber(literal: literal)).double == expected)
    }

    @Test(arguments: [(0.1, "0.1"), (1.0, "1.0"), (-2.5, "-2.5"), (1e300, "1e+300"), (2.5e-308, "2.5e-308")])
    func fromDouble(value: Double, literal: String) throws {
        let number = try #require(JSONNumber(value))
        #expect(number.literal == literal)
        #expect(JSONNumber(literal: literal) == number)
        #expect(number.double == value)
    }

    @Test func whatJSONCannotWrite() {
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
    }

    @Test func equality() throws {
        #expect(JSONNumber(7) == JSONNumber(UInt8(7)))
        #expect(JSONNumber(literal: "7") == 7)
        #expect(JSONNumber(literal: "7.0") != 7)
        #expect(JSONNumber(literal: "9223372036854775808") == JSONNumber(UInt64(1) << 63))
    }
}
