internal import FoundationEssentials
internal import LupineCore

/// The stream of a part: opened when its turn comes.
struct PartStream: Sendable {
    let length: Int64?
    var isRewindable: Bool { ticket == nil }

    private let makeReader: @Sendable () throws -> any BodyReader
    private let ticket: Ticket?

    /// Good for one reading, shared by all copies of the part.
    private final class Ticket: Sendable {
        private let isUsed = Lock(false)

        func use() -> Bool {
            isUsed.withLock { isUsed in
                defer { isUsed = true }
                return !isUsed
            }
        }
    }

    init(length: Int64?, isRewindable: Bool, makeReader: @escaping @Sendable () throws -> any BodyReader) {
        self.length = length
        self.makeReader = makeReader
        ticket = isRewindable ? nil : Ticket()
    }

    /// - Throws: ``LupineError`` with `upload-source-failed`: it was read before, and can be read once; or what its user throws.
    func reader(label: String) throws -> any BodyReader {
        guard ticket?.use() ?? true else {
            throw LupineError(.uploadSourceFailed, "the stream of \(label) can be read once, and has been")
        }
        return try makeReader()
    }
}
