internal import FoundationEssentials
internal import FuzzSupport
internal import Glibc
internal import Lupine

exit(fuzz(fuzzAnswer))

private let charsets = [
    "utf-8", "utf-16", "utf-32", "gb18030", "big5", "euc-jp", "shift_jis", "iso-2022-jp", "euc-kr", "windows-1252",
    "koi8-r",
]

/// An answer made of the input: its content type, and its body by each serializer. None may end the program, each fault carries
/// the bytes, and what is written again of a type, a JSON text or a property list is read alike.
private func fuzzAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let choice = input.byte()
    let field = input.text()
    let body = input.remainder()

    if let type = ContentType(field) {
        guard ContentType(type.description) == type else { fatalError("another type than \(type)") }
    }
    if !field.isEmpty { read(body, by: Charset(field)) }
    read(body, by: Charset(charsets[Int(choice) % charsets.count]))

    guard let url = try? HTTPURL("http://h/") else { fatalError("no URL") }
    var response = HTTPResponse(status: choice & 1 == 0 ? 200 : 404)
    response.headers.add(name: "Content-Type", value: field)
    let answer = Answer(data: Data(body), response: response, request: HTTPRequest(url: url))
    var json = JSONResponseSerializer(acceptableContentTypes: nil)
    json.convertsDeclaredCharset = choice & 2 != 0
    if let value = answer.value(by: json), value != .null {
        guard (try? JSONValue(parsing: value.serialized())) == value else { fatalError("another text than \(value)") }
    }
    _ = answer.value(by: StringResponseSerializer())
    if let list = answer.value(by: PropertyListResponseSerializer(acceptableContentTypes: nil)) {
        _ = JSONValue(list)
    }
    _ = answer.value(by: PropertyListResponseSerializer([String: [Double]].self, acceptableContentTypes: nil))
    return 0
}

private func read(_ body: [UInt8], by charset: Charset) {
    do {
        _ = try charset.decode(body)
    } catch {
        guard let offset = error.offset else { return }
        guard (0..<body.count).contains(offset) else { fatalError("\(error) of \(body.count) bytes") }
    }
}

private struct Answer {
    let data: Data
    let response: HTTPResponse
    let request: HTTPRequest

    func value<Serializer: ResponseSerializer>(by serializer: Serializer) -> Serializer.Value? {
        do {
            return try serializer.serialize(data, response: response, request: request)
        } catch {
            guard error.data == data, error.response == response, error.message.count < 1000 else {
                fatalError("a fault without the answer: \(error)")
            }
            return nil
        }
    }
}
