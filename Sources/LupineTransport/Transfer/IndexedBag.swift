/// Objects in no order that know their place: in and out without hashing.
struct IndexedBag<Element: IndexedBagElement> {
    private(set) var elements: [Element] = []

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Puts an element in that is in no bag.
    mutating func insert(_ element: Element) {
        element.bagIndex = elements.count
        elements.append(element)
    }

    /// Takes an element out; nothing happens when it is not in.
    mutating func remove(_ element: Element) {
        let index = element.bagIndex
        guard index >= 0 else { return }
        element.bagIndex = -1
        let last = elements.removeLast()
        guard index < elements.count else { return }
        elements[index] = last
        last.bagIndex = index
    }

    mutating func removeAll() {
        for element in elements { element.bagIndex = -1 }
        elements.removeAll()
    }
}

protocol IndexedBagElement: AnyObject {
    /// The place in the bag; -1 outside. Kept by the bag.
    var bagIndex: Int { get set }
}
