import Testing

@testable import LupineTransport

@Suite struct IndexedBagTests {
    private final class Item: IndexedBagElement {
        var bagIndex = -1
    }

    @Test func whatIsTakenOutIsGoneAndTheRestStays() {
        let items = (0..<5).map { _ in Item() }
        var bag = IndexedBag<Item>()
        for item in items { bag.insert(item) }
        for gone in [1, 4, 0] {
            bag.remove(items[gone])
            #expect(items[gone].bagIndex == -1)
            bag.remove(items[gone])  // once more is harmless
        }
        #expect(Set(bag.elements.map(ObjectIdentifier.init)) == Set([items[2], items[3]].map(ObjectIdentifier.init)))
        for (index, item) in bag.elements.enumerated() { #expect(item.bagIndex == index) }
        bag.removeAll()
        #expect(bag.isEmpty && items.allSatisfy { $0.bagIndex == -1 })
    }
}
