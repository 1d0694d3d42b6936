/// A JSON number without loss (RFC 8259 section 6): whole numbers of 64 bits as such, any other as the text it was
/// written with. `0.1`, `1e400` and `12345678901234567890123` are written again as they came.
///
/// Numbers are equal when they are written alike: `1` and `1.0` differ. Compare ``double`` or ``int`` to compare amounts.
public struct JSONNumber: Hashable, Sendable {
    enum Storage: Hashable {
        case int(Int64)
        /// Above `Int64.max`, so that each number is stored in one way only.
        case uint(UInt64)
        /// Checked against the grammar.
        case literal(String)
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// A whole number of any width.
    public init(_ value: some BinaryInteger) {
        if let int = Int64(exactly: value) {
            storage = .int(int)
        } else if let uint = UInt64(exactly: value) {
            storage = .uint(uint)
        } else {
            storage = .literal(String(value))
        }
    }

    /// The shortest text that reads as the same value. `nil`: not a number, or infinite, which JSON cannot write.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        storage = .literal(value.description)
    }

    /// A number as JSON writes it. `nil`: the text is no number of RFC 8259 section 6, such as `+1`, `01`, `.5`.
    public init?(literal text: String) {
        var text = text
        let storage = text.withUTF8 { bytes -> Storage? in
            guard case .found(let end, let isWhole) = JSONNumberScanner(bytes: bytes).scan(from: 0), end == bytes.count
            else { return nil }
            return Storage(bytes: bytes[...], isWhole: isWhole)
        }
        guard let storage else { return nil }
        self.storage = storage
    }

    /// The text as JSON writes it.
    public var literal: String {
        switch storage {
        case .int(let value): String(value)
        case .uint(let value): String(value)
        case .literal(let text): text
        }
    }

    /// The exact value as an `Int`. `nil`: not whole (`1.5`) or out of range; `1.0` and `1e2` are whole.
    public var int: Int? { integer() }

    /// The nearest `Double`. `nil`: out of range, such as `1e400`.
    public var double: Double? {
        switch storage {
        case .int(let value): return Double(value)
        case .uint(let value): return Double(value)
        case .literal(let text):
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        }
    }

    /// The exact value in an integer type of the caller's choice. `nil`: not whole, or out of range.
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        switch storage {
        case .int(let value): Integer(exactly: value)
        case .uint(let value): Integer(exactly: value)
        case .literal(let text): DecimalDigits(text).integer()
        }
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int) { self.init(value) }

    /// The shortest text that reads as the same `Double`; a literal beyond its range becomes 0.
    public init(floatLiteral value: Double) { self = JSONNumber(value) ?? JSONNumber(0) }
}

extension JSONNumber: CustomStringConvertible {
    /// The text as JSON writes it.
    public var description: String { literal }
}

extension JSONNumber.Storage {
    /// What a checked number is stored as.
    init(bytes: Slice<UnsafeBufferPointer<UInt8>>, isWhole: Bool) {
        if isWhole, let whole = JSONNumber.Storage(wholeNumber: bytes) {
            self = whole
        } else {
            self = .literal(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// `nil`: beyond 64 bits, or `-0`, whose sign an integer would lose.
    private init?(wholeNumber bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        var magnitude: UInt64 = 0
        for digit in digits {
            let (tenfold, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit &- UInt8(ascii: "0")))
            if overflow || carry { return nil }
            magnitude = sum
        }
        if isNegative {
            guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
            self = .int(Int64(truncatingIfNeeded: 0 &- magnitude))
        } else {
            self = magnitude > UInt64(Int64.max) ? .uint(magnitude) : .int(Int64(magnitude))
        }
    }
}
