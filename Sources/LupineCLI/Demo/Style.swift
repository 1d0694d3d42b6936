internal import Glibc

/// How the demo looks: colours in a terminal, plain text elsewhere or with NO_COLOR.
struct Style: Sendable {
    let isTerminal: Bool
    private let hasColours: Bool

    init(descriptor: Int32) {
        isTerminal = isatty(descriptor) == 1
        let forbids = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) } == "dumb"
        hasColours = isTerminal && !forbids && !isDumb
    }

    private func paint(_ text: String, _ code: String) -> String {
        hasColours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    func intro(address: String, scenes: Int) -> String {
        """
        \(paint("Lupine", "1;34")): \(scenes) scenes against a server in this process, at \(address)
        Each shows its source, as it was compiled, and then what it does.

        """
    }

    func beginning(of scene: Scene, number: Int, of count: Int) -> String {
        var text = "\n\(paint("── \(number)/\(count)  \(scene.title)", "1;34"))\n\n"
        for line in scene.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            text += line.isEmpty ? "\n" : "    \(source(line))\n"
        }
        return text + "\n"
    }

    private func source(_ line: Substring) -> String {
        line.drop { $0 == " " }.hasPrefix("//") ? paint(String(line), "32") : paint(String(line), "2")
    }

    func shown(_ line: String) -> String { "  \(paint("→", "1;34")) \(line)\n" }

    func bar(percent: Int) -> String {
        guard isTerminal else { return "  → \(percent) %\n" }
        let width = 40
        let filled = width * percent / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\r  \(paint(bar, "34")) \(percent) %\(percent == 100 ? "\n" : "")"
    }

    func end(fault: String?) -> String {
        fault.map { "  \(paint("✗", "1;31")) \($0.visible)\n" } ?? ""
    }

    func conclusion(scenes: Int, failed: [String]) -> String {
        guard failed.isEmpty else {
            let names = failed.joined(separator: ", ")
            return "\n\(paint("✗", "1;31")) \(failed.count) of \(scenes) scenes did not go as told: \(names)\n"
        }
        return "\n\(paint("✓", "1;32")) All \(scenes) scenes went as told: Lupine works on this machine.\n"
    }
}
