import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// What AFNetworking's own tests of `AFHTTPSessionManager` assert, each under its name there, and the rows on base URLs.
@Suite(.timeLimit(.minutes(1)))
struct HTTPSessionManagerTests {
    private let server: LoopbackServer
    private let api: HTTPSessionManager

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                let parts = request.path.split(separator: "/").map(String.init)
                switch parts.first {
                case "status": return LoopbackResponse(status: HTTPStatus(rawValue: Int(parts[1]) ?? 0))
                case "redirect": return .redirect(to: "/get")
                case "image": return .bytes([UInt8](repeating: 7, count: 3_000_000), type: "image/png")
                case "hidden-basic-auth":
                    let isRight = request.headers["Authorization"] == "Basic dXNlcjpwYXNzd29yZA=="
                    return isRight ? .json(#"{"authenticated": true}"#) : .text("", status: 404)
                default: return .json(request.echoJSON)
                }
            })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
    }

    /// What one of the two closures was called with, once.
    private func outcome(
        _ begin: (
            _ success: @escaping @Sendable (SessionTask, DataResponse) -> Void,
            _ failure: @escaping @Sendable (SessionTask?, LupineError) -> Void
        ) -> SessionTask?
    ) async throws -> (task: SessionTask?, told: SessionTask?, result: Result<DataResponse, LupineError>) {
        let seen = Lock<[(SessionTask?, Result<DataResponse, LupineError>)]>([])
        let done = Gate()
        let task = begin(
            { task, answer in
                seen.withLock { $0.append((task, .success(answer))) }
                done.open()
            },
            { task, error in
                seen.withLock { $0.append((task, .failure(error))) }
                done.open()
            })
        try await done.opened()
        api.configuration.callbackQueue.sync {}
        let calls = seen.withLock { $0 }
        #expect(calls.count == 1)
        let call = try #require(calls.first)
        return (task, call.0, call.1)
    }

    private func echo(_ result: Result<DataResponse, LupineError>) throws -> JSONValue {
        try JSONValue(parsing: result.get().data)
    }

    @Test func sharedManagerIsNotEqualToInitedManager() {
        #expect(HTTPSessionManager.shared === HTTPSessionManager.shared)
        #expect(HTTPSessionManager.shared !== HTTPSessionManager())
        #expect(HTTPSessionManager.shared.baseURL == nil)
    }

    @Test func thatOperationInvokesCompletionHandlerWithResponseObjectOnSuccess() async throws {
        let (task, told, result) = try await outcome { api.get("get", success: $0, failure: $1) }
        #expect(try echo(result)["method"] == "GET")
        #expect(task != nil && task == told)
        #expect(task?.state == .completed)
    }

    @Test func thatOperationInvokesFailureCompletionBlockWithErrorOnFailure() async throws {
        let (task, told, result) = try await outcome { api.get("status/404", success: $0, failure: $1) }
        #expect(throws: LupineError.self) { try result.get() }
        #expect(told == task)
    }

    @Test func thatRedirectBlockIsCalledWhen302IsEncountered() async throws {
        let statuses = Lock<[HTTPStatus]>([])
        let copy = api.copy { configuration in
            var handlers = TaskHandlers()
            handlers.redirect = { _, response, next in
                statuses.withLock { $0.append(response.status) }
                return next
            }
            configuration.handlers = handlers
        }
        #expect(try await copy.get("redirect/1").request.url.path == "/get")
        #expect(statuses.withLock { $0 } == [302])
    }

    @Test func thatSerializationErrorGeneratesErrorAndNullTaskForGET() async throws {
        struct Failing: RequestSerializer {
            func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
                throw LupineError(.requestSerializationFailed, "no such parameter")
            }
        }
        let (task, told, result) = try await outcome { success, failure in
            api.dataTask(
                .get, "get", parameters: ["a": 1], serializer: Failing(), success: success, failure: failure)
        }
        #expect(task == nil && told == nil)
        guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
        #expect(error.code == .requestSerializationFailed)
        #expect(server.requestCount == 0)
    }

    @Test func settingHTTPHeadersPerRequestCanReplaceTheDefaultValue() async throws {
        let copy = api.copy {
            $0.headers["X-Foo"] = "default"
            $0.headers["X-Bar"] = "default"
        }
        _ = try await copy.get("get", headers: ["x-foo": "mine"])
        let request = try #require(server.requests.first)
        #expect(request.headers.values(for: "X-Foo") == ["mine"])
        #expect(request.headers.values(for: "X-Bar") == ["default"])
    }

    @Test func canBeCopied() async throws {
        let api = HTTPSessionManager(
            baseURL: "http://example.test/v1", requestSerializer: JSONRequestSerializer(), acceptableStatuses: nil)
        let copy = api.copy()
        #expect(copy !== api && copy.session !== api.session)
        #expect(copy.baseURL == api.baseURL)
        #expect(copy.requestSerializer is JSONRequestSerializer)
        #expect(copy.acceptableStatuses == nil)
        // One whose session has ended is a start for another: AFNetworking's reset.
        await api.invalidate()
        #expect(copy.session.tasks.isEmpty)
    }

    @Test func downloadProgressIsReportedForGET() async throws {
        let values = Lock<[Double]>([])
        let (_, _, result) = try await outcome { success, failure in
            api.get(
                "image", progress: { progress in values.withLock { $0.append(progress.fractionCompleted ?? -1) } },
                success: success, failure: failure)
        }
        #expect(try result.get().data.count == 3_000_000)
        let seen = values.withLock { $0 }
        #expect(seen.last == 1)
        #expect(seen == seen.sorted() && seen.allSatisfy { $0 >= 0 })
        #expect(seen.filter { $0 == 1 }.count == 1)
    }

    @Test func uploadProgressIsReportedForPOST() async throws {
        let values = Lock<[Double]>([])
        let text = String(repeating: "x", count: 20_000)
        let (_, _, result) = try await outcome { success, failure in
            api.post(
                "post", parameters: ["text": JSONValue(text)],
                progress: { progress in values.withLock { $0.append(progress.fractionCompleted ?? -1) } },
                success: success, failure: failure)
        }
        #expect(try echo(result)["body"] == JSONValue("text=\(text)"))
        #expect(values.withLock { $0 }.last == 1)
    }

    /// AFNetworking's is a form of 20 kB.
    @Test func uploadProgressIsReportedForAForm() async throws {
        let values = Lock<[Double]>([])
        let (_, _, result) = try await outcome { success, failure in
            api.post(
                "post",
                multipart: { form in
                    try form.append(
                        data: Data(count: 20_000), name: "DataName", fileName: "DataFileName", mimeType: "data")
                },
                progress: { progress in values.withLock { $0.append(progress.fractionCompleted ?? -1) } },
                success: success, failure: failure)
        }
        #expect(try result.get().status == 200)
        let seen = values.withLock { $0 }
        #expect(seen.last == 1 && seen == seen.sorted())
    }

    @Test func uploadProgressIsReportedForStreamingPost() async throws {
        let values = Lock<[TransferProgress]>([])
        let answer = try await api.post(
            "post",
            body: .stream(length: 20_000) {
                PiecesReader(Array(repeating: String(repeating: "x", count: 2000), count: 10))
            }
        ) { progress in values.withLock { $0.append(progress) } }
        #expect(try JSONValue(parsing: answer.data)["bodyLength"] == 20_000)
        #expect(values.withLock { $0 }.last == TransferProgress(completed: 20_000, total: 20_000))
    }

    @Test func thatSuccessBlockIsCalledFor200() async throws {
        let (_, _, result) = try await outcome { api.get("status/200", success: $0, failure: $1) }
        #expect(try result.get().status == 200)
    }

    @Test func thatFailureBlockIsCalledFor404() async throws {
        let (_, _, result) = try await outcome { api.get("status/404", success: $0, failure: $1) }
        guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
        #expect(error.code == .unacceptableStatus)
        #expect(error.response?.status == 404)
    }

    @Test func thatResponseObjectIsEmptyFor204() async throws {
        let (_, _, result) = try await outcome { api.get("status/204", success: $0, failure: $1) }
        #expect(try result.get().data.isEmpty)
    }

    @Test func get() async throws {
        let (_, _, result) = try await outcome {
            api.get("get", parameters: ["key": "value"], success: $0, failure: $1)
        }
        #expect(try echo(result)["target"] == "/get?key=value")
    }

    @Test func head() async throws {
        let (task, told, result) = try await outcome { api.head("get", success: $0, failure: $1) }
        #expect(task == told)
        #expect(try result.get().data.isEmpty)
        #expect(server.requests.map(\.method) == [.head])
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func bodyVerbs(_ method: String) async throws {
        let parameters: Parameters = ["key": "value"], headers: HTTPHeaders = ["field": "value"]
        let (_, _, result) = try await outcome { success, failure in
            switch method {
            case "POST": api.post("x", parameters: parameters, headers: headers, success: success, failure: failure)
            case "PUT": api.put("x", parameters: parameters, headers: headers, success: success, failure: failure)
            default: api.patch("x", parameters: parameters, headers: headers, success: success, failure: failure)
            }
        }
        let seen = try echo(result)
        #expect(seen["method"] == JSONValue(method))
        #expect(seen["body"] == "key=value")
        #expect(server.requests.first?.headers["field"] == "value")
        #expect(server.requests.first?.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func postWithConstructingBody() async throws {
        let (task, _, result) = try await outcome { success, failure in
            api.post(
                "post", parameters: ["key": "value"], headers: ["field": "value"],
                multipart: { form in
                    try form.append(
                        data: Data("Data".utf8), name: "DataName", fileName: "DataFileName", mimeType: "data")
                }, success: success, failure: failure)
        }
        #expect(try echo(result)["method"] == "POST")
        #expect(task?.kind == .upload)
        let request = try #require(server.requests.first)
        #expect(request.headers["field"] == "value")
        #expect(
            try request.formParts().map { [$0.name, $0.fileName, $0.contentType, $0.text] } == [
                ["key", nil, nil, "value"], ["DataName", "DataFileName", "data", "Data"],
            ])
    }

    @Test func delete() async throws {
        let (_, _, result) = try await outcome {
            api.delete("delete", parameters: ["key": "value"], headers: ["field": "value"], success: $0, failure: $1)
        }
        let seen = try echo(result)
        #expect(seen["method"] == "DELETE" && seen["target"] == "/delete?key=value" && seen["bodyLength"] == 0)
        #expect(server.requests.first?.headers["field"] == "value")
    }

    @Test func hiddenBasicAuthentication() async throws {
        let (_, _, result) = try await outcome {
            api.get(
                "hidden-basic-auth/user/password", headers: ["Authorization": "Basic dXNlcjpwYXNzd29yZA=="],
                success: $0,
                failure: $1)
        }
        #expect(try JSONValue(parsing: result.get().data)["authenticated"] == true)
    }

    // MARK: Rows

    /// `dataTaskWithHTTPMethod:` makes a task of any method, and does not begin it.
    @Test func aDataTaskOfAnyMethodIsNotBegun() async throws {
        let seen = Lock<String?>(nil), done = Gate()
        let made = api.dataTask(
            "BREW", "pot",
            success: { _, answer in
                seen.withLock { $0 = answer.text }
                done.open()
            })
        let task = try #require(made)
        #expect(task.state == .suspended)
        #expect(api.session.tasks == [task])
        task.resume()
        try await done.opened()
        #expect(seen.withLock { $0 }?.contains(#""method": "BREW""#) == true)
    }

    /// `baseURL`: a path gets a `/` at its end, a bare host stays as it is; strings are resolved against it.
    @Test(arguments: [
        ("http://example.test/v1/", "foo", "http://example.test/v1/foo"),
        ("http://example.test/v1", "foo", "http://example.test/v1/foo"),
        ("http://example.test/v1/", "foo?bar=baz", "http://example.test/v1/foo?bar=baz"),
        ("http://example.test/v1/", "/foo", "http://example.test/foo"),
        ("http://example.test/v1/", "foo/", "http://example.test/v1/foo/"),
        ("http://example.test/v1/", "/foo/", "http://example.test/foo/"),
        ("http://example.test/v1/", "http://other.test/x", "http://other.test/x"),
        ("http://example.test", "foo", "http://example.test/foo"),
        ("http://example.test", "", "http://example.test/"),
        ("http://example.test/v1/", "", "http://example.test/v1/"),
        (
            "http://example.test/v1/", "2017/07/24/iOS核心动画/",
            "http://example.test/v1/2017/07/24/iOS%E6%A0%B8%E5%BF%83%E5%8A%A8%E7%94%BB/"
        ),
        ("http://example.test/v1/", "a b/ü?q=1 2", "http://example.test/v1/a%20b/%C3%BC?q=1%202"),
        ("http://example.test/v1/", "//other.test/x", "http://other.test/x"),
        ("http://example.test/v1/?key=1", "foo", "http://example.test/v1/foo"),
        ("http://example.test/v1?key=/", "foo", "http://example.test/v1/foo"),
        ("http://example.test/v1?key=1#f", "", "http://example.test/v1/?key=1"),
    ])
    func relativeURLs(base: String, text: String, expected: String) throws {
        #expect(try HTTPSessionManager(baseURL: base).url(text).string == expected)
    }

    /// The base URL's credentials are those of relative URLs, also where its path was given a `/` (RFC 3986 section 5.2.2).
    @Test(arguments: [
        "http://ada:pw@example.test", "http://ada:pw@example.test/v1", "http://ada:pw@example.test/v1/?a#f",
    ])
    func credentialsOfTheBaseURL(_ base: String) throws {
        let api = HTTPSessionManager(baseURL: base)
        for text in ["foo", "/foo", "", "?a"] { #expect(try api.url(text).userinfo?.password == "pw") }
        for text in ["//example.test/foo", "http://example.test/foo"] { #expect(try api.url(text).userinfo == nil) }
    }

    /// FAULT 17: what is no URL is an error with a code, in each form, and never a trap.
    @Test(arguments: ["http://[", "http://", "http://h:99999/", "ftp://h/", "http://h/\u{7}", "mailto:a@b"])
    func whatIsNoURLIsInvalid(_ text: String) async throws {
        let error = await #expect(throws: LupineError.self) { try await api.get(text) }
        #expect(error?.code == .invalidURL)
        let (task, told, result) = try await outcome { api.post(text, success: $0, failure: $1) }
        #expect(task == nil && told == nil)
        guard case .failure(let failure) = result else { return #expect(Bool(false), "a success") }
        #expect(failure.code == .invalidURL)
        let broken = HTTPSessionManager(baseURL: text)
        let second = await #expect(throws: LupineError.self) { try await broken.get("x") }
        #expect(second?.code == .invalidURL)
    }

    /// A relative URL without a base is none.
    @Test func aRelativeURLNeedsABase() async throws {
        let error = await #expect(throws: LupineError.self) { try await HTTPSessionManager().get("foo") }
        #expect(error?.code == .invalidURL)
    }

    @Test func theDescriptionHasTheBaseURL() {
        let text = "\(HTTPSessionManager(baseURL: "http://ada:hunter2@example.test/v1/"))"
        #expect(text.contains("HTTPSessionManager") && text.contains("http://example.test/v1/"))
        #expect(!text.contains("hunter2"))
        #expect("\(URLSessionManager.direct())".contains("URLSessionManager"))
    }

    /// The completion queue is the main one, unless told otherwise.
    @Test func theCallbackQueueIsTheMainOneByDefault() {
        #expect(SessionConfiguration().callbackQueue.label == DispatchQueue.main.label)
        #expect(SessionConfiguration().callbackGroup == nil)
    }
}
