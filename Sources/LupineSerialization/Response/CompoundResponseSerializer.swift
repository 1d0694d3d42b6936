public import FoundationEssentials
public import LupineCore

/// Several serializers for one answer: they are tried in order, and the first that succeeds gives the value.
///
/// ```swift
/// CompoundResponseSerializer([
///     DecodableResponseSerializer(User.self).map(Reply.user),
///     StringResponseSerializer().map(Reply.page),
/// ])
/// ```
public struct CompoundResponseSerializer<Value: Sendable>: ResponseSerializer {
    /// The members, in the order in which they are tried.
    public var responseSerializers: [any ResponseSerializer<Value>]

    /// Those of another type of value fit by ``ResponseSerializer/map(_:)``.
    public init(_ responseSerializers: [any ResponseSerializer<Value>]) {
        self.responseSerializers = responseSerializers
    }

    /// The first value that a member makes.
    ///
    /// - Throws: ``LupineError`` with the code of the member that came furthest: `response-serialization-failed` when one
    ///   accepted status and type, `unacceptable-content-type` when one accepted the status, else `unacceptable-status`. Its
    ///   message has every member's reason, its `underlying` is a ``CompoundResponseError`` with their errors. Without
    ///   members: `response-serialization-failed`. AFNetworking loses the members' errors and gives the bytes.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Value {
        var errors: [LupineError] = []
        for serializer in responseSerializers {
            do throws(LupineError) {
                return try serializer.serialize(data, response: response, request: request)
            } catch {
                errors.append(error)
            }
        }
        let code = errors.map(\.code).max { $0.progress < $1.progress } ?? .responseSerializationFailed
        let compound = CompoundResponseError(errors: errors)
        throw .response(
            code, "answered with what none of \(errors.count) serializers reads: \("\(compound)".onOneLine)",
            data: data,
            response: response, request: request, underlying: compound)
    }
}

/// What each member of a compound serializer said of an answer, in their order.
public struct CompoundResponseError: Error, Sendable, CustomStringConvertible {
    public let errors: [LupineError]

    /// The members' reasons, each once.
    public var description: String {
        var told: [String] = []
        for error in errors where !told.contains(error.description) { told.append(error.description) }
        return told.joined(separator: "; ")
    }
}

extension LupineError.Code {
    /// How far an answer came before it was refused.
    fileprivate var progress: Int {
        switch self {
        case .unacceptableStatus: 0
        case .unacceptableContentType: 1
        default: 2
        }
    }
}
