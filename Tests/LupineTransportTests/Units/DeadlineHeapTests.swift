import Testing

@testable import LupineTransport

@Suite struct DeadlineHeapTests {
    private final class Item: DeadlineHeapElement {
        var deadline: MonotonicTime
        var heapIndex = -1
        init(_ nanoseconds: UInt64) { deadline = MonotonicTime(nanoseconds: nanoseconds) }
    }

    @Test func theEarliestIsFirstWhateverTheOrder() {
        var heap = DeadlineHeap<Item>()
        for value in [50, 10, 40, 20, 30] as [UInt64] { heap.update(Item(value)) }
        var order: [UInt64] = []
        while let first = heap.earliest {
            order.append(first.deadline.nanoseconds)
            heap.remove(first)
        }
        #expect(order == [10, 20, 30, 40, 50])
        #expect(heap.isEmpty)
    }

    @Test func aChangedDeadlineFindsItsPlace() {
        var heap = DeadlineHeap<Item>()
        let items = [10, 20, 30].map { Item($0) }
        items.forEach { heap.update($0) }
        items[0].deadline = MonotonicTime(nanoseconds: 99)
        heap.update(items[0])
        #expect(heap.earliest === items[1])
        items[2].deadline = MonotonicTime(nanoseconds: 1)
        heap.update(items[2])
        #expect(heap.earliest === items[2])
    }

    @Test func removingOneThatIsNotInChangesNothing() {
        var heap = DeadlineHeap<Item>()
        let item = Item(1)
        heap.remove(item)
        heap.update(item)
        heap.remove(item)
        heap.remove(item)
        #expect(heap.isEmpty)
        #expect(item.heapIndex == -1)
    }

    /// Against a sorted list, over many mixed steps from a fixed seed.
    @Test func agreesWithASortedList() {
        var state: UInt64 = 42
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var heap = DeadlineHeap<Item>()
        var items: [Item] = []
        for step in 0..<3_000 {
            switch random(3) {
            case 0:
                let item = Item(random(1_000))
                items.append(item)
                heap.update(item)
            case 1 where !items.isEmpty:
                let item = items.remove(at: Int(random(UInt64(items.count))))
                heap.remove(item)
            case 2 where !items.isEmpty:
                let item = items[Int(random(UInt64(items.count)))]
                item.deadline = MonotonicTime(nanoseconds: random(1_000))
                heap.update(item)
            default: break
            }
            guard heap.earliest?.deadline == items.lazy.map(\.deadline).min() else {
                Issue.record("step \(step): the earliest is another")
                return
            }
        }
    }
}
