public import FoundationEssentials
public import LupineCore

/// A serializer for which an answer without content is none. See ``ResponseSerializer/optional``.
public struct OptionalResponseSerializer<Base: ResponseSerializer>: ResponseSerializer {
    /// What reads an answer with content.
    public var base: Base

    /// The base's value; `nil` where there is no content to make one of.
    ///
    /// - Throws: ``LupineError`` as the base, but for what it throws for want of content.
    public func serialize(
        _ data: Data, response: HTTPResponse, request: HTTPRequest
    ) throws(LupineError) -> Base.Value? {
        do throws(LupineError) {
            return try base.serialize(data, response: response, request: request)
        } catch {
            guard error.code == .responseSerializationFailed, data.isNoContent(of: response, to: request) else {
                throw error
            }
            return nil
        }
    }
}

extension Data {
    /// Whether there is nothing in an answer that a value could be made of.
    package func isNoContent(of response: HTTPResponse, to request: HTTPRequest) -> Bool {
        response.hasNoContent(to: request) || isJSONWhitespace
    }
}
