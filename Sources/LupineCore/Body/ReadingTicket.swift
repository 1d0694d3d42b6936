/// What a source that can be read once is read with: good for one reading. All copies of a body have the same, and all that is
/// made of it or of its reader: read a second time, a source would pass for one that has nothing.
package final class ReadingTicket: Sendable {
    private let isTaken = Lock(false)
    /// Of a whole that is made of such sources, which take theirs when their turn comes.
    private let parts: [ReadingTicket]

    private init(parts: [ReadingTicket]) { self.parts = parts }

    /// The ticket of a body that is made of others. `nil`: all of them can be read again.
    package static func of(parts: [ReadingTicket]) -> ReadingTicket? {
        parts.isEmpty ? nil : ReadingTicket(parts: parts)
    }

    /// A reader's. What is no object cannot be told from its copies, and gets one each time.
    static func of(_ reader: any BodyReader) -> ReadingTicket {
        guard type(of: reader) is any AnyObject.Type, let reader = reader as? any BodyReader & AnyObject else {
            return ReadingTicket(parts: [])
        }
        return known.withLock { $0.ticket(of: reader) }
    }

    /// Whether the source has been read, or is being.
    package var isUsed: Bool { isTaken.withLock { $0 } || parts.contains(where: \.isUsed) }

    /// Called where the reading begins, and not before: what was not read may still be sent by another request.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: it has begun before.
    func take(for name: String) throws(LupineError) {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        if wasTaken { throw LupineError(.uploadSourceFailed, Self.refusal(of: name)) }
    }

    static func refusal(of name: String) -> String { "\(name) can be read only once, and has been: make a new one" }

    private static let known = Lock(Known())

    /// The tickets of readers, for as long as those live.
    private struct Known {
        private struct Entry {
            weak var reader: (any BodyReader & AnyObject)?
            let ticket: ReadingTicket
        }

        private var entries: [ObjectIdentifier: Entry] = [:]
        /// Entries at which those of readers that have gone are swept out.
        private var limit = 64

        mutating func ticket(of reader: any BodyReader & AnyObject) -> ReadingTicket {
            let key = ObjectIdentifier(reader)
            // Another may live where one has gone.
            if let entry = entries[key], entry.reader != nil { return entry.ticket }
            if entries.count >= limit {
                entries = entries.filter { $0.value.reader != nil }
                limit = max(64, entries.count * 2)
            }
            let ticket = ReadingTicket(parts: [])
            entries[key] = Entry(reader: reader, ticket: ticket)
            return ticket
        }
    }
}
