internal import LupineCore

extension LoopbackServer {
    /// A script that answers every request over kept connections. See ``LoopbackConnection/serve(_:)``.
    public static func serving(
        _ respond: @escaping @Sendable (RecordedRequest) throws -> LoopbackResponse
    ) -> Handler {
        { connection in try connection.serve(respond) }
    }

    /// A script that answers from a table; 404 for what is not in it.
    ///
    /// - Parameter table: by path, `"/users"`, or by method and path, `"POST /users"`, which goes first.
    public static func routes(_ table: [String: LoopbackResponse]) -> Handler {
        serving { request in
            table["\(request.method) \(request.path)"] ?? table[request.path]
                ?? .text("no route for \(request.method) \(request.path)\n", status: 404)
        }
    }

    /// A script that answers each request with a JSON account of it: `method`, `target`, `headers` (an array of pairs, in
    /// order), `bodyLength`, and `body`: its text, `null` when it is not UTF-8.
    public static let echo: Handler = serving { .json($0.echoJSON) }
}

extension RecordedRequest {
    /// What ``LoopbackServer/echo`` answers.
    public var echoJSON: String {
        let fields = headers.map { "[\($0.name.jsonQuoted), \($0.value.jsonQuoted)]" }.joined(separator: ", ")
        let body = String(validating: self.body, as: UTF8.self)?.jsonQuoted ?? "null"
        return """
            {"method": \(method.rawValue.jsonQuoted), "target": \(target.jsonQuoted), "headers": [\(fields)], \
            "bodyLength": \(self.body.count), "body": \(body)}

            """
    }
}

extension String {
    /// A JSON string (RFC 8259 section 7).
    var jsonQuoted: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
