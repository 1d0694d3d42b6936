extension Duration {
    /// For a message: `2.5 s`, `300 ms`; whole milliseconds.
    package var shortText: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return "\(seconds) s" }
        if seconds == 0 { return "\(milliseconds) ms" }
        var fraction = String(1000 + milliseconds).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(seconds).\(fraction) s"
    }
}
