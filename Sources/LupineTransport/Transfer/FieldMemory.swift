internal import Glibc
internal import LupineCore

/// Lines of heads that were read before: most of a server's answers have most fields in common, and comparing a line costs
/// a tenth of reading it. Confined to the loop.
///
/// What is found is what the same bytes meant before. Cookies are not kept: they differ.
final class FieldMemory {
    private struct Line<Meaning> {
        private var bytes: [UInt8] = []
        private var meaning: Meaning?

        func meaning(of line: UnsafeRawBufferPointer) -> Meaning? {
            guard bytes.count == line.count else { return nil }
            let isSame = bytes.withUnsafeBytes { known in
                guard let known = known.baseAddress, let line = line.baseAddress else { return false }
                return memcmp(known, line, bytes.count) == 0
            }
            return isSame ? meaning : nil
        }

        mutating func keep(_ meaning: Meaning, of line: UnsafeRawBufferPointer) {
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: line)
            self.meaning = meaning
        }
    }

    // Unchecked for exclusive access: while one of them is changed only its own methods run.
    @exclusivity(unchecked) private var lines = [Line<HTTPHeader>](repeating: Line(), count: places)
    @exclusivity(unchecked) private var statusLine = Line<HTTPResponse>()

    private static let places = 64
    /// Longer lines hold what is new each time, as a rule.
    private static let longest = 128

    /// Two lines with one place displace each other.
    private static func place(of line: UnsafeRawBufferPointer) -> Int? {
        guard line.count > 2, line.count <= longest else { return nil }
        return (line.count &* 7 &+ Int(line[0]) &+ Int(line[line.count / 2]) &* 3) & (places - 1)
    }

    func field(of line: UnsafeRawBufferPointer) -> HTTPHeader? {
        Self.place(of: line).flatMap { lines[$0].meaning(of: line) }
    }

    func keep(_ field: HTTPHeader, of line: UnsafeRawBufferPointer) {
        guard let place = Self.place(of: line), !field.name.equalsIgnoringASCIICase("Set-Cookie") else { return }
        lines[place].keep(field, of: line)
    }

    /// The answer without fields that a status line begins.
    func response(of line: UnsafeRawBufferPointer) throws(HeadParser.Fault) -> HTTPResponse {
        if let known = statusLine.meaning(of: line) { return known }
        let response = try HeadParser.statusLine(line)
        if line.count <= Self.longest { statusLine.keep(response, of: line) }
        return response
    }
}
