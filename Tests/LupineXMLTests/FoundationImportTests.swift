import Foundation
import LupineXML
import Testing

/// Full Foundation brings an ICU of its own, libxml2's headers another: where both could be seen, a file with these two imports did
/// not compile.
@Suite struct FoundationImportTests {
    @Test func bothInOneFile() throws {
        let document = try XMLDocument(parsing: "<a>é</a>".data(using: .utf8) ?? Data())
        #expect(document.root.text == "é")
    }
}
