public import FoundationEssentials

/// A request's body: bytes, a file, or a stream, with its length when that is known and whether it can be sent
/// a second time.
public struct HTTPBody: Sendable {
    package enum Source: Sendable {
        case bytes(Data)
        case reader(@Sendable () throws -> any BodyReader)
    }

    package let source: Source
    /// The number of bytes. `nil`: unknown, sent in chunks over HTTP/1.1 (RFC 9112 section 7.1).
    public let length: Int64?
    /// Whether the source can be read again from its start. A one-shot body that would have to be sent twice
    /// ends the exchange with an error that says so.
    public let isRewindable: Bool
    /// What tells a source that can be read once from others; `nil`: it can be read again.
    package let identity: Identity?

    package final class Identity: Sendable {}

    package init(source: Source, length: Int64?, isRewindable: Bool, identity: Identity? = nil) {
        self.source = source
        self.length = length
        self.isRewindable = isRewindable
        self.identity = identity ?? (isRewindable ? nil : Identity())
    }

    /// No body.
    public static let empty = HTTPBody(source: .bytes(Data()), length: 0, isRewindable: true)

    public var isEmpty: Bool { length == 0 }

    /// Bytes in memory.
    public static func bytes(_ data: Data) -> HTTPBody {
        HTTPBody(source: .bytes(data), length: Int64(data.count), isRewindable: true)
    }

    /// A text, as UTF-8.
    public static func text(_ text: String) -> HTTPBody { .bytes(Data(text.utf8)) }

    /// Whatever `makeReader` opens, read beside the event loop and never faster than it is sent.
    ///
    /// - Parameters:
    ///   - length: the number of bytes; a source that gives more or fewer ends the exchange with
    ///     `upload-source-failed`. `nil`: unknown.
    ///   - makeReader: opens the source at its start; called again for each further sending.
    public static func stream(
        length: Int64? = nil, makeReader: @escaping @Sendable () throws -> any BodyReader
    ) -> HTTPBody {
        HTTPBody(source: .reader(makeReader), length: length, isRewindable: true)
    }

    /// A source that can be read once.
    public static func oneShotStream(length: Int64? = nil, reader: any BodyReader) -> HTTPBody {
        HTTPBody(source: .reader { reader }, length: length, isRewindable: false)
    }

    /// The elements of a sequence, which is taken to be readable once.
    public static func oneShotStream<Elements: AsyncSequence & Sendable>(
        length: Int64? = nil, _ elements: Elements
    ) -> HTTPBody where Elements.Element == Data {
        .oneShotStream(length: length, reader: SequenceBodyReader(elements))
    }
}

/// A source of body bytes. It is asked for one piece at a time.
public protocol BodyReader: Sendable {
    /// The next piece: at most `count` bytes is best, more is accepted. `nil` at the end; an empty piece means nothing
    /// and is asked past. An error ends the exchange with `upload-source-failed`.
    func read(upTo count: Int) async throws -> Data?
    /// No further piece will be asked for. Called exactly once. Does nothing by default.
    func close()
}

extension BodyReader {
    /// Does nothing.
    public func close() {}
}
