extension String {
    /// The path as the system is to be given it. C ends a text at its first NUL, and would take another file than was named: a
    /// path with one is "", which is nobody's, so that each call refuses it.
    package var systemPath: String { utf8.contains(0) ? "" : self }
}
