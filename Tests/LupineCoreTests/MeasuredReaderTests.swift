import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

/// Sources are held to their word, and hold up nobody.
@Suite(.timeLimit(.minutes(1)))
struct MeasuredReaderTests {
    private func text(_ length: Int64?, _ pieces: [String]) async throws -> String {
        let reader = try MeasuredReader(length: length, name: "it") { _ in PiecesReader(pieces) }
        var text = ""
        while let piece = try await reader.read(upTo: 100) {
            #expect(!piece.isEmpty)
            text += String(decoding: piece, as: UTF8.self)
        }
        return text
    }

    @Test func aSourceThatKeepsItsWord() async throws {
        for length in [nil, 5] as [Int64?] {
            for pieces in [["hello"], ["", "he", "", "llo", ""]] {
                #expect(try await text(length, pieces) == "hello")
            }
        }
        #expect(try await text(0, [""]) == "")
    }

    @Test(arguments: [(4, "has more than its 4 bytes"), (6, "ended after 5 of 6 bytes"), (0, "more"), (-1, "more")])
    func aSourceThatBreaksIt(length: Int64, reason: String) async {
        let error = await #expect(throws: LupineError.self) { _ = try await text(length, ["hel", "lo"]) }
        #expect(error?.code == .uploadSourceFailed)
        #expect(error?.message.contains(reason) == true)
    }

    @Test func aNegativeLengthIsNotThatOfNothing() async {
        let error = await #expect(throws: LupineError.self) { _ = try await text(-1, []) }
        #expect(error?.code == .uploadSourceFailed)
    }

    /// What a program's own error says of itself is put on one line, and cut.
    @Test func anErrorOfTheSourceIsOneBoundedLine() async throws {
        struct Long: Error, CustomStringConvertible {
            var description: String { "first\nsecond\u{0}\u{202E}" + String(repeating: "x", count: 5000) }
        }
        struct Failing: BodyReader { func read(upTo count: Int) async throws -> Data? { throw Long() } }
        let folder = try TemporaryDirectory()
        for body in [HTTPBody.stream { throw Long() }, .stream { Failing() }] {
            let error = await #expect(throws: LupineError.self) { try await body.write(to: folder.file("out")) }
            #expect(error?.code == .uploadSourceFailed)
            #expect(error?.message.hasPrefix("the source of the body failed: first secondxxx") == true)
            #expect(error?.message.count ?? 0 < 300)
            #expect(error?.underlying is Long)
        }
    }

    /// Sources that give empty pieces for good, more of them than threads: others get their turn, they end when they are
    /// cancelled, and each is closed.
    @Test func sourcesOfEmptyPieces() async throws {
        final class Idle: BodyReader {
            let begun: Gate, closings: Lock<Int>
            init(_ begun: Gate, _ closings: Lock<Int>) { (self.begun, self.closings) = (begun, closings) }
            func read(upTo count: Int) async throws -> Data? {
                begun.open()
                return Data()
            }
            func close() { closings.withLock { $0 += 1 } }
        }
        let folder = try TemporaryDirectory(), closings = Lock(0)
        let writings = (0..<32).map { index in
            let begun = Gate(), path = folder.file("\(index)")
            let body = HTTPBody.stream { Idle(begun, closings) }
            return (begun, Task { try await body.write(to: path) })
        }
        for (begun, _) in writings { try await begun.opened() }
        for (_, writing) in writings { writing.cancel() }
        for (_, writing) in writings {
            let error = await #expect(throws: LupineError.self) { try await writing.value }
            #expect(error?.code == .cancelled)
        }
        #expect(closings.withLock { $0 } == writings.count)
    }
}
