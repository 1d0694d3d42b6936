import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Public tables of forms: what browsers write, and what a reader of forms finds.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct MultipartConformanceTests {
    private struct Names: Decodable {
        struct Case: Decodable {
            let name: String
            let filename_param: String
        }
        let cases: [Case]
    }

    /// The web platform's names, as field name and as file name.
    @Test func names() throws {
        var comparison = Comparison("multipart names")
        for testCase in try ConformanceCases.read("multipart/wpt-filenames.json", as: Names.self).cases {
            var form = try MultipartFormData(boundary: "B")
            try form.append(data: Data(), name: testCase.name, fileName: testCase.name, mimeType: "a/b")
            let name = testCase.filename_param
            let expected =
                "--B\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(name)\"\r\n"
                + "Content-Type: a/b\r\n\r\n\r\n--B--\r\n"
            guard case .bytes(let data) = form.body.source else { continue }
            comparison.add(
                testCase.name, Array(data) == Array(expected.utf8) ? nil : String(decoding: data, as: UTF8.self))
        }
        comparison.conclude()
    }

    private struct Bodies: Decodable {
        struct Case: Decodable {
            let id: String
            let boundary: String
            let body_b64: Data
            let expected: Expected
        }

        struct Part: Decodable {
            let name: String
            let file_name: String?
            let data_b64: Data
        }

        enum Expected: Decodable {
            case parts([Part])
            case fault

            init(from decoder: any Decoder) throws {
                self = (try? decoder.singleValueContainer().decode([Part].self)).map(Self.parts) ?? .fault
            }
        }

        let cases: [Case]
    }

    /// `python-multipart`'s bodies against the reader of `LupineTesting`, which judges Lupine's own forms.
    @Test func bodies() throws {
        var comparison = Comparison("multipart bodies")
        for testCase in try ConformanceCases.read("multipart/python-multipart-bodies.json", as: Bodies.self).cases {
            let found = try? ReceivedPart.parse(Array(testCase.body_b64), boundary: testCase.boundary)
            switch (testCase.expected, found) {
            case (.fault, nil): comparison.add(testCase.id, nil)
            case (.fault, let found?): comparison.add(testCase.id, "read as \(found.count) parts")
            case (.parts(let parts), nil): comparison.add(testCase.id, "refused, has \(parts.count) parts")
            case (.parts(let parts), let found?):
                let expected = parts.map { [$0.name, $0.file_name, $0.data_b64.base64EncodedString()] }
                let seen = found.map { [$0.name, $0.fileName, Data($0.body).base64EncodedString()] }
                comparison.add(testCase.id, seen == expected ? nil : "\(seen)")
            }
        }
        comparison.conclude(known: Self.known)
    }

    private static let known = [
        KnownDifference(
            "parts come as they were sent: Content-Transfer-Encoding is deprecated (RFC 7578 section 4.7), and not undone",
            ["base64_encoding", "mixed_case_headers", "mixed_plain_and_base64_encoding", "quoted_printable_encoding"]),
        KnownDifference(
            "the body's delimiters are not those of the boundary that the case states", ["single_field_blocks"]),
    ]
}
