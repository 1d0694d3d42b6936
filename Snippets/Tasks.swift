import Lupine

let session = URLSessionManager()

func watch(_ url: String) async throws {
    var handlers = TaskHandlers()
    handlers.redirect = { _, response, next in
        print("\(response.status) leads to \(next.url)")
        return next
    }
    let task = session.dataTask(with: HTTPRequest(url: try HTTPURL(url)), handlers: handlers)
    task.resume()
    for await case .received(let progress) in task.events {
        print(progress.completed, "of", progress.total ?? -1)
    }
    print(try await task.result().status, task.metrics.duration)
}
