internal import Dispatch
internal import FoundationEssentials
internal import FuzzSupport
internal import Glibc
@testable internal import Lupine
@testable internal import LupineCore

exit(fuzz(fuzzMultipart))

/// Parts made of the input become a form, which is read in pieces of the input's choice; a reader that knows nothing of how it was
/// made gives the parts back, and the length is the one that was stated.
private func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let pieceSize = Int(input.byte()) + 1
    var form = MultipartFormData()
    var expected: [Part] = []
    var statesLength = true
    for _ in 0..<Int(input.byte() & 7) {
        let kind = input.byte() % 6, name = input.text(), body = input.bytes(atMost: 127)
        guard let part = try? add(kind, name, body, &input, to: &form) else { continue }
        expected.append(part)
        if kind == 3 { statesLength = false }
    }
    guard let url = try? HTTPURL("http://h/"), let request = try? form.serialize(HTTPRequest(method: .post, url: url))
    else {
        fatalError("the form was refused")
    }
    guard !expected.isEmpty else { return 0 }
    let bytes = wholeBody(of: request.body, pieceSize: pieceSize)
    guard request.body.length == (statesLength ? Int64(bytes.count) : nil) else {
        fatalError("\(bytes.count) bytes, and \(String(describing: request.body.length)) were stated")
    }
    let read = parts(of: bytes, boundary: form.boundary)
    guard read == expected else { fatalError("\(read) is not \(expected)") }
    return 0
}

/// Adds a part of one kind or another, and gives what a reader must find.
private func add(
    _ kind: UInt8, _ name: String, _ body: [UInt8], _ input: inout Input, to form: inout MultipartFormData
) throws -> Part {
    let field = "form-data; name=\"\(escaped(name))\""
    switch kind {
    case 0:
        try form.append(data: Data(body), name: name)
        return Part(disposition: field, type: nil, body: body)
    case 1:
        let fileName = input.text()
        try form.append(data: Data(body), name: name, fileName: fileName, mimeType: "a/b")
        return Part(disposition: "\(field); filename=\"\(escaped(fileName))\"", type: "a/b", body: body)
    case 2, 3:
        let fileName = input.text(), size = Int(input.byte() & 15) + 1
        try form.append(
            stream: { Pieces(bytes: body, size: size) }, length: kind == 2 ? Int64(body.count) : nil,
            name: name,
            fileName: fileName, mimeType: "a/b")
        return Part(disposition: "\(field); filename=\"\(escaped(fileName))\"", type: "a/b", body: body)
    case 4:
        let value = input.text()
        try form.append(headers: [.contentDisposition(value)], body: Data(body))
        return Part(disposition: value.trimmed, type: nil, body: body)
    default:
        let text = String(decoding: body, as: UTF8.self)
        try form.append(text: text, name: name)
        return Part(disposition: field, type: nil, body: Array(text.utf8))
    }
}

extension String {
    /// Without white space at its ends, which is no part of a field's value.
    fileprivate var trimmed: String {
        var bytes = Array(utf8)[...]
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A source that gives its bytes so many at a time.
private actor Pieces: BodyReader {
    private var rest: ArraySlice<UInt8>
    private let size: Int

    init(bytes: [UInt8], size: Int) {
        rest = bytes[...]
        self.size = size
    }

    func read(upTo count: Int) async throws -> Data? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(size) }
        return Data(rest.prefix(size))
    }
}

private struct Part: Equatable {
    var disposition: String?
    var type: String?
    var body: [UInt8]
}

/// As the HTML standard has it for names in `multipart/form-data`.
private func escaped(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": output += "%22"
        case "\r": output += "%0D"
        case "\n": output += "%0A"
        default: output.unicodeScalars.append(scalar)
        }
    }
    return output
}

private final class Result: @unchecked Sendable {
    // Safe to share: written before the semaphore is signalled, read after.
    var bytes: [UInt8] = []
}

private func wholeBody(of body: HTTPBody, pieceSize: Int) -> [UInt8] {
    switch body.source {
    case .bytes(let data): return Array(data)
    case .reader(let make):
        let result = Result(), done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let reader = try make("the form")
                while let piece = try await reader.read(upTo: pieceSize) { result.bytes += piece }
                reader.close()
            } catch {
                fatalError("the body cannot be read: \(error)")
            }
            done.signal()
        }
        done.wait()
        return result.bytes
    }
}

private func parts(of bytes: [UInt8], boundary: String) -> [Part] {
    // The first delimiter lacks the line end that the others have before them.
    let whole = Array("\r\n".utf8) + bytes, delimiter = Array("\r\n--\(boundary)".utf8)
    var pieces: [[UInt8]] = [], start = 0, index = 0
    while index + delimiter.count <= whole.count {
        if whole[index..<index + delimiter.count].elementsEqual(delimiter) {
            pieces.append(Array(whole[start..<index]))
            index += delimiter.count
            start = index
        } else {
            index += 1
        }
    }
    guard Array(whole[start...]) == Array("--\r\n".utf8), pieces.first == [] else { fatalError("the form has no end") }
    return pieces.dropFirst().map(part)
}

private func part(_ bytes: [UInt8]) -> Part {
    let end = Array("\r\n\r\n".utf8)
    guard bytes.starts(with: "\r\n".utf8),
        let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: end) })
    else { fatalError("a part has no head") }
    var part = Part(disposition: nil, type: nil, body: Array(bytes[(headEnd + 4)...]))
    var rest = bytes[2..<headEnd]
    while !rest.isEmpty {
        let lineEnd = rest.indices.first { rest[$0...].starts(with: "\r\n".utf8) } ?? rest.endIndex
        // By bytes: a mark that combines with the space before it would hide the name.
        let line = rest[..<lineEnd]
        rest = rest[min(lineEnd + 2, rest.endIndex)...]
        if let value = line.value(of: "Content-Disposition: "), part.disposition == nil {
            part.disposition = value.trimmed
        } else if let value = line.value(of: "Content-Type: "), part.type == nil {
            part.type = value
        } else {
            fatalError("a field that nobody added: \(String(decoding: line, as: UTF8.self))")
        }
    }
    return part
}

extension ArraySlice<UInt8> {
    fileprivate func value(of name: String) -> String? {
        starts(with: name.utf8) ? String(decoding: dropFirst(name.utf8.count), as: UTF8.self) : nil
    }
}
