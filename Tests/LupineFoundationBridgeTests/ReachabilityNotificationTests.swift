import Dispatch
import Foundation
import LupineCore
import LupineFoundationBridge
import LupineReachability
import LupineTesting
import Testing

/// AFNetworking's notification and texts. Tests that AFNetworking has are named after its; they take the loopback for their network.
@Suite(.timeLimit(.minutes(1)))
struct ReachabilityNotificationTests {
    /// What was posted, taken apart where it was received.
    private final class Received: Sendable {
        let gate = Gate()
        let items = Noted<(sender: ObjectIdentifier?, number: Int?, status: NetworkReachabilityStatus?)>()
    }

    private func received(from manager: NetworkReachabilityManager) async throws -> Received {
        let center = NotificationCenter(), received = Received()
        let observer = center.addObserver(forName: .networkingReachabilityDidChange, object: manager, queue: nil) {
            note in
            let sender = note.object as? NetworkReachabilityManager
            let number = note.userInfo?[NetworkingReachabilityNotificationStatusItem] as? Int
            received.items.note((sender.map(ObjectIdentifier.init), number, sender?.status))
            received.gate.open()
        }
        manager.postsNotifications(on: center)
        manager.startMonitoring(queue: DispatchQueue(label: "notifications"))
        try await received.gate.opened()
        manager.stopMonitoring()
        center.removeObserver(observer)
        return received
    }

    @Test func addressReachabilityNotification() async throws {
        let address = try #require(IPAddress("127.0.0.1"))
        let received = try await received(from: NetworkReachabilityManager(address: address))
        let item = try #require(received.items.values.first)
        #expect(item.number == (item.status?.isReachable == true ? 2 : 0))
        #expect(item.status != .unknown)
    }

    @Test func domainReachabilityNotification() async throws {
        let received = try await received(from: NetworkReachabilityManager(host: "localhost"))
        let item = try #require(received.items.values.first)
        #expect(item.number == (item.status?.isReachable == true ? 2 : 0))
    }

    @Test func objectPostingReachabilityManagerNotification() async throws {
        let manager = NetworkReachabilityManager()
        let received = try await received(from: manager)
        #expect(received.items.values.first?.sender == ObjectIdentifier(manager))
    }

    @Test func theNamesAreAFNetworkings() {
        #expect(
            Notification.Name.networkingReachabilityDidChange.rawValue == "com.alamofire.networking.reachability.change"
        )
        #expect(NetworkingReachabilityNotificationStatusItem == "AFNetworkingReachabilityNotificationStatusItem")
    }

    @Test func textsOfABundle() throws {
        let empty = try TemporaryDirectory(), folder = try TemporaryDirectory()
        let bundle = try #require(Bundle(path: empty.path))
        #expect(NetworkReachabilityStatus.notReachable.localizedDescription(in: bundle) == "Not Reachable")
        try FileManager.default.createDirectory(atPath: folder.file("en.lproj"), withIntermediateDirectories: true)
        _ = try folder.write(
            Array("\"Reachable via WWAN\" = \"On the road\";".utf8), to: "en.lproj/AFNetworking.strings")
        let translated = try #require(Bundle(path: folder.path))
        #expect(NetworkReachabilityStatus.reachable(.cellular).localizedDescription(in: translated) == "On the road")
        #expect(NetworkReachabilityStatus.unknown.localizedDescription(in: translated) == "Unknown")
    }
}
