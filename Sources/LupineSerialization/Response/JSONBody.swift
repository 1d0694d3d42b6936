internal import FoundationEssentials
internal import LupineCore

/// The JSON of one answer: how its bytes become text, and what is said when that is none.
struct JSONBody {
    let data: Data
    let response: HTTPResponse
    let request: HTTPRequest
    let convertsDeclaredCharset: Bool

    /// `nil`: there is nothing to read: no content, or white space alone.
    func text() throws(LupineError) -> JSONText? {
        if response.hasNoContent(to: request) || data.isEmpty { return nil }
        do throws(CharsetError) {
            let text = try JSONText(data, declared: convertsDeclaredCharset ? declaredCharset : nil)
            return text.isBlank ? nil : text
        } catch {
            throw fault("\(error)", error)
        }
    }

    /// `nil`: there is nothing to read.
    func value() throws(LupineError) -> JSONValue? {
        guard let text = try text() else { return nil }
        do throws(JSONParseError) {
            return try JSONValue(parsing: text.bytes)
        } catch {
            throw fault("\(error)\(remark(on: text))", error)
        }
    }

    /// What a reader of a parser's fault has to know besides.
    func remark(on text: JSONText) -> String {
        if let charset = text.convertedFrom { return ", converted from \(charset.name.quotedForMessage)" }
        return declaredCharset.map { "; its charset is stated as \($0.name.quotedForMessage)" } ?? ""
    }

    /// Other than UTF-8, which includes ASCII.
    private var declaredCharset: Charset? {
        guard let charset = response.contentType?.charset.map({ Charset($0) }), charset.encoding != .utf8 else {
            return nil
        }
        return charset.name.isEmpty ? nil : charset
    }

    private func fault(_ reason: String, _ cause: any Error) -> LupineError {
        .response(
            .responseSerializationFailed, "answered with a body that is no JSON: \(reason)", data: data,
            response: response, request: request, underlying: cause)
    }
}

extension Data {
    /// Whether there is nothing but white space of RFC 8259 section 2.
    var isJSONWhitespace: Bool { allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }
}
