internal import Glibc
internal import LupineCore

/// Lines of heads that were read before: most of a server's answers have most fields in common, and comparing a line costs
/// a tenth of reading it. Confined to the loop.
///
/// What is found is what the same bytes meant before. Cookies are not kept: they differ.
final class FieldMemory {
    private struct Line {
        var bytes: [UInt8] = []
        var field = HTTPHeader(name: "", value: "")
    }

    // Unchecked for exclusive access: while it is changed only its own methods run.
    @exclusivity(unchecked) private var lines = [Line](repeating: Line(), count: places)

    private static let places = 64
    /// Longer lines hold what is new each time, as a rule.
    private static let longest = 128

    /// Two lines with one place displace each other.
    private static func place(of line: UnsafeRawBufferPointer) -> Int? {
        guard line.count > 2, line.count <= longest else { return nil }
        return (line.count &* 7 &+ Int(line[0]) &+ Int(line[line.count / 2]) &* 3) & (places - 1)
    }

    func field(of line: UnsafeRawBufferPointer) -> HTTPHeader? {
        guard let place = Self.place(of: line), lines[place].bytes.count == line.count else { return nil }
        let isSame = lines[place].bytes.withUnsafeBytes { known in
            guard let known = known.baseAddress, let line = line.baseAddress else { return false }
            return memcmp(known, line, lines[place].bytes.count) == 0
        }
        return isSame ? lines[place].field : nil
    }

    func keep(_ field: HTTPHeader, of line: UnsafeRawBufferPointer) {
        guard let place = Self.place(of: line), !field.name.equalsIgnoringASCIICase("Set-Cookie") else { return }
        lines[place].bytes.removeAll(keepingCapacity: true)
        lines[place].bytes.append(contentsOf: line)
        lines[place].field = field
    }
}
