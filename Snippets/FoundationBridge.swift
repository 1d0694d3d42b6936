import Foundation
import FoundationNetworking
import Lupine
import LupineFoundationBridge

var configuration = SessionConfiguration()
configuration.postsNotifications()
let session = URLSessionManager(configuration: configuration)

func load(_ request: URLRequest, into whole: Progress) throws -> SessionTask {
    let task = session.dataTask(with: try HTTPRequest(request)) { task, _ in
        print(task.response.flatMap { HTTPURLResponse($0) }?.mimeType ?? "no answer")
    }
    whole.addChild(task.downloadFoundationProgress, withPendingUnitCount: 1)
    task.resume()
    return task
}
