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
    for _ in 0..<Int(input.byte() & 3) {
        let name = input.text(), body = Data(input.bytes(atMost: 127))
        if input.byte() & 1 == 0 {
            guard (try? form.append(data: body, name: name)) != nil else { continue }
            expected.append(Part(disposition: "form-data; name=\"\(escaped(name))\"", type: nil, body: Array(body)))
        } else {
            let fileName = input.text()
            guard (try? form.append(data: body, name: name, fileName: fileName, mimeType: "a/b")) != nil else {
                continue
            }
            expected.append(
                Part(
                    disposition: "form-data; name=\"\(escaped(name))\"; filename=\"\(escaped(fileName))\"", type: "a/b",
                    body: Array(body)))
        }
    }
    guard let url = try? HTTPURL("http://h/"), let request = try? form.serialize(HTTPRequest(method: .post, url: url))
    else {
        fatalError("the form was refused")
    }
    guard !expected.isEmpty else { return 0 }
    let bytes = wholeBody(of: request.body, pieceSize: pieceSize)
    guard request.body.length == Int64(bytes.count) else {
        fatalError("\(bytes.count) bytes, and \(String(describing: request.body.length)) were stated")
    }
    let read = parts(of: bytes, boundary: form.boundary)
    guard read == expected else { fatalError("\(read) is not \(expected)") }
    return 0
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
                let reader = try make()
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
        let line = String(decoding: rest[..<lineEnd], as: UTF8.self)
        rest = rest[min(lineEnd + 2, rest.endIndex)...]
        if line.hasPrefix("Content-Disposition: "), part.disposition == nil {
            part.disposition = String(line.dropFirst(21))
        } else if line.hasPrefix("Content-Type: "), part.type == nil {
            part.type = String(line.dropFirst(14))
        } else {
            fatalError("a field that nobody added: \(line)")
        }
    }
    return part
}
