internal import FoundationEssentials
internal import Lupine

/// The one JSON object that `--report` prints instead of the body.
struct Report {
    var method: String
    /// The URL asked for, without credentials.
    var requestURL: String
    var requestHeaders = HTTPHeaders()
    var response: HTTPResponse?
    /// The body as far as it came; `nil` when it went to a file, or nothing came.
    var body: Data?
    var bodyBytes: Int64 = 0
    var decoded: JSONValue?
    var file: String?
    var metrics: TransferMetrics?
    var attempts = 1
    /// The URLs left behind, without credentials.
    var redirects: [String] = []
    var error: LupineError?

    func json(_ redaction: Redaction) -> JSONValue {
        let text = body.flatMap { String(validating: $0, as: UTF8.self) }
        return [
            "ok": JSONValue(error == nil),
            "error": error.map { ["code": JSONValue($0.code.rawValue), "message": JSONValue($0.message)] } ?? nil,
            "attempts": JSONValue(attempts),
            "request": [
                "method": JSONValue(method), "url": JSONValue(redaction.target(requestURL)),
                "headers": Self.pairs(requestHeaders, value: redaction.value(of:)),
            ],
            "url": JSONValue(redaction.target(response?.url?.description ?? requestURL)),
            "redirects": JSONValue(redirects.map { JSONValue(redaction.target($0)) }),
            "status": response.map { JSONValue($0.status.rawValue) } ?? nil,
            "http_version": response.map { JSONValue($0.version.description) } ?? nil,
            "headers": Self.pairs(response?.receivedHeaders ?? [:], value: \.value),
            "body": text.map { JSONValue($0) } ?? nil,
            "body_base64": text == nil ? body.map { JSONValue($0.base64EncodedString()) } ?? nil : nil,
            "body_bytes": JSONValue(bodyBytes),
            "decoded": decoded ?? nil,
            "file": file.map { JSONValue($0) } ?? nil,
            "metrics": metrics.map(Self.json) ?? nil,
        ]
    }

    private static func pairs(_ headers: HTTPHeaders, value: (HTTPHeader) -> String) -> JSONValue {
        JSONValue(headers.map { [JSONValue($0.name), JSONValue(value($0))] })
    }

    private static func json(_ metrics: TransferMetrics) -> JSONValue {
        [
            "name_lookup_s": metrics.nameLookup.json,
            "connect_s": metrics.connect.json,
            "tls_s": metrics.tls.json,
            "first_byte_s": metrics.firstByte.json,
            "total_s": metrics.total.json,
            "sent_bytes": JSONValue(metrics.sentBytes),
            "received_bytes": JSONValue(metrics.receivedBytes),
            "reused_connection": JSONValue(metrics.isReusedConnection),
            "remote_address": metrics.remoteAddress.map { JSONValue($0.description) } ?? nil,
        ]
    }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds / 1_000_000_000_000) / 1_000_000
    }

    fileprivate var json: JSONValue { JSONNumber(seconds).map(JSONValue.number) ?? .null }
}
