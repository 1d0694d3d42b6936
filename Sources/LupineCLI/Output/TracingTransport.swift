internal import FoundationEssentials
internal import LupineCore
internal import LupineTransport

/// Tells every event of the exchanges it passes on, at the seam: also each sending of a request that goes out again.
final class TracingTransport: HTTPTransport {
    private let next: any HTTPTransport
    private let redaction: Redaction
    private let tell: @Sendable (String) -> Void

    init(_ next: any HTTPTransport, redaction: Redaction, tell: @escaping @Sendable (String) -> Void) {
        self.next = next
        self.redaction = redaction
        self.tell = tell
    }

    func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
        tell("* \(request.method) \(request.url.origin)")
        tell("> \(request.method) \(redaction.target(request.url.path + (request.url.query.map { "?\($0)" } ?? "")))")
        for field in request.sentHeaders { tell("> \(redaction.line(field))") }
        tell(">")
        return next.start(request, receiver: Tracer(receiver, request: request, redaction: redaction, tell: tell))
    }

    func shutdown() async { await next.shutdown() }
}

/// Sits between a transport and a receiver, on the event loop.
private final class Tracer: ExchangeReceiver {
    private let receiver: any ExchangeReceiver
    private let bodyLength: Int64?
    private let redaction: Redaction
    private let tell: @Sendable (String) -> Void
    private let counts = Lock((sent: Int64(0), received: 0))

    init(
        _ receiver: any ExchangeReceiver, request: HTTPRequest, redaction: Redaction,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.receiver = receiver
        bodyLength = request.statedBodyLength
        self.redaction = redaction
        self.tell = tell
    }

    func didSend(_ sent: Int64) {
        let isNews = counts.withLock { counts in
            defer { counts.sent = sent }
            return sent > counts.sent
        }
        if isNews { tell("* sent \(sent)\(bodyLength.map { " of \($0)" } ?? "") body bytes") }
        receiver.didSend(sent)
    }

    func didReceive(informational response: HTTPResponse) {
        tell(head: response)
        receiver.didReceive(informational: response)
    }

    func didReceive(head response: HTTPResponse) {
        tell(head: response)
        if response.encodedHeaders != nil { tell("* the body is decoded as it comes") }
        receiver.didReceive(head: response)
    }

    private func tell(head: HTTPResponse) {
        tell("< \(head.statusLine)")
        for field in head.receivedHeaders { tell("< \(redaction.line(field))") }
        tell("<")
    }

    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow {
        let flow = receiver.didReceive(body: bytes)
        let total = counts.withLock { counts in
            counts.received += bytes.count
            return counts.received
        }
        tell("* received \(bytes.count) body bytes, \(total) in all\(flow == .pause ? "; waiting for the reader" : "")")
        return flow
    }

    func didReceive(trailers: HTTPHeaders) {
        for field in trailers { tell("< \(redaction.line(field))") }
        receiver.didReceive(trailers: trailers)
    }

    func didFinish(_ completion: ExchangeCompletion) {
        let metrics = completion.metrics
        let peer = metrics.remoteAddress.map { "\($0)\(metrics.isReusedConnection ? ", a kept connection" : "")" }
        tell(
            "* \(completion.error.map { "failed: \($0)" } ?? "done") (\(peer ?? "no connection"); "
                + "name \(metrics.nameLookup.inMilliseconds), connect \(metrics.connect.inMilliseconds), "
                + "TLS \(metrics.tls.inMilliseconds), first byte \(metrics.firstByte.inMilliseconds), "
                + "total \(metrics.total.inMilliseconds); \(metrics.sentBytes) bytes up, \(metrics.receivedBytes) down)"
        )
        receiver.didFinish(completion)
    }
}

extension HTTPResponse {
    /// `HTTP/1.1 200 OK`.
    var statusLine: String { "HTTP/\(version) \(status)\(reason.isEmpty ? "" : " \(reason)")" }
}

extension HTTPRequest {
    /// The fields as the transport sends them, those of connection and framing aside.
    var sentHeaders: HTTPHeaders {
        var headers = headers
        if options.decodesContent, !headers.contains("Accept-Encoding") {
            headers.add(name: "Accept-Encoding", value: CurlTransport.acceptedCodings)
        }
        return headers
    }
}

extension Duration {
    /// `12.3 ms`.
    fileprivate var inMilliseconds: String {
        let tenths = Int64((seconds * 10_000).rounded())
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
