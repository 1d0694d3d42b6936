internal import FoundationEssentials
internal import Lupine
internal import LupineCore

/// Makes the request and the session's configuration that arguments describe.
struct RequestBuilder {
    let arguments: RequestArguments
    let input: Int32

    /// - Throws: ``LupineError`` with `invalid-url`, `invalid-request`, `upload-source-failed` or
    ///   `request-serialization-failed`.
    func request() throws(LupineError) -> HTTPRequest {
        var url = try HTTPURL(arguments.url)
        let form = arguments.form.joined(separator: "&")
        url = try url.addingQuery(arguments.query.joined(separator: "&"))
        if arguments.putsFormInURL { url = try url.addingQuery(form) }

        var request = HTTPRequest(method: HTTPMethod(rawValue: arguments.method), url: url, options: arguments.options)
        for case .set(let field) in arguments.headers { request.headers.add(name: field.name, value: field.value) }
        if !arguments.form.isEmpty, !arguments.putsFormInURL {
            request.body = .text(form)
            addContentType("application/x-www-form-urlencoded", to: &request)
        } else if let json = arguments.json {
            request.body = .bytes(Data(JSONValue(json).serializedBytes()))
            addContentType("application/json", to: &request)
        } else if !arguments.parts.isEmpty {
            request = try advising(multipartForm).serialize(request)
        } else if let data = arguments.data {
            request.body = try advising { () throws(LupineError) in try body(data) }
            if let type = arguments.contentType { addContentType(type, to: &request) }
        }
        switch arguments.credentials {
        case .basic(let pair):
            request.headers.add(.authorization("Basic \(Data(pair.utf8).base64EncodedString())"))
        case .bearer(let token): request.headers.add(.authorization(bearerToken: token))
        case nil: break
        }
        if removes("Accept-Encoding") { request.options.decodesContent = false }
        if arguments.decoding != .none || (arguments.reports && arguments.output == nil) {
            request.options.maximumBodySize = SessionConfiguration().maximumInMemoryBodySize
        }
        return request
    }

    /// The session's configuration, but for the roots.
    func configuration() -> SessionConfiguration {
        var configuration = SessionConfiguration()
        for case .remove(let name) in arguments.headers { configuration.headers.remove(name: name) }
        configuration.redirects.maximumRedirects = arguments.maximumRedirects
        if arguments.retries > 0 {
            configuration.handlers.retriers = [policy]
            configuration.maximumRetries = arguments.retries
            // One request is no storm.
            configuration.retryBudget = nil
        }
        return configuration
    }

    /// What the caller accepts is no failure.
    private var policy: RetryPolicy {
        var policy = RetryPolicy(limit: arguments.retries)
        let refused = policy.statuses.ranges.joined().filter {
            !arguments.acceptableStatuses.contains(HTTPStatus(rawValue: $0))
        }
        policy.statuses = StatusSet(refused.map { $0...$0 })
        return policy
    }

    private func addContentType(_ type: String, to request: inout HTTPRequest) {
        guard !request.headers.contains("Content-Type"), !removes("Content-Type") else { return }
        request.headers.add(name: "Content-Type", value: type)
    }

    private func removes(_ name: String) -> Bool {
        arguments.headers.contains { edit in
            if case .remove(let removed) = edit { removed.equalsIgnoringASCIICase(name) } else { false }
        }
    }

    /// A command has another way to give a stream than a program.
    private func advising<Value>(_ work: () throws(LupineError) -> Value) throws(LupineError) -> Value {
        do { return try work() } catch {
            guard error.message.hasSuffix(FileSource.advice) else { throw error }
            throw LupineError(error.code, "\(error.message.dropLast(FileSource.advice.count))@- reads standard input")
        }
    }

    private func multipartForm() throws(LupineError) -> MultipartFormData {
        var form = MultipartFormData()
        for part in arguments.parts {
            switch part.content {
            case .text(let text): try form.append(text: text, name: part.name)
            case .file(let path):
                try form.append(file: path, name: part.name, fileName: part.fileName, mimeType: part.mimeType)
            case .standardInput:
                try form.append(
                    body: .descriptor(input), name: part.name, fileName: part.fileName ?? "-", mimeType: part.mimeType)
            }
        }
        return form
    }

    private func body(_ data: RequestArguments.Data) throws(LupineError) -> HTTPBody {
        switch data {
        case .text(let text): .text(text)
        case .file(let path): try .file(path)
        case .standardInput: .descriptor(input)
        }
    }
}
