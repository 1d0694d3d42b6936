public import LupineCore

// The file that curl, wget, Python and browsers' extensions exchange cookies in.
extension CookieStorage {
    /// More than any storage's cookies take.
    private static let largestFile = 64 << 20

    /// Adds the cookies of a Netscape cookie file, as ``set(_:)`` would, in the order of its lines.
    ///
    /// Lines that cannot be read are passed over, and so are cookies that have expired or may not be set. Cookies count as
    /// created now. Reads with the calling thread.
    ///
    /// - Throws: ``LupineError`` with `file-failed`: the file cannot be read, or is larger than 64 MiB.
    public func load(netscapeFile path: String) throws(LupineError) {
        let bytes = try SmallFile.read(path, limit: Self.largestFile)
        add(NetscapeCookieFile.cookies(in: bytes, now: now()))
    }

    /// Writes the cookies that have not expired to a Netscape cookie file, the oldest first; session cookies with an
    /// expiry of 0, as curl does.
    ///
    /// The file appears whole, in the place of one that was there, and only its owner may read it (mode 0600). It has no
    /// place for `SameSite`, nor for times of creation and use, nor for a cookie that holds a tab. Writes with the calling
    /// thread.
    ///
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    public func save(netscapeFile path: String) throws(LupineError) {
        try SmallFile.replace(path, with: NetscapeCookieFile.bytes(of: cookies))
    }

    /// Makes sure that ``save(netscapeFile:)`` will find a place to write to. Changes nothing.
    ///
    /// - Throws: ``LupineError`` as that would.
    package static func checkWritable(netscapeFile path: String) throws(LupineError) {
        try SmallFile.checkReplaceable(path)
    }
}
