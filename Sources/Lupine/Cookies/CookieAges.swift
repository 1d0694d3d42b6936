internal import FoundationEssentials

/// Finds the cookie that was used longest ago: a heap of when each was used, as far as was noted.
///
/// A use is not noted here, which keeps it cheap: what the heap says of a cookie is how old it is at most. Whoever takes the
/// oldest looks whether that still holds. A cookie that has gone is found to have when its turn comes.
struct CookieAges {
    struct Age: Comparable {
        let used: Date
        /// The entry's; among equals in time the older entry is the older.
        let order: UInt64
        let site: Substring

        static func < (one: Age, other: Age) -> Bool {
            one.used == other.used ? one.order < other.order : one.used < other.used
        }

        static func == (one: Age, other: Age) -> Bool { one.used == other.used && one.order == other.order }
    }

    /// A binary heap: nobody is older than who stands at half its index.
    private var heap: [Age] = []

    var count: Int { heap.count }
    var oldest: Age? { heap.first }

    init() {}

    init(_ ages: some Sequence<Age>) { heap = ages.sorted() }

    mutating func add(_ age: Age) {
        var index = heap.count
        heap.append(age)
        while index > 0, age < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeOldest() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var child = 2 * index + 1
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard child < heap.count, heap[child] < last else { return }
            heap.swapAt(index, child)
            index = child
        }
    }
}
