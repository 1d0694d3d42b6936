public import Foundation
public import LupineReachability

extension Notification.Name {
    /// The status of a `NetworkReachabilityManager` has changed, or is told for the first time. `object` is the manager; for
    /// `userInfo` see ``NetworkingReachabilityNotificationStatusItem``.
    public static let networkingReachabilityDidChange = Self("com.alamofire.networking.reachability.change")
}

/// The key of `userInfo` in ``Foundation/NSNotification/Name/networkingReachabilityDidChange``: the status as AFNetworking's number, an
/// `Int`. -1: unknown, 0: not reachable, 1: reachable via WWAN (cellular), 2: reachable via WiFi, which there is also said of
/// ethernet.
public let NetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"

extension NetworkReachabilityManager {
    /// Has the manager post AFNetworking's notification for each status that it tells the closure of
    /// `startMonitoring(queue:onUpdate:)`: after it, on its queue, which is the main one by default, as in AFNetworking.
    ///
    /// A second call posts twice.
    ///
    /// - Parameter center: where to post.
    public func postsNotifications(on center: NotificationCenter = .default) {
        addNotifier { manager, status in
            center.post(
                name: .networkingReachabilityDidChange, object: manager,
                userInfo: [NetworkingReachabilityNotificationStatusItem: status.networkingNumber])
        }
    }
}

extension NetworkReachabilityStatus {
    /// One line for people in the language of the program's bundle: AFNetworking's texts, looked up in its table `AFNetworking.strings`.
    /// In English where there is none.
    ///
    /// - Parameter bundle: where the table is.
    public func localizedDescription(in bundle: Bundle) -> String {
        let text = englishDescription
        return bundle.localizedString(forKey: text, value: text, table: "AFNetworking")
    }

    /// `AFNetworkReachabilityStatus`.
    fileprivate var networkingNumber: Int {
        switch self {
        case .unknown: -1
        case .notReachable: 0
        case .reachable(.cellular): 1
        case .reachable: 2
        }
    }
}
