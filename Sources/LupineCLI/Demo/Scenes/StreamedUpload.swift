import Lupine

/// PUT, a file that is read while it is sent, never faster than the server takes it.
func streamedUpload(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let answer = try await api.put("slow-reader", body: .file(stage.largeFile)) { progress in
        stage.showBar(progress.fractionCompleted ?? 0)
    }

    stage.show("the server has \(answer.text ?? "nothing")")
}
