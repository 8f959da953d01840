/// A first-in, first-out queue, as a collection of what waits in it. A taken element is freed at once, even if others
/// wait behind it. Adding and taking are O(1) on average.
///
/// Everything is inlinable, so that each module has its own version for its elements.
@frozen
public struct Fifo<Element> {
  /// The elements from index `taken` on. The slots before it are empty until the elements are moved up.
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var taken = 0

  @inlinable public init() {}

  @inlinable public init(_ elements: some Sequence<Element>) { slots = elements.map { $0 } }

  @inlinable public mutating func append(_ element: Element) { slots.append(element) }

  @inlinable public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { slots.append(element) }
  }

  @inlinable public mutating func popFirst() -> Element? {
    guard taken < slots.count else { return nil }
    let element = slots[taken].take()
    taken += 1
    if taken == slots.count {
      slots.removeAll(keepingCapacity: taken <= Fifo.keptMax)
      taken = 0
    } else if taken >= Fifo.keptMax, taken * 2 >= slots.count {
      // Moving the elements up only now and then keeps the average cost constant.
      slots.removeFirst(taken)
      taken = 0
    }
    return element
  }

  /// How many empty slots a queue may keep. Small, because there are tens of thousands of queues: one for each
  /// connection.
  @inlinable static var keptMax: Int { 16 }
}

extension Fifo: RandomAccessCollection, MutableCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { slots.count - taken }

  @inlinable public subscript(index: Int) -> Element {
    get { slots[taken + index]! }
    _modify { yield &slots[taken + index]! }
  }
}

extension Fifo: Sendable where Element: Sendable {}
