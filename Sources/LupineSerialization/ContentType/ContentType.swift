internal import LupineCore

/// A media type with its parameters, as a `Content-Type` field holds it (RFC 9110 section 8.3.1).
public struct ContentType: Hashable, Sendable {
    /// A parameter: `charset=utf-8`.
    public struct Parameter: Hashable, Sendable {
        /// In lower case.
        public let name: String
        /// Without quotes, in its own case.
        public let value: String

        public init(name: String, value: String) {
            self.name = name.asciiLowercased
            self.value = value
        }
    }

    /// The type in lower case: `application`.
    public let type: String
    /// The subtype in lower case: `problem+json`.
    public let subtype: String
    /// The parameters in order; of a name that came twice, the first.
    public let parameters: [Parameter]

    /// Type and subtype in lower case: `text/html`.
    public var essence: String { "\(type)/\(subtype)" }
    /// The character encoding the field names, in its own case: `utf-8`.
    public var charset: String? { self["charset"] }

    /// The value of a parameter, its name in any case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    /// Whether the type's syntax is JSON: `application/json`, `text/json` or a subtype that ends in `+json` (RFC 6839).
    public var isJSON: Bool {
        subtype.hasSuffix("+json") || (subtype == "json" && (type == "application" || type == "text"))
    }

    init(type: String, subtype: String, parameters: [Parameter]) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }
}

extension ContentType: LosslessStringConvertible {
    /// Reads a field's value. `nil`: there is no `type/subtype` of two tokens.
    ///
    /// A parameter that cannot be read is skipped, as browsers do: the type is known without it.
    public init?(_ description: String) {
        var reader = ContentTypeReader(description)
        guard let type = reader.readToken(), reader.take(UInt8(ascii: "/")), let subtype = reader.readToken() else {
            return nil
        }
        reader.skipWhitespace()
        guard reader.isAtEnd || reader.next == UInt8(ascii: ";") else { return nil }
        var parameters: [Parameter] = []
        while let parameter = reader.readParameter() {
            if !parameters.contains(where: { $0.name == parameter.name }) { parameters.append(parameter) }
        }
        self.init(type: type.asciiLowercased, subtype: subtype.asciiLowercased, parameters: parameters)
    }

    /// The field's value. A parameter's value is in quotes where it is no token.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += "; \(parameter.name)="
            if parameter.value.isHTTPToken {
                text += parameter.value
            } else {
                text += "\""
                for scalar in parameter.value.unicodeScalars {
                    if scalar == "\"" || scalar == "\\" { text += "\\" }
                    text.unicodeScalars.append(scalar)
                }
                text += "\""
            }
        }
    }
}
