public import FoundationEssentials
public import LupineCore

// What a server says about a failure stands in the body of its answer, which the error carries whole.
extension LupineError {
    /// The body of the answer, decoded: what an API says about why it refused.
    ///
    /// ```swift
    /// } catch where error.code == .unacceptableStatus {
    ///     if let problem = error.decoded(as: Problem.self) { show(problem.title) }
    /// }
    /// ```
    ///
    /// Whatever the answer's type: servers send JSON for errors under many. UTF-16 and UTF-32 are recognized.
    ///
    /// - Returns: `nil`: there is no body, or it is no such value.
    public func decoded<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) -> Value? {
        guard let data, !data.isEmpty, let text = try? JSONText(data, declared: nil) else { return nil }
        return try? decoder.decode(type, from: text.bytes)
    }

    /// The body of the answer as JSON. `nil`: there is no body, or it is no JSON.
    public var json: JSONValue? {
        guard let data, !data.isEmpty, let text = try? JSONText(data, declared: nil) else { return nil }
        return try? JSONValue(parsing: text.bytes)
    }

    /// The body of the answer as text, by the charset its type states, its byte order mark or UTF-8. `nil`: nothing came, or it
    /// is no such text.
    public var text: String? { data?.text(of: response) }
}

extension Data {
    /// Text by its byte order mark, the charset that its head states, or UTF-8.
    package func text(of response: HTTPResponse?) -> String? {
        try? charset(response?.contentType, default: .utf8).decode(self)
    }
}
