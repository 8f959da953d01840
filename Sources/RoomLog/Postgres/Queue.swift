/// A first-in, first-out queue. A taken element is freed at once, even if others wait behind it. Adding and taking are
/// O(1) on average.
struct Queue<Element> {
  /// The first elements, in reverse order. Empty only if the queue is empty.
  private var front: [Element] = []
  private var back: [Element] = []

  var isEmpty: Bool { front.isEmpty }
  /// All elements, in their order.
  var elements: [Element] { front.reversed() + back }

  /// The first element. The queue must not be empty.
  var first: Element { front[front.count - 1] }

  /// Changes the first element. The queue must not be empty.
  mutating func changeFirst(_ change: (inout Element) -> Void) { change(&front[front.count - 1]) }

  mutating func append(_ element: Element) {
    if front.isEmpty { front.append(element) } else { back.append(element) }
  }

  /// Takes the first element. The queue must not be empty.
  mutating func removeFirst() -> Element {
    let first = front.removeLast()
    if front.isEmpty {
      swap(&front, &back)
      front.reverse()
    }
    return first
  }
}
