internal import FoundationEssentials
internal import Lupine
internal import LupineCore

/// What a scene shows itself on.
final class Stage: Sendable {
    /// A file of some size, to be sent.
    let largeFile: String
    private let console: Console
    private let style: Style
    private let state = Lock(State())

    private struct State {
        var shown: [String] = []
        var percent = -1
    }

    init(console: Console, style: Style, largeFile: String) {
        self.console = console
        self.style = style
        self.largeFile = largeFile
    }

    /// All lines so far.
    var shown: [String] { state.withLock(\.shown) }

    /// Shows a text, line by line.
    func show(_ text: String) {
        for line in text.split(separator: "\n") {
            state.withLock { $0.shown.append(String(line)) }
            write(style.shown(String(line).visible))
        }
    }

    /// Shows how much is done, from 0 to 1: a bar in a terminal, a line for each quarter elsewhere.
    func showBar(_ fraction: Double) {
        let percent = Int(fraction * 100)
        let text: String? = state.withLock { state in
            let step = style.isTerminal ? 1 : 25
            guard percent / step != state.percent / step || state.percent < 0 else { return nil }
            state.percent = percent
            state.shown.append("\(percent) %")
            return style.bar(percent: percent)
        }
        if let text { write(text) }
    }

    /// A reader that has gone is noticed between the scenes.
    private func write(_ text: String) { try? console.output.writeAll(Data(text.utf8), name: "standard output") }
}
