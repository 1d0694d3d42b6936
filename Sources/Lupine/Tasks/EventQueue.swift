internal import FoundationEssentials
internal import LupineCore

/// What happened to a task, on its way to one listener: in order and bounded, however slowly it is taken.
struct EventQueue {
    enum Item {
        case event(TaskEvent)
        case data(Data)
    }

    private var items: [Item] = []
    /// Where progress stands that newer progress may replace.
    private var sentIndex: Int?
    private var receivedIndex: Int?
    private var informationalCount = 0
    /// Bytes of data that wait.
    private(set) var dataCount = 0

    /// Interim answers beyond so many are not kept for a listener that takes none: a server can send them without end.
    static let informationalLimit = 64

    var isEmpty: Bool { items.isEmpty }

    mutating func add(_ data: Data) {
        dataCount += data.count
        items.append(.data(data))
    }

    mutating func add(_ event: TaskEvent) {
        switch event {
        case .sent:
            if let sentIndex {
                items[sentIndex] = .event(event)
                return
            }
            sentIndex = items.count
        case .received:
            if let receivedIndex {
                items[receivedIndex] = .event(event)
                return
            }
            receivedIndex = items.count
        case .informational:
            guard informationalCount < Self.informationalLimit else { return }
            informationalCount += 1
        case .resumed, .suspended:
            // Of several in a row the last is what holds.
            switch items.last {
            case .event(.resumed), .event(.suspended): items.removeLast()
            default: break
            }
        case .redirected, .sentAgain, .retrying, .waitingForConnectivity, .response, .measured, .completed:
            // What is told of one exchange is not told after the next has begun.
            sentIndex = nil
            receivedIndex = nil
        }
        items.append(.event(event))
    }

    mutating func takeAll() -> [Item] {
        defer { self = EventQueue() }
        return items
    }

    mutating func takeFirst() -> Item? {
        guard !items.isEmpty else { return nil }
        let item = items.removeFirst()
        switch item {
        case .event(.informational): informationalCount -= 1
        case .data(let data): dataCount -= data.count
        case .event: break
        }
        sentIndex = sentIndex.flatMap { $0 > 0 ? $0 - 1 : nil }
        receivedIndex = receivedIndex.flatMap { $0 > 0 ? $0 - 1 : nil }
        return item
    }
}
