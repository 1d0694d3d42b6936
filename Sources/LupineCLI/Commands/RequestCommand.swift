internal import Dispatch
internal import FoundationEssentials
internal import Lupine
internal import LupineCore

/// `lupine get URL` and its like: one request; what comes back goes to the standard output, a file or a report.
struct RequestCommand {
    let arguments: RequestArguments
    let console: Console
    private let redaction: Redaction
    private var report: Report
    private var output: OutputFile?

    init(_ arguments: RequestArguments, console: Console) {
        self.arguments = arguments
        self.console = console
        redaction = Redaction(showsSecrets: arguments.showsSecrets)
        report = Report(method: arguments.method, requestURL: Redaction.unreadable(url: arguments.url))
    }

    /// - Returns: the exit status.
    /// - Throws: ``Console/OutputClosed``.
    mutating func run() async throws -> Int32 {
        let trace = TraceLog(console)
        do {
            try await perform(trace)
        } catch let error as LupineError {
            report.error = error
            report.response = report.response ?? error.response
            report.metrics = report.metrics ?? error.metrics
            if report.redirects.isEmpty { report.redirects = error.redirects.map(\.description) }
        }
        await trace.drain()
        do { try conclude() } catch { report.error = report.error ?? error }
        if arguments.reports { try await console.write(report.json(redaction).serialized() + "\n") }
        guard let error = report.error else { return ExitStatus.success }
        console.complain("lupine: \(error)")
        return ExitStatus.of(error)
    }

    private mutating func perform(_ trace: TraceLog) async throws {
        let builder = RequestBuilder(arguments: arguments, input: console.input)
        let request = try builder.request()
        report.requestURL = request.url.description
        report.requestHeaders = request.headers
        if let path = arguments.output { output = try OutputFile(path) }
        let roots = try arguments.rootsFile.map(RootsFile.init)
        var configuration = builder.configuration()
        if arguments.printsCurl { return try await printCurl(configuration.completed(request)) }
        let cookies = try arguments.cookieFile.map(CookieFile.init)
        configuration.cookieStorage = cookies?.storage
        if let roots { configuration.transport.certificateAuthorities = .file(roots.path) }
        var transport: any HTTPTransport = CurlTransport(
            configuration: configuration.transport, eventLoop: configuration.eventLoop)
        if arguments.isVerbose { transport = TracingTransport(transport, redaction: redaction, tell: trace.tell) }
        let session = URLSessionManager(configuration: configuration, transport: transport)
        report.requestHeaders = session.configuration.completed(request).sentHeaders
        // The roots are read with each connection.
        defer { withExtendedLifetime(roots) {} }
        do {
            if arguments.retries > 0 {
                try await receiveWhole(session, request, trace)
            } else {
                try await receive(session, request)
            }
        } catch {
            // What was set before a failure is kept too; the failure is what is told.
            try? cookies?.save()
            throw error
        }
        try cookies?.save()
    }

    /// What curl would have to be told. Nothing is sent.
    private func printCurl(_ request: HTTPRequest) async throws {
        console.complain("lupine: the command holds secrets, if the request does")
        try await console.write(CurlCommand(request, arguments).text + "\n")
    }

    /// What is kept of a body that is passed on, for messages.
    private static let excerptSize = 1000

    private mutating func receive(_ session: URLSessionManager, _ request: HTTPRequest) async throws {
        let answer = try await session.stream(for: request)
        report.attempts = answer.sendings
        try await begin(answer.response, to: answer.request, answer.redirects)
        let collects = arguments.decoding != .none || reportsBody
        var kept = Data()
        if reportsBody { report.body = Data() }
        for try await piece in answer.body {
            report.bodyBytes += Int64(piece.count)
            if collects {
                kept.append(piece)
                if report.body != nil { report.body?.append(piece) }
            } else {
                if kept.count < Self.excerptSize { kept.append(piece.prefix(Self.excerptSize - kept.count)) }
                try await deliver(piece)
            }
        }
        report.metrics = answer.body.metrics
        try await decode(kept, answer.response, to: answer.request, isHeld: collects)
    }

    /// Whether the body goes into the report.
    private var reportsBody: Bool { arguments.reports && output == nil }

