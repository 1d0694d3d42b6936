/// A stack whose top becomes an array of exact size by moving: an `Array` could only copy its end and destroy it, which
/// counts references twice an element.
struct MovingStack<Element>: ~Copyable {
    // The first `count` places of `storage`, and no others, hold elements; the stack alone has the pointer.
    private var storage: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 16
        storage = .allocate(capacity: capacity)
    }

    deinit {
        storage.deinitialize(count: count)
        storage.deallocate()
    }

    @inline(__always) mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        (storage + count).initialize(to: element)
        count += 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: storage, count: count)
        storage.deallocate()
        storage = larger
        capacity *= 2
    }

    /// Takes everything from `start` on.
    mutating func takeAll(from start: Int) -> [Element] {
        precondition(start >= 0 && start <= count)
        let taken = count - start
        let source = storage + start
        count = start
        return Array(unsafeUninitializedCapacity: taken) { buffer, initializedCount in
            // An empty buffer may have no address.
            if taken > 0 { buffer.baseAddress?.moveInitialize(from: source, count: taken) }
            initializedCount = taken
        }
    }
}
