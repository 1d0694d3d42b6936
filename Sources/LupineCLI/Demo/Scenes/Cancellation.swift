import Lupine

/// Cancelling a Swift task cancels its transfer.
func cancellation(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let task = Task { try await api.get("endless") }
    try await Task.sleep(for: .milliseconds(500))
    task.cancel()

    do {
        _ = try await task.value
    } catch let error as LupineError where error.code == .cancelled {
        stage.show("\(error); \(error.data?.count ?? 0) bytes had come")
    }
}
