public import LupineCore

/// How parameters become a query string or a form body. By default as AFNetworking does it:
///
/// - a member is `name=value`, pairs are joined by `&`, in the order of their names;
/// - the members of an object inside have the name `outer[inner]`, the elements of an array `name[]`, in depth:
///   `a[b][]=1&a[b][]=2`;
/// - `null` is its name without `=`, an empty string `name=`, an empty array or object nothing;
/// - `true` is `1` and `false` is `0`; a number is written with the digits it has;
/// - names and values are escaped by ``percentEscaped(_:)``, brackets too.
///
/// The options bear the names of Alamofire's `URLEncodedFormEncoder`. How an `Encodable`'s dates, data and keys are
/// written is the encoder's to say: ``HTTPRequestSerializer/encoder``.
public struct QueryEncoding: Sendable {
    /// The names of an array's elements.
    public enum ArrayEncoding: Sendable {
        /// `name[]`.
        case brackets
        /// `name`.
        case noBrackets
        /// `name[0]`, `name[1]`: what keeps the members of objects in an array together.
        case indexInBrackets
        /// Whatever the closure makes of the array's name and the element's index.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// `true` and `false`.
    public enum BoolEncoding: Sendable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// The names of an object's members inside another.
    public enum KeyPathEncoding: Sendable {
        /// `outer[inner]`.
        case brackets
        /// `outer.inner`.
        case dots
        /// Whatever the closure makes of both names.
        case custom(@Sendable (_ outer: String, _ inner: String) -> String)
    }

    /// `null`.
    public enum NilEncoding: Sendable {
        /// `name`, without `=`.
        case nameOnly
        /// Nothing.
        case dropKey
        /// `name=`.
        case dropValue
        /// `name=null`.
        case null
    }

    /// A space.
    public enum SpaceEncoding: Sendable {
        /// `%20`.
        case percentEscaped
        /// `+`, as the URL standard's forms have it.
        case plusReplaced
    }

    public var arrays = ArrayEncoding.brackets
    public var bools = BoolEncoding.numeric
    public var keyPaths = KeyPathEncoding.brackets
    public var nils = NilEncoding.nameOnly
    public var spaces = SpaceEncoding.percentEscaped
    /// Whether members stand in the order of their names' UTF-8 bytes, at each depth, rather than in their own. `true`.
    public var sortsNames = true

    /// How deep arrays and objects may lie in each other.
    public static let maximumDepth = JSONValue.defaultMaximumDepth

    public init() {}

    /// The query string, without a `?`; empty for an empty object.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the parameters are no object, so that their values
    ///   have no names, or lie deeper in each other than ``maximumDepth``.
    public func string(from parameters: JSONValue) throws(LupineError) -> String {
        var writer = QueryWriter(replacesSpaces: spaces == .plusReplaced)
        for pair in try pairs(from: parameters) { writer.add(pair) }
        return String(decoding: writer.output, as: UTF8.self)
    }

    /// The pairs, before they are escaped.
    ///
    /// - Throws: as ``string(from:)``.
    package func pairs(from parameters: JSONValue) throws(LupineError) -> [QueryPair] {
        guard case .object(let object) = parameters else {
            throw LupineError(
                .requestSerializationFailed, "the parameters of a query must be an object: each value needs a name")
        }
        var flattener = QueryFlattener(encoding: self)
        flattener.pairs.reserveCapacity(object.count)
        for member in flattener.ordered(object) { try flattener.add(member.value, name: member.name, depth: 1) }
        return flattener.pairs
    }

    /// Escapes a text for a query: every byte of its UTF-8 but `A-Z a-z 0-9 - . _ ~ / ?` becomes `%XX`, in upper case.
    ///
    /// A space is `%20` and `+` is `%2B`, so that no reader takes one for the other. Text that is escaped already is
    /// escaped again. RFC 3986 section 3.4 lets `/` and `?` stand in a query.
    public static func percentEscaped(_ text: String) -> String {
        if text.utf8.allSatisfy(\.standsInQuery) { return text }
        var writer = QueryWriter(replacesSpaces: false)
        writer.escape(text)
        return String(decoding: writer.output, as: UTF8.self)
    }
}

/// A name and its value, as they are. `nil`: a name without `=`.
package struct QueryPair: Hashable, Sendable {
    package let name: String
    package let value: String?
}
