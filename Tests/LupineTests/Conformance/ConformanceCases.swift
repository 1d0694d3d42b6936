import FoundationEssentials
import Testing

/// The tables of public cases, in the directory that `LUPINE_CASES` names.
///
/// A table's verdict is the expectation: none is taken from what Lupine does. Where Lupine differs on purpose the case
/// is listed, with the reason, as a ``KnownDifference``.
enum ConformanceCases {
    static let directory = environment("LUPINE_CASES")
    static let areThere = directory != nil
    static let hint: Comment = "no tables: `make conformance` reads them from a directory"

    static func read<Table: Decodable>(_ file: String, as type: Table.Type = Table.self) throws -> Table {
        let directory = try #require(directory)
        let data = try Data(contentsOf: URL(filePath: directory).appending(path: file))
        // Not Lupine's own JSON: that is one of the things on trial.
        return try JSONDecoder().decode(type, from: data)
    }
}

/// Cases in which Lupine differs from a table on purpose, for one reason.
struct KnownDifference: Sendable {
    let reason: String
    let ids: [String]

    init(_ reason: String, _ ids: [String]) {
        self.reason = reason
        self.ids = ids
    }
}

/// How the cases of one suite came out.
struct Comparison {
    private let suite: String
    private var differences: [(id: String, difference: String?)] = []
    private var counts: [String: Int] = [:]
    var skipped = 0

    init(_ suite: String) { self.suite = suite }

    /// Takes one case in: how Lupine differs from the table, or `nil`. An id that comes again gets a number.
    mutating func add(_ id: String, _ difference: String?) {
        counts[id, default: 0] += 1
        let count = counts[id] ?? 1
        differences.append((count == 1 ? id : "\(id) (\(count))", difference))
    }

    /// Fails for each difference that is not known, and for each known one that is none: the lists stay true.
    func conclude(known: [KnownDifference] = []) {
        var listed = Set(known.flatMap(\.ids)), agreed = 0, knownCount = 0
        for (id, difference) in differences {
            let isListed = listed.remove(id) != nil
            switch difference {
            case nil where isListed:
                Issue.record("\(suite): \(id.debugDescription) agrees by now; take it off the list")
            case nil: agreed += 1
            case _? where isListed: knownCount += 1
            case let difference?: Issue.record("\(suite): \(id.debugDescription): \(difference)")
            }
        }
        for id in listed.sorted() { Issue.record("\(suite): no case \(id.debugDescription) in the table") }
        #expect(Set(known.flatMap(\.ids)).count == known.flatMap(\.ids).count, "a case is listed twice")
        #expect(!differences.isEmpty, "\(suite): the table is empty")
        let left = skipped == 0 ? "" : ", \(skipped) skipped"
        print("\(suite): \(differences.count) run, \(agreed) agreed, \(knownCount) known differences\(left)")
    }
}

extension String {
    /// The bytes of a text that holds one byte a character.
    var latin1: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
