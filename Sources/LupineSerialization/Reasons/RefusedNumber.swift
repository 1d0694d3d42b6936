extension JSONValue {
    /// The first number, in the order of the text, that a decoder refuses, and where it stands. `nil`: none by itself.
    ///
    /// Of a number that does not fit the type asked for, such as `1.5` as an `Int`, Foundation's decoder says that the data is no
    /// JSON, and no place. It is asked again, some twenty times at most, with all numbers from one on replaced by 0.
    func firstNumber(refusedBy isRefused: (JSONValue) -> Bool) -> (path: ValuePath, number: JSONNumber)? {
        var left = Int.max
        _ = keepingNumbers(&left)
        // With the first `kept` numbers it is taken, with the first `refused` it is not.
        var kept = 0, refused = Int.max - left
        guard isRefused(keeping(refused)), !isRefused(keeping(kept)) else { return nil }
        while refused - kept > 1 {
            let middle = (kept + refused) / 2
            if isRefused(keeping(middle)) { refused = middle } else { kept = middle }
        }
        var index = kept
        return number(&index, ValuePath())
    }

    private func keeping(_ count: Int) -> JSONValue {
        var left = count
        return keepingNumbers(&left)
    }

    private func keepingNumbers(_ left: inout Int) -> JSONValue {
        switch self {
        case .number:
            left -= 1
            return left < 0 ? 0 : self
        case .array(let elements): return .array(elements.map { $0.keepingNumbers(&left) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { .init(name: $0.name, value: $0.value.keepingNumbers(&left)) }))
        case .null, .bool, .string: return self
        }
    }

    private func number(_ index: inout Int, _ path: ValuePath) -> (path: ValuePath, number: JSONNumber)? {
        switch self {
        case .number(let number):
            index -= 1
            return index < 0 ? (path, number) : nil
        case .array(let elements):
            for (place, element) in elements.enumerated() {
                if let found = element.number(&index, path.element(place)) { return found }
            }
        case .object(let object):
            for member in object {
                if let found = member.value.number(&index, path.member(member.name)) { return found }
            }
        case .null, .bool, .string: break
        }
        return nil
    }
}
