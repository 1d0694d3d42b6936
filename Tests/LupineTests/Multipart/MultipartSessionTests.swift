import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Forms through a session: every face, and what becomes of them on the way.
@Suite(.timeLimit(.minutes(2)))
struct MultipartSessionTests {
    private struct Answer: Decodable, Sendable, Equatable {
        var method: String
        var bodyLength: Int
    }

    private let server: LoopbackServer
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                switch request.path {
                case "/moved": .redirect(to: "/here", status: 307)
                case "/see": .redirect(to: "/here", status: 303)
                default: .json(request.echoJSON)
                }
            })
    }

    private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> HTTPSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        change(&configuration)
        return HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
    }

    private func parts(_ index: Int = 0) throws -> [[String?]] {
        try server.requests[index].formParts().map { [$0.name, $0.fileName, $0.contentType, $0.text] }
    }

    /// Parameters come first, then the closure's parts, in each verb.
    @Test func everyVerbHasItsForm() async throws {
        let api = session()
        let parameters: Parameters = ["a": ["b": [1, 2]]]
        let fill: HTTPSessionManager.FormMaker = { form in
            try form.append(data: Data("x".utf8), name: "f", fileName: "f.png")
        }
        try await api.upload("x", parameters: parameters, multipart: fill)
        try await api.upload("x", method: .put, parameters: parameters, multipart: fill)
        try await api.post("x", parameters: parameters, headers: ["X-A": "1"], multipart: fill)
        try await api.put("x", parameters: parameters, multipart: fill)
        try await api.patch("x", parameters: parameters, multipart: fill)
        try await api.request(.delete, "x", parameters: parameters, multipart: fill)
        var methods: [HTTPMethod] = [.post, .put, .post, .put, .patch, .delete]
        let length = server.requests[0].body.count
        let decoded = [
            try await api.upload("x", parameters: parameters, as: Answer.self, multipart: fill),
            try await api.post("x", parameters: parameters, as: Answer.self, multipart: fill),
            try await api.put("x", parameters: parameters, as: Answer.self, multipart: fill),
            try await api.patch("x", parameters: parameters, as: Answer.self, multipart: fill),
        ]
        #expect(decoded.map(\.method) == ["POST", "POST", "PUT", "PATCH"])
        #expect(decoded.allSatisfy { $0.bodyLength == length })
        methods += [.post, .post, .put, .patch]
        #expect(server.requests.map(\.method) == methods)
        #expect(server.requests[2].headers["X-A"] == "1")
        for (index, request) in server.requests.enumerated() {
            #expect(
                try parts(index) == [
                    ["a[b][]", nil, nil, "1"], ["a[b][]", nil, nil, "2"], ["f", "f.png", "image/png", "x"],
                ])
            #expect(request.headers["Content-Length"] == "\(length)")
        }
        await api.invalidate()
    }

    /// AFNetworking's closures, and a task that is an upload's.
    @Test func everyVerbHasItsClosures() async throws {
        let api = session()
        let answers = Lock<[String]>([])
        let fill: HTTPSessionManager.FormMaker = { form in try form.append(text: "x", name: "f") }
        let begins: [(@escaping @Sendable (String) -> Void) -> SessionTask?] = [
            { done in api.upload("x", multipart: fill, success: { _, answer in done("\(answer.data.isEmpty)") }) },
            { done in api.upload("x", as: Answer.self, multipart: fill, success: { _, answer in done(answer.method) })
            },
            { done in api.post("x", multipart: fill, success: { _, answer in done("\(answer.data.isEmpty)") }) },
            { done in api.post("x", as: Answer.self, multipart: fill, success: { _, answer in done(answer.method) }) },
            { done in api.put("x", multipart: fill, success: { _, answer in done("\(answer.data.isEmpty)") }) },
            { done in api.put("x", as: Answer.self, multipart: fill, success: { _, answer in done(answer.method) }) },
            { done in api.patch("x", multipart: fill, success: { _, answer in done("\(answer.data.isEmpty)") }) },
            { done in api.patch("x", as: Answer.self, multipart: fill, success: { _, answer in done(answer.method) }) },
            { done in
                api.upload(
                    "x", parts: [UploadPart(text: "x", name: "f")],
                    success: { _, answer in done("\(answer.data.isEmpty)") })
            },
        ]
        for begin in begins {
            let done = Gate()
            let begun = begin { text in
                answers.withLock { $0.append(text) }
                done.open()
            }
            let task = try #require(begun)
            #expect(task.kind == .upload)
            try await done.opened()
        }
        #expect(
            answers.withLock { $0 } == ["false", "POST", "false", "POST", "false", "PUT", "false", "PATCH", "false"])
        for index in begins.indices { #expect(try parts(index) == [["f", nil, nil, "x"]]) }
        await api.invalidate()
    }

    @Test func aTaskForAFormIsNotBegun() async throws {
        let api = session()
        let made = api.uploadTask(.post, "x", multipart: { try $0.append(text: "x", name: "f") }, success: { _, _ in })
        let task = try #require(made)
        #expect(task.state == .suspended)
        #expect(api.session.uploadTasks == [task])
        #expect(try await task.result().status == 200)
        await api.invalidate()
    }

    @Test func partsAsValues() async throws {
        let api = session()
        let path = try folder.write(Array("hi".utf8), to: "note.txt")
        let parts = [UploadPart(text: "Ada", name: "who"), UploadPart(file: path, name: "note")]
        try await api.upload("x", parts: parts, parameters: ["n": 1])
        let answer = try await api.upload("x", method: .put, parts: parts, parameters: ["n": 1], as: Answer.self)
        #expect(answer == Answer(method: "PUT", bodyLength: server.requests[0].body.count))
        for index in 0..<2 {
            #expect(
                try self.parts(index) == [
                    ["n", nil, nil, "1"], ["who", nil, nil, "Ada"], ["note", "note.txt", "text/plain", "hi"],
                ])
        }
        await api.invalidate()
    }

    /// No parts at all: a plain request, as the session's serializer makes it without parameters.
    @Test func noPartsAtAllIsAPlainRequest() async throws {
        let api = session()
        try await api.upload("x", multipart: { _ in })
        try await api.upload("x", parameters: [:], multipart: { _ in })
        try await api.upload("x", parameters: nil, multipart: { _ in })
        #expect(server.requests.map(\.body) == [[], [], []])
        for request in server.requests {
            #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        }
        await api.invalidate()
    }

    @Test(arguments: [HTTPMethod.get, .head]) func getAndHeadCarryNoForm(_ method: HTTPMethod) async throws {
        let api = session()
        let fill: HTTPSessionManager.FormMaker = { form in try form.append(text: "x", name: "f") }
        let error = await #expect(throws: LupineError.self) { try await api.request(method, "x", multipart: fill) }
        #expect(error?.code == .invalidRequest)
        let told = Lock<LupineError?>(nil), done = Gate()
        let task = api.upload("x", method: method, multipart: fill, success: { _, _ in }) { task, error in
            told.withLock { $0 = task == nil ? error : nil }
            done.open()
        }
        #expect(task == nil)
        try await done.opened()
        #expect(told.withLock { $0 }?.code == .invalidRequest)
        #expect(server.requestCount == 0)
        await api.invalidate()
    }

    /// What the closure throws ends the request before it begins.
    @Test func aFormThatCannotBeFilled() async throws {
        struct Mine: Error {}
        let api = session()
        let mine = await #expect(throws: LupineError.self) {
            try await api.upload("x", multipart: { _ in throw Mine() })
        }
        #expect(mine?.code == .requestSerializationFailed)
        #expect(mine?.underlying is Mine)
        let missing = await #expect(throws: LupineError.self) {
            try await api.upload("x", multipart: { try $0.append(file: "/nowhere/to/be/found", name: "f") })
        }
        #expect(missing?.code == .uploadSourceFailed)
        let array = await #expect(throws: LupineError.self) {
            try await api.upload("x", parameters: ["a"], multipart: { _ in })
        }
        #expect(array?.code == .requestSerializationFailed)
        let url = await #expect(throws: LupineError.self) {
            try await api.upload("http://[", multipart: { _ in throw Mine() })
        }
        #expect(url?.code == .invalidURL)
        #expect(server.requestCount == 0)
        await api.invalidate()
    }

    /// A content type of the caller's gives way: without the boundary no server finds the parts.
    @Test func theContentTypeIsTheFormsOwn() async throws {
        let api = session { $0.headers["Content-Type"] = "text/default" }
        try await api.upload(
            "x", headers: ["content-type": "text/own"], multipart: { try $0.append(text: "x", name: "f") })
        #expect(server.requests[0].headers.values(for: "Content-Type").count == 1)
        #expect(try parts() == [["f", nil, nil, "x"]])
        await api.invalidate()
    }

    @Test func aBoundaryOfOnesOwn() async throws {
        let api = session()
        try await api.upload(
            "x",
            multipart: { form in
                try form.setBoundary("my own: boundary")
                try form.append(text: "x", name: "f")
            })
        #expect(server.requests[0].headers["Content-Type"] == #"multipart/form-data; boundary="my own: boundary""#)
        #expect(try parts() == [["f", nil, nil, "x"]])
        await api.invalidate()
    }

    /// B47: sent again it is whole, with the same boundary; what can be read once ends in an error that says so.
    @Test func aRedirectSendsTheFormAgain() async throws {
        let api = session()
        let path = try folder.write([UInt8](repeating: 0x61, count: 300_000), to: "f")
        try await api.upload(
            "moved",
            multipart: { form in
                try form.append(file: path, name: "f")
                try form.append(stream: { PiecesReader(["str", "eam"]) }, length: 6, name: "s", fileName: "s")
            })
        #expect(server.requests.map(\.path) == ["/moved", "/here"])
        #expect(server.requests[0].body == server.requests[1].body)
        #expect(server.requests[0].headers["Content-Type"] == server.requests[1].headers["Content-Type"])
        #expect(try parts(1).map { $0[0] } == ["f", "s"])

        let error = await #expect(throws: LupineError.self) {
            try await api.upload(
                "moved",
                multipart: { try $0.append(stream: PiecesReader(["once"]), length: 4, name: "s", fileName: "s") })
        }
        #expect(error?.code == .uploadSourceFailed)
        #expect(server.requests.map(\.path) == ["/moved", "/here", "/moved"])
        let seen = try await api.upload(
            "see", multipart: { try $0.append(stream: PiecesReader(["once"]), length: 4, name: "s", fileName: "s") })
        #expect(seen.request.method == .get)
        await api.invalidate()
    }

    /// A kept connection that died: an idempotent form goes out again, whole.
    @Test func aConnectionThatDiedSendsTheFormAgain() async throws {
        let server = try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            try connection.send(.text("\(first.path)"))
            if first.path == "/first" { _ = try connection.readRequest() }
        }
        let api = session()
        try await api.get(server.url("/first"))
        let path = try folder.write(Array("hi".utf8), to: "f")
        try await api.put(server.url("/form"), multipart: { try $0.append(file: path, name: "f") })
        let forms = server.requests.filter { $0.path == "/form" }
        #expect(forms.count == 2 && forms[0].body == forms[1].body)
        #expect(try forms[1].formParts().map(\.text) == ["hi"])
        await api.invalidate()
    }

    /// 417: again without the expectation, whole.
    @Test func anExpectationThatFailedSendsTheFormAgain() async throws {
        let server = try LoopbackServer { connection in
            while let head = try connection.readHead() {
                if head.headers.contains("Expect") {
                    try connection.send(.text("", status: 417))
                    continue
                }
                let request = try connection.readBody(of: head)
                try connection.send(.text("\(request.body.count)"))
            }
        }
        let api = session()
        let path = try folder.write([UInt8](repeating: 1, count: 200_000), to: "f")
        let answer = try await api.upload(
            server.url("/"), headers: ["Expect": "100-continue"], multipart: { try $0.append(file: path, name: "f") })
        let form = try #require(server.requests.last)
        #expect(answer.text == "\(form.body.count)")
        #expect(try form.formParts().map(\.body.count) == [200_000])
        await api.invalidate()
    }

    /// A server never gets a form that ends in order and is not what was asked for.
    @Test func aSourceThatLiesFailsTheRequest() async throws {
        let server = try LoopbackServer { connection in
            while let request = try? connection.readRequest() { try connection.send(.text("\(request.body.count)")) }
        }
        let api = session()
        let path = try folder.write([UInt8](repeating: 1, count: 1000), to: "f")
        let fills: [HTTPSessionManager.FormMaker] = [
            { try $0.append(stream: { PiecesReader(["hello"]) }, length: 6, name: "s", fileName: "s") },
            { try $0.append(stream: { PiecesReader(["hello"]) }, length: 4, name: "s", fileName: "s") },
            { form in
                try form.append(file: path, name: "f")
                try folder.write([UInt8](repeating: 2, count: 999), to: "f")
            },
        ]
        for fill in fills {
            let error = await #expect(throws: LupineError.self) {
                try await api.upload(server.url("/form"), multipart: fill)
            }
            #expect(error?.code == .uploadSourceFailed)
        }
        try await api.get(server.url("/next"))
        #expect(server.requests.map(\.path) == ["/next"])
        await api.invalidate()
    }

    /// B49, FAULT 8: the total is known from the start, progress never falls, and ends at the total, once.
    @Test(arguments: [20_000, 5 << 20]) func progressOfAForm(_ size: Int) async throws {
        let api = session()
        let path = try folder.write([UInt8](repeating: 1, count: size), to: "f")
        let seen = Lock<[TransferProgress]>([])
        try await api.upload("x", multipart: { try $0.append(file: path, name: "f") }) { progress in
            seen.withLock { $0.append(progress) }
        }
        let total = Int64(server.requests[0].body.count)
        let values = seen.withLock { $0 }
        #expect(values.allSatisfy { $0.total == total })
        #expect(values.map(\.completed) == values.map(\.completed).sorted())
        #expect(values.last?.completed == total)
        #expect(values.filter { $0.completed == total }.count == 1)
        await api.invalidate()
    }

    /// FAULT 2: AFNetworking's encoder hopped to the main thread, and two of them waited for each other there.
    @MainActor @Test func theMainThreadIsNotNeeded() throws {
        let api = session()
        let path = try folder.write([UInt8](repeating: 1, count: 3 << 20), to: "f")
        let done = DispatchSemaphore(value: 0)
        api.upload("x", multipart: { try $0.append(file: path, name: "f") }, success: { _, _ in done.signal() })
        #expect(done.wait(timeout: .now() + 30) == .success)
    }

    /// FAULT 25: a form is a value, which many may read and add to at once.
    @Test func oneFormForMany() async throws {
        let api = session()
        var form = MultipartFormData()
        try form.append(data: Data(count: 100_000), name: "d", fileName: "d")
        let original = form
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    var form = original
                    try form.append(text: "\(index)", name: "i")
                    let request = HTTPRequest(method: .post, url: try api.url("x"), options: api.configuration.options)
                    _ = try await api.session.data(for: form.serialize(request))
                }
            }
            try await group.waitForAll()
        }
        let found = try server.requests.map { try $0.formParts()[1].text }
        #expect(Set(found) == Set((0..<20).map(String.init)))
        await api.invalidate()
    }

    /// A form written to a file is the same form, and one that can be sent again.
    @Test func aFormFromAFile() async throws {
        let api = session()
        var form = MultipartFormData()
        try form.append(text: "1", name: "a")
        try form.append(stream: PiecesReader(["once"]), length: nil, name: "s", fileName: "s")
        let path = folder.file("form")
        let written = Lock<Int64>(0)
        try await form.write(to: path) { count, _ in written.withLock { $0 = count } }
        var request = try api.makeRequest(.post, "moved")
        request.headers.update(name: "Content-Type", value: form.contentType)
        request.body = try .file(path)
        _ = try await api.session.data(for: request)
        #expect(server.requests.map(\.path) == ["/moved", "/here"])
        #expect(server.requests[1].headers["Content-Length"] == "\(written.withLock { $0 })")
        #expect(try parts(1) == [["a", nil, nil, "1"], ["s", "s", "application/octet-stream", "once"]])
        await api.invalidate()
    }
}
