extension JSONValue {
    /// The same without what is `null`, at every depth. A `null` on top stays.
    ///
    /// AFNetworking 4 removes both, and so moves the elements behind a `null` to other indexes: here each is a choice.
    ///
    /// - Parameters:
    ///   - members: leave out members of objects whose value is `null`.
    ///   - elements: leave out elements of arrays that are `null`.
    public func removingNulls(members: Bool = true, elements: Bool = false) -> JSONValue {
        guard members || elements else { return self }
        switch self {
        case .array(let array):
            // Filtered apart: `nil` for an element would be `null` again.
            let kept = elements ? array.filter { !$0.isNull } : array
            return .array(kept.map { $0.removingNulls(members: members, elements: elements) })
        case .object(let object):
            let kept = members ? object.members.filter { !$0.value.isNull } : object.members
            return .object(
                JSONObject(
                    members: kept.map { member in
                        let value = member.value.removingNulls(members: members, elements: elements)
                        return JSONObject.Member(name: member.name, value: value)
                    }))
        case .null, .bool, .number, .string: return self
        }
    }
}
