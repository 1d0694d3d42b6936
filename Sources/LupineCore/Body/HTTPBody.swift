public import FoundationEssentials

/// A request's body: bytes, a file, or a stream, with its length when that is known and whether it can be sent
/// a second time.
public struct HTTPBody: Sendable {
    package enum Source: Sendable {
        case bytes(Data)
        /// Opens it at its start. `name`: what messages call it.
        case reader(@Sendable (_ name: String) throws -> any BodyReader)
    }

    package let source: Source
    /// The number of bytes. `nil`: unknown, sent in chunks over HTTP/1.1 (RFC 9112 section 7.1).
    public let length: Int64?
    /// Whether the source can be read again from its start. A one-shot body that would have to be sent twice
    /// ends the exchange with an error that says so.
    public var isRewindable: Bool { ticket == nil }
    /// What the source is read with, where it can be read only once. Its `reader` takes it.
    package let ticket: ReadingTicket?

    package init(source: Source, length: Int64?, ticket: ReadingTicket? = nil) {
        self.source = source
        self.length = length
        self.ticket = ticket
    }

    /// No body.
    public static let empty = HTTPBody(source: .bytes(Data()), length: 0)

    public var isEmpty: Bool { length == 0 }

    /// Bytes in memory.
    public static func bytes(_ data: Data) -> HTTPBody {
        HTTPBody(source: .bytes(data), length: Int64(data.count))
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
        HTTPBody(source: .reader { _ in try makeReader() }, length: length)
    }

    /// A source that can be read once. Once a byte has been asked of it, by a request that failed too, every further use ends
    /// with `upload-source-failed`: of this body, of what is made of it, and of another with the same reader, if that is an
    /// object.
    ///
    /// - Parameter length: as for ``stream(length:makeReader:)``.
    public static func oneShotStream(length: Int64? = nil, reader: any BodyReader) -> HTTPBody {
        let ticket = ReadingTicket.of(reader)
        return HTTPBody(
            source: .reader { name in
                // What is said to be nothing may be asked again whether it is.
                if length != 0 { try ticket.take(for: name) }
                return reader
            }, length: length, ticket: ticket)
    }

    /// The elements of a sequence, which is taken to be readable once: a body of it can be sent once. That the sequence is not
    /// read elsewhere is yours to see to.
    public static func oneShotStream<Elements: AsyncSequence & Sendable>(
        length: Int64? = nil, _ elements: Elements
    ) -> HTTPBody where Elements.Element == Data {
        .oneShotStream(length: length, reader: SequenceBodyReader(elements))
    }
}

extension HTTPBody {
    /// What stands in the way of sending the body; `nil`: nothing that is known yet.
    ///
    /// - Parameter name: what the message calls it.
    package func fault(as name: String) -> LupineError? {
        if let length, length < 0 { return LupineError(.invalidRequest, "\(name) cannot have \(length) bytes") }
        guard let ticket, !isEmpty, ticket.isUsed else { return nil }
        return LupineError(.uploadSourceFailed, ReadingTicket.refusal(of: name))
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
