public import FoundationEssentials
public import LupineCore

/// Checks an answer and reads its body as a property list, in XML or binary: as a ``PropertyListValue``, or decoded into a type.
///
/// ```swift
/// PropertyListResponseSerializer()                    // a tree of values
/// PropertyListResponseSerializer(Settings.self)       // a Decodable
/// ```
public struct PropertyListResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. `application/x-plist` by default.
    public var acceptableContentTypes: ContentTypeSet?

    private let makeDecoder: @Sendable () -> PropertyListDecoder

    /// - Parameter decoder: evaluated for each answer, so that none is shared between threads. ``PropertyListValue`` needs none.
    public init(
        _ type: Value.Type, acceptableStatuses: StatusSet? = .successful,
        acceptableContentTypes: ContentTypeSet? = .propertyList,
        decoder: @autoclosure @escaping @Sendable () -> PropertyListDecoder = PropertyListDecoder()
    ) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
        makeDecoder = decoder
    }

    /// The value of the body: status first, then type, then content, so that no fault hides one before it.
    ///
    /// A property list has no null. Where there is nothing to read, for HEAD, 204, 205 and an empty body or white space alone, an
    /// `Optional` becomes `nil`, and any other type fails.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``, and with
    ///   `response-serialization-failed`: a ``PropertyListParseError`` or the `DecodingError` is its `underlying`. Of an
    ///   unacceptable status the list is read too, and a fault in it is the `underlying`.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Value {
        let tree = try ResponseCheck(acceptableStatuses, acceptableContentTypes).value(of: data, response, request) {
            () throws(LupineError) -> PropertyListValue? in
            if data.isNoContent(of: response, to: request) { return nil }
            do throws(PropertyListParseError) {
                return try PropertyListValue(parsing: data)
            } catch {
                throw .response(
                    .responseSerializationFailed, "answered with a body that is no property list: \(error.onOneLine)",
                    data: data,
                    response: response, request: request, underlying: error)
            }
        }
        if let value = tree as? Value { return value }
        guard let tree else {
            throw .response(
                .responseSerializationFailed, "answered with what is no \(Value.self): the body is empty", data: data,
                response: response, request: request)
        }
        do {
            return try decode(tree)
        } catch {
            let reason = error.codingReason(below: tree.isContainer ? 0 : 1)
            throw .response(
                .responseSerializationFailed, "answered with what is no \(Value.self): \(reason)", data: data,
                response: response, request: request, underlying: error)
        }
    }

    /// Foundation's decoder reads what Lupine wrote: bytes from a server could end it (see ``PropertyListValue/init(parsing:)``).
    private func decode(_ tree: PropertyListValue) throws -> Value {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        if tree.isContainer { return try makeDecoder().decode(Value.self, from: try encoder.encode(tree)) }
        // The encoder writes no single value.
        return try makeDecoder().decode(Single<Value>.self, from: try encoder.encode([tree])).value
    }
}

extension PropertyListResponseSerializer where Value == PropertyListValue {
    /// For the list as it is.
    public init(
        acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = .propertyList
    ) {
        self.init(
            PropertyListValue.self, acceptableStatuses: acceptableStatuses,
            acceptableContentTypes: acceptableContentTypes)
    }
}

/// The one element of an array.
private struct Single<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        value = try container.decode(Value.self)
    }
}

extension ContentTypeSet {
    /// What AFNetworking's property list serializer accepts: `application/x-plist`.
    public static let propertyList: ContentTypeSet = ["application/x-plist"]
}
