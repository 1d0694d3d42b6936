import Lupine

/// A server that says nothing is not waited for longer than asked.
func timeout(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    var options = TransferOptions()
    options.timeouts.idle = .milliseconds(500)
    do {
        let answer = try await api.get("silence", options: options)
        stage.show("status \(answer.status)")
    } catch {
        stage.show("\(error)")
    }
}
