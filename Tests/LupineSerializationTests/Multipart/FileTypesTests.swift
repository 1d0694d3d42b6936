import LupineSerialization
import Testing

/// Content types by file name, from texts in the form of the system's files.
struct FileTypesTests {
    private static let globs = """
        # This file was automatically generated
        80:text/html:*.html
        50:application/xhtml+xml:*.html
        50:application/json:*.json
        50:application/schema+json:*.json
        60:image/better:*.two
        50:image/worse:*.two
        50:image/early:*.three
        60:image/late:*.three
        50:text/x-c++src:*.C:cs
        50:text/x-csrc:*.c:cs
        50:text/x-csrc:*.c
        50:application/gzip:*.gz
        50:application/x-compressed-tar:*.tar.gz
        50:text/x-makefile:makefile
        50:application/x-trash:*~
        50:video/mpeg:[0-9][0-9].vdr
        50:image/wild:*.w?
        50:application/pkix-cert:*.cer
        50:application/x-spoilt
        fifty:a/b:*.fifty
        50:no type:*.notype

        """
    private static let mimeTypes = """
        # comment json2
        text/from-mime-types\t\t\tmt MT2
        application/other json
        application/none
        spoilt spoilt

        """

    @Test(arguments: [
        ("a.html", "text/html"), ("A.HTML", "text/html"), ("a.json", "application/json"), ("a.two", "image/better"),
        ("a.three", "image/late"), ("a.C", "text/x-c++src"), ("a.c", "text/x-csrc"), ("a.gz", "application/gzip"),
        ("a.tar.gz", "application/x-compressed-tar"), ("a.b.TAR.gz", "application/x-compressed-tar"),
        ("makefile", "text/x-makefile"), ("Makefile", "text/x-makefile"), ("dir.json/makefile", "text/x-makefile"),
        ("dir.json/a", "application/octet-stream"), ("a.mt", "text/from-mime-types"), ("a.mt2", "text/from-mime-types"),
        ("a.cer", "application/x-x509-ca-cert"), ("a.png", "image/png"), ("a.unknown", "application/octet-stream"),
        ("a", "application/octet-stream"), ("", "application/octet-stream"), (".", "application/octet-stream"),
        ("a.", "application/octet-stream"), (".json", "application/json"), ("a~", "application/octet-stream"),
        ("a.notype", "application/octet-stream"), ("a.fifty", "application/octet-stream"),
        ("a.spoilt", "application/octet-stream"), ("/", "application/octet-stream"),
        ("a.wx", "application/octet-stream"),
        ("ü.é.json", "application/json"), ("a.\r\n", "application/octet-stream"),
    ])
    func types(_ name: String, _ expected: String) {
        #expect(FileTypes(globs: Self.globs, mimeTypes: Self.mimeTypes).type(of: name) == expected)
    }

    /// Where a system has neither file.
    @Test(arguments: [
        ("a.cer", "application/x-x509-ca-cert"), ("a.JPG", "image/jpeg"), ("a.txt", "text/plain"),
        ("a.mp4", "video/mp4"), ("a.pdf", "application/pdf"), ("a.json", "application/json"),
        ("a.xyzzy", "application/octet-stream"),
    ])
    func withoutFilesOfTheSystem(_ name: String, _ expected: String) {
        #expect(FileTypes(globs: nil, mimeTypes: nil).type(of: name) == expected)
        #expect(FileTypes(globs: "", mimeTypes: "").type(of: name) == expected)
    }

    /// What every system knows, it knows the same.
    @Test(arguments: [
        ("a.cer", "application/x-x509-ca-cert"), ("a.png", "image/png"), ("a.jpeg", "image/jpeg"),
        ("a.json", "application/json"), ("a.pdf", "application/pdf"), ("a.zip", "application/zip"),
        ("a.txt", "text/plain"), ("a.unheard-of", "application/octet-stream"),
    ])
    func ofThisSystem(_ name: String, _ expected: String) { #expect(FileTypes.system.type(of: name) == expected) }
}
