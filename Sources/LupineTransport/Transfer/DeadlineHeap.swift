/// Deadlines of many transfers, the earliest first: a binary heap whose elements know their place, so that
/// one that ends early leaves at once instead of lingering until its time.
struct DeadlineHeap<Element: DeadlineHeapElement> {
    private var elements: [Element] = []

    var earliest: Element? { elements.first }
    var isEmpty: Bool { elements.isEmpty }

    /// Puts an element in, or to its new place after its deadline changed.
    mutating func update(_ element: Element) {
        if element.heapIndex < 0 {
            element.heapIndex = elements.count
            elements.append(element)
        }
        siftUp(from: element.heapIndex)
        siftDown(from: element.heapIndex)
    }

    mutating func remove(_ element: Element) {
        let index = element.heapIndex
        guard index >= 0 else { return }
        element.heapIndex = -1
        let last = elements.removeLast()
        guard index < elements.count else { return }
        elements[index] = last
        last.heapIndex = index
        siftUp(from: index)
        siftDown(from: last.heapIndex)
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        elements.swapAt(first, second)
        elements[first].heapIndex = first
        elements[second].heapIndex = second
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard elements[index].deadline < elements[parent].deadline else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            var least = index
            let left = 2 * index + 1, right = 2 * index + 2
            if left < elements.count, elements[left].deadline < elements[least].deadline { least = left }
            if right < elements.count, elements[right].deadline < elements[least].deadline { least = right }
            guard least != index else { return }
            swap(index, least)
            index = least
        }
    }
}

protocol DeadlineHeapElement: AnyObject {
    var deadline: MonotonicTime { get }
    /// The place in the heap; -1 outside. Kept by the heap.
    var heapIndex: Int { get set }
}
