import Dispatch
import LupineReachability

let manager = NetworkReachabilityManager(host: "api.example.com")

func watch() async {
    for await status in manager.statuses where status.isReachable {
        print("again, via cellular:", status.isReachableOnCellular)
    }
}

func tell() {
    manager.startMonitoring { status in print(status.localizedDescription) }  // on the main queue
}