    /// The same with further tries, so that nothing is passed on before it is whole.
    private mutating func receiveWhole(
        _ session: URLSessionManager, _ request: HTTPRequest, _ trace: TraceLog
    ) async throws {
        let tries = Lock(1), isVerbose = arguments.isVerbose
        let handlers = TaskHandlers { _, event in
            guard case .retrying(let error, let delay) = event else { return }
            tries.withLock { $0 += 1 }
            if isVerbose { trace.tell("* \(error); again in \(delay.shortText)") }
        }
        let answer: DataResponse
        do {
            answer = try await session.data(for: request, handlers: handlers)
        } catch {
            await drain(session)
            report.attempts = tries.withLock(\.self)
            if let data = error.data {
                report.bodyBytes = Int64(data.count)
                if reportsBody { report.body = data }
            }
            throw error
        }
        report.attempts = answer.sendings
        report.metrics = answer.metrics
        try await begin(answer.response, to: answer.request, answer.redirects)
        report.bodyBytes = Int64(answer.data.count)
        if reportsBody { report.body = answer.data }
        let decodes = arguments.decoding != .none
        if !decodes { try await deliver(answer.data) }
        try await decode(answer.data, answer.response, to: answer.request, isHeld: decodes)
    }

    /// Waits until handlers have been told all.
    private func drain(_ session: URLSessionManager) async {
        await withCheckedContinuation { continuation in
            session.configuration.eventQueue.async { continuation.resume() }
        }
    }

    /// The head has come.
    private mutating func begin(_ response: HTTPResponse, to request: HTTPRequest, _ redirects: [HTTPURL]) async throws
    {
        report.response = response
        report.redirects = redirects.map(\.description)
        report.requestHeaders = request.sentHeaders
        if arguments.includesHead, !arguments.reports { try await console.write(head(response)) }
    }

    /// ``decode(_:_:to:)``, and what was held is passed on where the status is not acceptable.
    private mutating func decode(
        _ body: Data, _ response: HTTPResponse, to request: HTTPRequest, isHeld: Bool
    ) async throws {
        do {
            try await decode(body, response, to: request)
        } catch let error as LupineError where error.code == .unacceptableStatus {
            if isHeld { try await deliver(body) }
            throw error
        }
    }

    /// Checks the answer and, where asked, runs the serializer, whose value goes where the body would.
    private mutating func decode(_ body: Data, _ response: HTTPResponse, to request: HTTPRequest) async throws {
        let statuses = arguments.acceptableStatuses, types = arguments.acceptableTypes
        switch arguments.decoding {
        case .none:
            try HTTPResponseSerializer(acceptableStatuses: statuses, acceptableContentTypes: types)
                .validate(body, response: response, request: request)
        case .json:
            try await deliver(
                JSONResponseSerializer(acceptableStatuses: statuses, acceptableContentTypes: types)
                    .serialize(body, response: response, request: request))
        case .plist:
            let list = try PropertyListResponseSerializer(
                PropertyListValue?.self, acceptableStatuses: statuses, acceptableContentTypes: types
            ).serialize(body, response: response, request: request)
            try await deliver(list.map { JSONValue($0) } ?? .null)
        case .text:
            let text = try StringResponseSerializer(acceptableStatuses: statuses, acceptableContentTypes: types)
                .serialize(body, response: response, request: request)
            try await deliver(Data(text.utf8))
        }
    }

    private mutating func deliver(_ value: JSONValue) async throws {
        report.decoded = value
        try await deliver(Data(value.serialized(options: .prettyPrinted).utf8) + Data("\n".utf8))
    }

    private func deliver(_ data: Data) async throws {
        if let output {
            try await output.write(data)
        } else if !arguments.reports {
            try await console.write(data)
        }
    }

    /// A body that came whole gets its file, also one of an unacceptable status.
    private mutating func conclude() throws(LupineError) {
        guard let output else { return }
        switch report.error?.code {
        case nil, .unacceptableStatus?:
            try output.commit()
            report.file = output.path
        default: output.discard()
        }
    }

    private func head(_ response: HTTPResponse) -> String {
        var text = "\(response.statusLine)\r\n"
        for field in response.receivedHeaders { text += "\(field.name): \(field.value)\r\n" }
        return text + "\r\n"
    }
}
