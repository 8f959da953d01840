import Basics
import TestSupport
import Testing

@Suite("A queue") struct FifoTests {
  private final class Living {
    let number: Int
    private let count: Count
    init(_ number: Int, _ count: Count) {
      self.number = number
      self.count = count
      count.living += 1
    }
    deinit { count.living -= 1 }
  }

  private final class Count { var living = 0 }

  @Test(
    "a taken element is freed, even if the queue is never empty; the others keep their order",
    arguments: [1, 5, 40]
  )
  func freed(waiting: Int) {
    let count = Count()
    var queue = Fifo<Living>()
    for number in 0..<1_000 {
      queue.append(Living(number, count))
      guard number >= waiting else { continue }
      #expect(queue.popFirst()?.number == number - waiting)
      #expect(count.living == waiting)
      #expect(queue.map(\.number) == Array((number - waiting + 1)...number))
    }
    while queue.popFirst() != nil {}
    #expect(queue.isEmpty && count.living == 0)
  }

  @Test("it gives what it was given, in its order, however it is filled and emptied", arguments: 0..<20)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = Fifo<Int>()
    var next = 0
    var expected = 0
    for _ in 0..<200 {
      let added = next..<next + Int.random(in: 0...60, using: &random)
      if Bool.random(using: &random) { queue.append(contentsOf: added) } else { for one in added { queue.append(one) } }
      next = added.upperBound
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        #expect(queue.first == (expected < next ? expected : nil))
        guard let value = queue.popFirst() else { break }
        #expect(value == expected)
        expected += 1
      }
      #expect(queue.elementsEqual(expected..<next))
    }
  }

  @Test("an element can be changed where it is") func change() {
    var queue = Fifo([[0], [1], [2]])
    #expect(queue.popFirst() == [0])
    queue[0].append(3)
    queue[1].append(4)
    #expect(Array(queue) == [[1, 3], [2, 4]])
  }
}
