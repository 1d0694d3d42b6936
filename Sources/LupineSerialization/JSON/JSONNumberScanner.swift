internal import LupineCore

/// Finds the end of a number (RFC 8259 section 6) in bytes that outlive it.
struct JSONNumberScanner {
    enum Result {
        /// - isWhole: there is neither fraction nor exponent.
        case found(end: Int, isWhole: Bool)
        /// What the byte at `offset` should have been.
        case fault(offset: Int, expected: String)
    }

    let bytes: UnsafeBufferPointer<UInt8>

    func scan(from start: Int) -> Result {
        var position = start
        if byte(position) == UInt8(ascii: "-") { position += 1 }
        guard byte(position).isASCIIDigit else { return .fault(offset: position, expected: "a digit") }
        if byte(position) == UInt8(ascii: "0") {
            position += 1
            if byte(position).isASCIIDigit { return .fault(offset: position, expected: "no digit after a leading 0") }
        } else {
            position = digitsEnd(from: position)
        }
        var isWhole = true
        if byte(position) == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard byte(position).isASCIIDigit else { return .fault(offset: position, expected: "a digit") }
            position = digitsEnd(from: position)
        }
        if byte(position) | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if byte(position) == UInt8(ascii: "+") || byte(position) == UInt8(ascii: "-") { position += 1 }
            guard byte(position).isASCIIDigit else { return .fault(offset: position, expected: "a digit") }
            position = digitsEnd(from: position)
        }
        return .found(end: position, isWhole: isWhole)
    }

    private func digitsEnd(from start: Int) -> Int {
        var position = start
        while byte(position).isASCIIDigit { position += 1 }
        return position
    }

    /// 0 past the end: no part of a number.
    private func byte(_ position: Int) -> UInt8 { position < bytes.count ? bytes[position] : 0 }
}

/// A checked JSON number as digits and a power of ten.
struct DecimalDigits: Equatable {
    private(set) var isNegative = false
    /// Without zeros at either end; empty for zero.
    private(set) var digits: [UInt8] = []
    /// The power of ten of the last digit. `nil`: beyond `Int`.
    private(set) var exponent: Int? = 0

    init(_ text: String) {
        var fractionDigits = 0
        var isFraction = false
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = Int(String(decoding: rest, as: UTF8.self))
                rest = rest[rest.endIndex...]
            default:
                if isFraction { fractionDigits += 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte &- UInt8(ascii: "0")) }
            }
        }
        shift(by: -fractionDigits)
        let significant = digits.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        shift(by: digits.count - significant)
        digits.removeSubrange(significant...)
    }

    private mutating func shift(by amount: Int) {
        guard let (sum, overflow) = exponent?.addingReportingOverflow(amount) else { return }
        exponent = overflow ? nil : sum
    }

    /// The exact value. `nil`: not whole, or out of range.
    func integer<Integer: FixedWidthInteger>() -> Integer? {
        guard !digits.isEmpty else { return 0 }
        guard let exponent, exponent >= 0, digits.count + exponent < Integer.bitWidth else { return nil }
        var value: Integer = 0
        for digit in digits + Array(repeating: 0, count: exponent) {
            // Downwards for a negative number: its range reaches one further.
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, carry) =
                isNegative
                ? tenfold.subtractingReportingOverflow(Integer(digit))
                : tenfold.addingReportingOverflow(Integer(digit))
            if overflow || carry { return nil }
            value = next
        }
        return value
    }
}
