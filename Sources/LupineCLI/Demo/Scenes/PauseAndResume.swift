import Lupine

/// A task that pauses makes its server wait, and goes on where it was: nothing is sent again.
func pauseAndResume(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let task = api.session.dataTask(with: try api.makeRequest(.get, "large"))
    task.resume()
    for await case .received(let progress) in task.events {
        task.suspend()
        stage.show("\(task.state) after \(progress.completed > 0 ? "the first bytes" : "nothing")")
        break
    }
    try await Task.sleep(for: .milliseconds(200))
    let before = task.downloadProgress.completed
    try await Task.sleep(for: .milliseconds(200))
    stage.show("\(task.downloadProgress.completed - before) bytes came in a pause of 200 ms")

    let answer = try await task.result()
    stage.show("then \(task.state), with \(answer.data.count) bytes in \(answer.sendings) sending")
}
