internal import FoundationEssentials

/// Reads an async sequence as a body.
final class SequenceBodyReader<Elements: AsyncSequence & Sendable>: BodyReader, @unchecked Sendable
where Elements.Element == Data {
    // Safe to share: a reader is asked for one piece at a time, so the iterator is never reached twice at once.
    private var iterator: Elements.AsyncIterator

    init(_ elements: Elements) { iterator = elements.makeAsyncIterator() }

    func read(upTo count: Int) async throws -> Data? { try await iterator.next() }
}
