internal import Glibc
internal import Lupine
internal import LupineDemoText
internal import LupineTesting

/// The tour: a server in this process, and a scene for each main feature against it.
struct Demo {
    let console: Console

    /// - Returns: the exit status: not 0 when a scene did not go as told.
    func run() async throws -> Int32 {
        let style = Style(descriptor: console.output)
        let server: LoopbackServer, files: DemoFiles
        do {
            server = try DemoServer.start()
            files = try DemoFiles()
        } catch {
            throw LupineError(.unsupported, "the demo's own server cannot be started: \(error)")
        }
        let api = HTTPSessionManager(baseURL: server.url("/"))
        try await console.write(style.intro(address: server.url("/"), scenes: Scene.all.count))
        var failed: [String] = []
        for (index, scene) in Scene.all.enumerated() {
            try await console.write(style.beginning(of: scene, number: index + 1, of: Scene.all.count))
            let stage = Stage(console: console, style: style, largeFile: files.largeFile)
            let fault = await scene.fault(api, stage)
            try Task.checkForInterruption()
            if fault != nil { failed.append(scene.title) }
            try await console.write(style.end(fault: fault))
        }
        await api.invalidate()
        try await console.write(style.conclusion(scenes: Scene.all.count, failed: failed))
        return failed.isEmpty ? ExitStatus.success : 1
    }
}

extension Task where Success == Never, Failure == Never {
    fileprivate static func checkForInterruption() throws(LupineError) {
        if isCancelled { throw LupineError(.cancelled, "the demo was interrupted") }
    }
}

/// One feature: a function of its own file, and what has to be seen of it.
struct Scene: Sendable {
    let title: String
    /// The text of the file that `play` was compiled from.
    let text: String
    /// What is shown has to hold each of these.
    let expected: [String]
    let play: @Sendable (HTTPSessionManager, Stage) async throws -> Void

    static let all = [
        Scene(title: "GET, decoded", text: SceneText.getDecoded, expected: ["Jupiter has 97 moons"], play: getDecoded),
        Scene(
            title: "POST, a form", text: SceneText.formPost,
            expected: ["POST with colours%5B%5D=blue&colours%5B%5D=white&name=Lupinus%20texensis"],
            play: formPost),
        Scene(
            title: "POST, JSON", text: SceneText.jsonPost, expected: ["the server keeps Vulcan, with 0 moons"],
            play: jsonPost),
        Scene(
            title: "An upload, streamed", text: SceneText.streamedUpload,
            expected: ["100 %", "the server has \(DemoFiles.largeSize) bytes"], play: streamedUpload),
        Scene(
            title: "A form with a file", text: SceneText.multipartUpload,
            expected: ["100 %", "title: 5 bytes, a field", "picture: \(DemoFiles.largeSize) bytes, image/png"],
            play: multipartUpload),
        Scene(
            title: "An error with status and body", text: SceneText.errorStatus,
            expected: [#"unacceptable-status: status 404, body {"error": "there is no planet 10"}"#], play: errorStatus),
        Scene(
            title: "A wrong content type", text: SceneText.wrongType,
            expected: [
                #"unacceptable-content-type: 127.0.0.1 answered with content type "text/html"; accepted: application/json, "#,
                "the server says: <h1>In maintenance</h1>",
            ], play: wrongType),
        Scene(
            title: "A property list", text: SceneText.propertyList, expected: ["Saturn has 274 moons"],
            play: propertyList),
        Scene(title: "A timeout", text: SceneText.timeout, expected: ["timed-out: "], play: timeout),
        Scene(title: "A cancellation", text: SceneText.cancellation, expected: ["cancelled: "], play: cancellation),
        Scene(
            title: "A chain of redirects", text: SceneText.redirects,
            expected: ["from /moved/once", "from /moved/twice", "to /found: here it is"], play: redirects),
        Scene(
            title: "A cookie's round trip", text: SceneText.cookies,
            expected: ["the server says: hello, Ada", "kept: name, for 127.0.0.1"], play: cookies),
        Scene(
            title: "Pause and resume", text: SceneText.pauseAndResume,
            expected: [
                "suspended after the first bytes\n0 bytes came in a pause",
                "then completed, with \(DemoServer.largeSize) bytes in 1 sending",
            ], play: pauseAndResume),
        Scene(
            title: "A server that fails twice", text: SceneText.retries,
            expected: ["unacceptable-status: 127.0.0.1 answered 503", "at your service, after 3 tries"],
            play: retries),
        Scene(
            title: "A token that expires", text: SceneText.tokenRefresh,
            expected: ["20 of 20 requests were welcome", "the token was refreshed once"], play: tokenRefresh),
    ]

    /// Plays the scene.
    ///
    /// - Returns: what was not as told; `nil`: nothing.
    func fault(_ api: HTTPSessionManager, _ stage: Stage) async -> String? {
        do {
            try await play(api, stage)
        } catch {
            return "\(error)"
        }
        let shown = stage.shown.joined(separator: "\n")
        return expected.first { !shown.contains($0) }.map { "expected to see \($0.quotedForMessage)" }
    }
}
