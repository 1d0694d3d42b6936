import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Serializers for a form and for its answer, given with the call.
@Suite(.timeLimit(.minutes(1)))
struct MultipartSerializerTests {
    private let server: LoopbackServer
    private let api: HTTPSessionManager

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                // "中文" in GBK, and the method.
                let text = [0xD6, 0xD0, 0xCE, 0xC4] + Array(" \(request.method)".utf8)
                return .bytes(text, type: "text/plain; charset=gb2312")
            })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
    }

    private let fill: HTTPSessionManager.FormMaker = { form in try form.append(text: "x", name: "f") }

    private func parts(_ index: Int = 0) throws -> [[String?]] {
        try server.requests[index].formParts().map { [$0.name, $0.text] }
    }

    @Test func asyncVerbs() async throws {
        let text = StringResponseSerializer(), parts = [UploadPart(text: "x", name: "f")]
        let answers = [
            try await api.request(.delete, "x", responseSerializer: text, multipart: fill),
            try await api.upload("x", responseSerializer: text, multipart: fill),
            try await api.post("x", responseSerializer: text, multipart: fill),
            try await api.put("x", responseSerializer: text, multipart: fill),
            try await api.patch("x", responseSerializer: text, multipart: fill),
            try await api.upload("x", method: .put, parts: parts, responseSerializer: text),
        ]
        #expect(answers == ["DELETE", "POST", "POST", "PUT", "PATCH", "PUT"].map { "中文 \($0)" })
        for index in answers.indices { #expect(try self.parts(index) == [["f", "x"]]) }
        await api.invalidate()
    }

    @Test func closures() async throws {
        let text = StringResponseSerializer(), fill = fill
        let begins: [(@escaping @Sendable (SessionTask, String) -> Void) -> SessionTask?] = [
            { api.upload("x", responseSerializer: text, multipart: fill, success: $0) },
            { api.post("x", responseSerializer: text, multipart: fill, success: $0) },
            { api.put("x", responseSerializer: text, multipart: fill, success: $0) },
            { api.patch("x", responseSerializer: text, multipart: fill, success: $0) },
            { api.upload("x", parts: [UploadPart(text: "x", name: "f")], responseSerializer: text, success: $0) },
        ]
        for (begin, method) in zip(begins, ["POST", "POST", "PUT", "PATCH", "POST"]) {
            let told = Lock(""), done = Gate()
            let task = begin { _, text in
                told.withLock { $0 = text }
                done.open()
            }
            #expect(task?.kind == .upload)
            try await done.opened()
            #expect(told.withLock(\.self) == "中文 \(method)")
        }
        await api.invalidate()
    }

    /// Fields follow the rules of the serializer that is wrapped, however deep.
    @Test func fieldsByAWrappedSerializersRules() async throws {
        var rules = HTTPRequestSerializer()
        rules.queryEncoding.arrays = .noBrackets
        rules.queryEncoding.bools = .literal
        var json = JSONRequestSerializer()
        json.uriSerializer = rules
        let serializers: [any RequestSerializer] = [
            rules, json, GzipRequestSerializer(rules), GzipRequestSerializer(GzipRequestSerializer(json)),
        ]
        let parameters: Parameters = ["a": [true, 2]]
        for (index, serializer) in serializers.enumerated() {
            try await api.upload("x", parameters: parameters, serializer: serializer, multipart: fill)
            #expect(try parts(index) == [["a", "true"], ["a", "2"], ["f", "x"]])
        }
        api.requestSerializer = GzipRequestSerializer(rules)
        try await api.upload("x", parameters: parameters, multipart: fill)
        #expect(try parts(serializers.count) == [["a", "true"], ["a", "2"], ["f", "x"]])
        api.requestSerializer = HTTPRequestSerializer()
        try await api.upload("x", parameters: parameters, multipart: fill)
        #expect(try parts(serializers.count + 1) == [["a[]", "1"], ["a[]", "2"], ["f", "x"]])
        await api.invalidate()
    }

    @Test func aFormThatIsGivenUp() async throws {
        let error = await #expect(throws: LupineError.self) {
            try await api.upload("x", multipart: { _ in throw CancellationError() })
        }
        #expect(error?.code == .cancelled)
        #expect(server.requestCount == 0)
        await api.invalidate()
    }
}
