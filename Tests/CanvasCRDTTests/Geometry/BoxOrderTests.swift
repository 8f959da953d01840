import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Boxes in order of their place")
struct BoxOrderTests {
  @Test("each box of a grid is followed by one beside it, and each box comes once")
  func grid() {
    var generator = SeededGenerator(seed: 3)
    let places = (0..<64).map { (x: $0 % 8, y: $0 / 8) }.shuffled(using: &generator)
    let boxes = places.map { Box(Rect(Double($0.x) * 10 - 40, Double($0.y) * 10 + 500, 4, 4)) }
    let order = HilbertOrder.offsets(of: boxes)
    #expect(order.sorted() == Array(0..<64))
    for (one, next) in zip(order, order.dropFirst()) {
      let (from, to) = (places[one], places[next])
      #expect(abs(from.x - to.x) + abs(from.y - to.y) == 1, "\(from) is followed by \(to)")
    }
  }

  @Test("boxes at one place stay in the order of the list, and one that is nowhere has a place too")
  func same() {
    let box = Box(Rect(5, 5, 1, 1))
    #expect(HilbertOrder.offsets(of: [box, box, box]) == [0, 1, 2])
    let nowhere = Box(Rect(.nan, 5, 1, 1))
    #expect(HilbertOrder.offsets(of: [box, nowhere, box]).sorted() == [0, 1, 2])
    #expect(HilbertOrder.offsets(of: []) == [])
  }

  @Test("a number that is rounded to fewer digits stays on its side")
  func rounding() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<1_000 {
      let value = Double.random(in: -1e7...1e7, using: &generator)
      let (below, above) = (Double(Float(below: value)), Double(Float(above: value)))
      #expect(below <= value && value <= above && above - below <= 1, "\(value)")
    }
    #expect(Float(below: 0.5) == 0.5 && Float(above: 0.5) == 0.5)
  }
}
