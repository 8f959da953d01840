import Testing

@testable import RoomLog

@Suite("A queue") struct QueueTests {
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

  @Test("a taken element is freed, even if the queue is never empty; the others keep their order", arguments: 1...5)
  func freed(waiting: Int) {
    let count = Count()
    var queue = Queue<Living>()
    for number in 0..<1_000 {
      queue.append(Living(number, count))
      guard number >= waiting else { continue }
      #expect(queue.removeFirst().number == number - waiting)
      #expect(count.living == waiting)
      #expect(queue.first.number == number - waiting + 1)
      #expect(queue.elements.map(\.number) == Array((number - waiting + 1)...number))
    }
    for _ in 0..<waiting {
      #expect(!queue.isEmpty)
      _ = queue.removeFirst()
    }
    #expect(queue.isEmpty && count.living == 0)
  }

  @Test("the element that comes first can be changed where it is")
  func change() {
    var queue = Queue<[Int]>()
    queue.append([1])
    queue.append([2])
    queue.changeFirst { $0.append(3) }
    #expect(queue.removeFirst() == [1, 3])
    queue.changeFirst { $0.append(4) }
    #expect(queue.elements == [[2, 4]])
  }
}
