internal import FoundationEssentials

/// Reads the binary form: objects by number in a table of offsets, and a trailer that says where that is.
struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private var offsetSize = 0
    private var referenceSize = 0
    private var objectCount = 0
    private var table = 0
    /// The bytes of memory that the rest may take, roughly: an object that is referred to many times takes its own each time.
    private var allowance: Int
    private var depth = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
        allowance = max(bytes.count * PropertyListValue.maximumExpansion, PropertyListValue.smallestLimit)
    }

    private static let trailerSize = 32
    private static let elementSize = MemoryLayout<PropertyListValue>.stride
    /// What the heap takes for anything there, besides its content.
    private static let heapSize = 64
    /// A name and a value in a dictionary's table, which may be a little over a third full.
    private static let memberSize = 128

    func read() throws(PropertyListParseError) -> PropertyListValue {
        var reader = self
        return try reader.readTop()
    }

    private mutating func readTop() throws(PropertyListParseError) -> PropertyListValue {
        let trailer = bytes.count - Self.trailerSize
        guard bytes.starts(with: Array("bplist0".utf8)), trailer >= 8 else {
            throw fault(bytes.count, "a binary property list has a head and a trailer")
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = try number(at: trailer + 8, size: 8)
        let top = try number(at: trailer + 16, size: 8)
        table = try number(at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table <= trailer,
            objectCount <= (trailer - table) / offsetSize
        else { throw fault(trailer, "the trailer fits no table") }
        return try object(top, at: trailer + 16)
    }

    /// - Parameter place: of the reference, for the fault.
    private mutating func object(_ number: Int, at place: Int) throws(PropertyListParseError) -> PropertyListValue {
        guard number < objectCount else { throw fault(place, "there is no object \(number)") }
        let start = try self.number(at: table + number * offsetSize, size: offsetSize)
        guard start >= 8, start < table else { throw fault(table + number * offsetSize, "an object lies outside") }
        let low = Int(bytes[start] & 0x0F)
        switch bytes[start] >> 4 {
        case 0x0 where low == 8 || low == 9: return .bool(low == 9)
        case 0x1 where low <= 4: return .integer(try integer(at: start + 1, size: 1 << low))
        case 0x2 where low == 2: return .real(Double(Float(bitPattern: UInt32(try bits(at: start + 1, size: 4)))))
        case 0x2 where low == 3: return .real(Double(bitPattern: try bits(at: start + 1, size: 8)))
        case 0x3 where low == 3:
            let seconds = Double(bitPattern: try bits(at: start + 1, size: 8))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 0x4: return .data(Data(try content(of: start, unit: 1)))
        case 0x5: return .string(try text(of: start, unit: 1) { $0.allSatisfy { $0 < 0x80 } })
        case 0x6: return .string(try text(of: start, unit: 2))
        case 0x7: return .string(try text(of: start, unit: 1))
        case 0x8 where low < 8: return .uid(try bits(at: start + 1, size: low + 1))
        case 0xA, 0xC:
            let (count, first) = try length(of: start)
            return try nested(start) { reader throws(PropertyListParseError) in try reader.array(count, from: first) }
        case 0xD:
            let (count, first) = try length(of: start)
            return try nested(start) { reader throws(PropertyListParseError) in
                try reader.dictionary(count, from: first)
            }
        default: throw fault(start, "no kind of object begins with \(bytes[start])")
        }
    }

    private mutating func dictionary(_ count: Int, from first: Int) throws(PropertyListParseError) -> PropertyListValue
    {
        try check(count, 2 * referenceSize, at: first)
        try spend(count == 0 ? 0 : Self.heapSize + count * Self.memberSize, at: first)
        var members: [String: PropertyListValue] = [:]
        members.reserveCapacity(count)
        for index in 0..<count {
            let key = try object(referredToAt: first + index * referenceSize)
            guard case .string(let name) = key else { throw fault(first, "a dictionary's key is no string") }
            members[name] = try object(referredToAt: first + (count + index) * referenceSize)
        }
        return .dictionary(members)
    }

    private mutating func array(_ count: Int, from first: Int) throws(PropertyListParseError) -> PropertyListValue {
        try check(count, referenceSize, at: first)
        try spend(count == 0 ? 0 : Self.heapSize + count * Self.elementSize, at: first)
        var elements: [PropertyListValue] = []
        elements.reserveCapacity(count)
        for index in 0..<count { elements.append(try object(referredToAt: first + index * referenceSize)) }
        return .array(elements)
    }

    private func check(_ count: Int, _ size: Int, at first: Int) throws(PropertyListParseError) {
        guard first <= table, count <= (table - first) / size else {
            throw fault(first, "more objects than there are")
        }
    }

    private mutating func object(referredToAt place: Int) throws(PropertyListParseError) -> PropertyListValue {
        try object(try number(at: place, size: referenceSize), at: place)
    }

    private mutating func nested(
        _ start: Int, _ read: (inout Self) throws(PropertyListParseError) -> PropertyListValue
    ) throws(PropertyListParseError) -> PropertyListValue {
        depth += 1
        guard depth <= PropertyListValue.maximumDepth else {
            throw fault(start, "values lie deeper than \(PropertyListValue.maximumDepth) in each other")
        }
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func spend(_ amount: Int, at place: Int) throws(PropertyListParseError) {
        allowance -= amount
        guard allowance >= 0 else {
            let times = PropertyListValue.maximumExpansion
            throw fault(place, "written out, the list takes more than \(times) times its size, and than a megabyte")
        }
    }

    private func fault(_ offset: Int, _ reason: String) -> PropertyListParseError {
        PropertyListParseError(offset: offset, reason: reason)
    }
}

// The parts of an object.
extension BinaryPropertyListReader {
    /// How many bytes, letters or objects follow an object's first byte, and where they begin.
    private func length(of start: Int) throws(PropertyListParseError) -> (count: Int, first: Int) {
        let low = Int(bytes[start] & 0x0F)
        guard low == 0x0F else { return (low, start + 1) }
        guard start + 1 < table, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0x0F <= 3 else {
            throw fault(start + 1, "a length is missing")
        }
        let size = 1 << Int(bytes[start + 1] & 0x0F)
        return (try number(at: start + 2, size: size), start + 2 + size)
    }

    private mutating func content(of start: Int, unit: Int) throws(PropertyListParseError) -> ArraySlice<UInt8> {
        let (count, first) = try length(of: start)
        guard first <= table, count <= (table - first) / unit else { throw fault(start, "an object ends outside") }
        // Of UTF-16 three bytes of UTF-8 may come; what is short needs no heap.
        try spend(count < 15 ? 0 : Self.heapSize + count * (unit == 1 ? 1 : 3), at: start)
        return bytes[first..<first + count * unit]
    }

    private mutating func text(
        of start: Int, unit: Int, _ isRight: (ArraySlice<UInt8>) -> Bool = { _ in true }
    ) throws(PropertyListParseError) -> String {
        let content = try content(of: start, unit: unit)
        let text: String?
        if unit == 1 {
            text = String(validating: content, as: UTF8.self)
        } else {
            let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
                UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
            }
            text = String(validating: units, as: UTF16.self)
        }
        guard let text, isRight(content) else { throw fault(start, "a string is no text") }
        return text
    }

    private func bits(at place: Int, size: Int) throws(PropertyListParseError) -> UInt64 {
        guard place >= 0, size <= bytes.count - place else { throw fault(place, "the bytes end too early") }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func number(at place: Int, size: Int) throws(PropertyListParseError) -> Int {
        guard let number = Int(exactly: try bits(at: place, size: size)) else {
            throw fault(place, "a number is too large")
        }
        return number
    }

    /// Up to four bytes have no sign; eight and sixteen have.
    private func integer(at place: Int, size: Int) throws(PropertyListParseError) -> Int128 {
        guard size == 16 else {
            let bits = try bits(at: place, size: size)
            return size == 8 ? Int128(Int64(bitPattern: bits)) : Int128(bits)
        }
        let high = Int64(bitPattern: try bits(at: place, size: 8))
        return Int128(high) << 64 | Int128(try bits(at: place + 8, size: 8))
    }
}
