internal import LupineCore

/// The members of a JSON object, in the order in which they were read or written.
///
/// RFC 8259 section 4 leaves two things open. Order: kept here, and of no account in comparisons. A name that comes
/// twice: the last value counts, at the first one's place, so that a name has one value for every reader.
/// Names are the same only when their bytes are (section 8.3): "é" as one character and as two are two names.
public struct JSONObject: Sendable {
    /// A name and its value.
    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    private(set) var members: [Member]
    /// Where each name stands. Only large objects have it: few names are found faster by looking at each.
    private var positions: [Name: Int]?

    private static let largestWithoutPositions = 12

    /// An object without members.
    public init() { members = [] }

    /// An object of these members.
    public init(_ members: some Sequence<Member>) { self.init(members: Array(members)) }

    init(members: [Member]) {
        self.members = members
        if members.count <= Self.largestWithoutPositions {
            if hasRepeats { removeRepeats() }
        } else {
            removeRepeats()
        }
    }

    private var hasRepeats: Bool {
        for index in members.indices.dropFirst() {
            for earlier in 0..<index where members[earlier].name.hasSameBytes(as: members[index].name) { return true }
        }
        return false
    }

    private mutating func removeRepeats() {
        var positions: [Name: Int] = [:]
        positions.reserveCapacity(members.count)
        var kept = 0
        for index in members.indices {
            let name = Name(text: members[index].name)
            if let first = positions.updateValue(kept, forKey: name) {
                members[first].value = members[index].value
                positions[name] = first
            } else {
                if kept != index { members[kept] = members[index] }
                kept += 1
            }
        }
        members.removeSubrange(kept...)
        self.positions = kept > Self.largestWithoutPositions ? positions : nil
    }

    private func position(of name: String) -> Int? {
        if let positions { return positions[Name(text: name)] }
        return members.firstIndex { $0.name.hasSameBytes(as: name) }
    }

    /// The value of a name. Setting replaces it in its place or adds it at the end; `nil` removes it.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let found?, let value?): members[found].value = value
            case (nil, let value?): append(Member(name: name, value: value))
            case (let found?, nil):
                members.remove(at: found)
                self = JSONObject(members: members)
            case (nil, nil): break
            }
        }
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if positions != nil {
            positions?[Name(text: member.name)] = members.count - 1
        } else if members.count > Self.largestWithoutPositions {
            removeRepeats()
        }
    }

    /// The names, in order.
    public var names: [String] { members.map(\.name) }

    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }
    public subscript(position: Int) -> Member { members[position] }
}

extension JSONObject: Hashable {
    /// The same names with the same values, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // A sum, because the order of members is of no account.
        hasher.combine(members.reduce(0) { $0 &+ $1.hashValue })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members in the order written; of a name written twice the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { Member(name: $0.0, value: $0.1) })
    }
}
