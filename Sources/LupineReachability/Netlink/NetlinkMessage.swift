internal import CLupineLinux

/// One message of a netlink datagram (RFC 3549, 2.3.2; `man 7 netlink`): header fields and what follows them.
struct NetlinkMessage {
    let type: UInt16
    let flags: UInt16
    /// Of an answer, the number of its question.
    let sequence: UInt32
    let payload: ArraySlice<UInt8>

    /// Bytes of the header, and what messages and attributes begin at a multiple of.
    static let headerSize = 16, alignment = 4

    /// Takes a datagram apart. Nothing is read beyond its end, whatever lengths it states.
    ///
    /// - Returns: the messages up to the first that is not whole, and whether there is no such.
    static func parse(_ datagram: ArraySlice<UInt8>) -> (messages: [NetlinkMessage], isWhole: Bool) {
        var messages: [NetlinkMessage] = []
        var rest = datagram
        while !rest.isEmpty {
            guard let stated = rest.integer(UInt32.self, at: 0), let type = rest.integer(UInt16.self, at: 4),
                let flags = rest.integer(UInt16.self, at: 6), let sequence = rest.integer(UInt32.self, at: 8),
                let length = Int(exactly: stated), length >= headerSize, length <= rest.count
            else { return (messages, false) }
            messages.append(
                NetlinkMessage(
                    type: type, flags: flags, sequence: sequence, payload: rest.prefix(length).dropFirst(headerSize)))
            rest = rest.dropFirst(length.aligned)
        }
        return (messages, true)
    }

    /// A question for all of a kind.
    ///
    /// - Parameter type: `RTM_GET…`.
    /// - Parameter family: `AF_…`, which all the structures begin with.
    static func dumpRequest(type: UInt16, family: UInt8, sequence: UInt32) -> [UInt8] {
        // The longest of the structures, ifinfomsg, has 16 bytes.
        let body: [UInt8] = [family] + [UInt8](repeating: 0, count: 15)
        let flags = UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH)
        return UInt32(headerSize + body.count).bytes + type.bytes + flags.bytes + sequence.bytes + UInt32(0).bytes
            + body
    }
}

/// The attributes behind a message's structure, by their types.
struct NetlinkAttributes {
    private var values: [UInt16: ArraySlice<UInt8>] = [:]

    /// - Parameter bytes: read up to the first attribute that is not whole.
    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let length = rest.integer(UInt16.self, at: 0).map(Int.init), let type = rest.integer(UInt16.self, at: 2),
            length >= 4, length <= rest.count
        {
            // The two highest bits say how the value is to be read, not what it is.
            values[type & 0x3FFF] = rest.prefix(length).dropFirst(4)
            rest = rest.dropFirst(length.aligned)
        }
    }

    subscript(type: Int) -> ArraySlice<UInt8>? { UInt16(exactly: type).flatMap { values[$0] } }

    func number(_ type: Int) -> UInt32? { self[type]?.integer(UInt32.self, at: 0) }

    func text(_ type: Int) -> String? { self[type].map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }

    func address(_ type: Int) -> IPAddress? { self[type].flatMap { IPAddress(bytes: $0) } }
}

extension Int {
    /// Up to the next multiple of four.
    var aligned: Int { (self + NetlinkMessage.alignment - 1) & ~(NetlinkMessage.alignment - 1) }
}

extension ArraySlice<UInt8> {
    /// The number at a distance from the beginning, in the machine's own order of bytes, as netlink has it; `nil` beyond the end.
    func integer<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, count - offset >= size else { return nil }
        let bytes = self[(startIndex + offset)..<(startIndex + offset + size)]
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) }  // of exactly its size
    }

    /// The byte at a distance from the beginning.
    func byte(at offset: Int) -> UInt8? { integer(UInt8.self, at: offset) }
}

extension FixedWidthInteger {
    /// In the machine's own order.
    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}
