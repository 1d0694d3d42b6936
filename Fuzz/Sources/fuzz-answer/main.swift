internal import FoundationEssentials
internal import FuzzSupport
internal import Glibc
internal import Lupine

exit(fuzz(fuzzAnswer))

// A static: a global of this file would have no value yet while the line above runs.
private enum Charsets {
    static let all = [
        "utf-8", "utf-16", "utf-32", "gb18030", "big5", "euc-jp", "shift_jis", "iso-2022-jp", "euc-kr", "windows-1252",
        "koi8-r",
    ]
}

/// An answer made of the input: its content type, and its body by each serializer. None may end the program, each fault carries
/// the bytes, and what is written again of a type, a JSON text or a property list is read alike.
private func fuzzAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let choice = input.byte()
    let field = input.text()
    // By chance alone the input would hardly ever be a property list.
    let body: [UInt8]
    switch choice >> 2 & 3 {
    case 0: body = input.xmlList()
    case 1: body = input.binaryList()
    default: body = input.remainder()
    }

    if let type = ContentType(field) {
        guard ContentType(type.description) == type else { fatalError("another type than \(type)") }
    }
    if choice & 16 != 0 { read(body, by: Charset(field)) }
    read(body, by: Charset(Charsets.all[Int(choice) % Charsets.all.count]))

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

extension Input {
    /// A property list's markup in the input's order, which need not be an order.
    mutating func xmlList() -> [UInt8] {
        let words = [
            "<dict>", "</dict>", "<key>a</key>", "<key>", "</key>", "<integer>", "</integer>", "<array>", "</array>",
            "<string>", "</string>", "<true/>", "<false></false>", "<real>", "</real>",
            "<date>2024-02-29T12:00:00Z</date>",
            "<data>AAEC</data>", "<data>", "</data>", "1", "-", "0x1f", "2.5e3", "&amp;", "&#x41;", "&x;", "<![CDATA[",
            "]]>",
            "<!-- c -->", "<?p?>", " ", "A",
        ]
        var text = "<plist>"
        for byte in remainder() { text += words[Int(byte) % words.count] }
        return Array("\(text)</plist>".utf8)
    }

    /// A binary property list of the input's objects, with a table and a trailer that are right.
    mutating func binaryList() -> [UInt8] {
        var list = Array("bplist00".utf8), table: [UInt8] = []
        let count = byte() & 15
        for _ in 0..<count {
            table += [UInt8(list.count >> 8), UInt8(list.count & 0xFF)]
            list += bytes()
        }
        let start = list.count
        list += table + [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, count] + [0, 0, 0, 0, 0, 0, 0, 0]
        return list + [0, 0, 0, 0, 0, 0, UInt8(start >> 8), UInt8(start & 0xFF)] + remainder().prefix(1)
    }
}
