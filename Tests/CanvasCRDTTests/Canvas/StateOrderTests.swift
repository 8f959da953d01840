import Testing

@testable import CanvasCRDT

@Suite("The order of a state")
struct StateOrderTests {
  @Test("D1: the shapes with the longest sides come first, hidden ones behind all others, erasures last")
  func largestFirst() throws {
    var canvas = Canvas()
    for number in 1...100 {
      let set = Properties {
        $0.kind = .rectangle
        // With these sizes, the order by size is neither the order of the identifiers nor its reverse.
        $0.size = Size(width: Double(number * 37 % 101), height: 1)
        if number % 10 == 0 { $0.visible = false }
      }
      canvas.apply(Operation(shape: try shape(number), at: WireSamples.stamp(5), set: set))
    }
    for number in 101...130 {
      canvas.apply(Operation(shape: try shape(number), at: WireSamples.stamp(6), set: .deletion))
    }
    let parts = canvas.statePartsLargestFirst(shapesMax: 20)
    #expect(parts.map(\.recordCount) == [20, 20, 20, 20, 20, 0, 0])
    #expect(parts.map(\.erasures.count) == [0, 0, 0, 0, 0, 20, 10])
    let sides = parts.prefix(5).map { part in
      (0..<part.recordCount).map { part.record($0).values }.map { $0.visible ? $0.size.width : 0 }
    }
    for (part, next) in zip(sides, sides.dropFirst()) { #expect(part.min()! >= next.max()!) }
    #expect(sides[4].filter { $0 == 0 }.count == 10)
    for part in parts.prefix(5) {
      let shapes = (0..<part.recordCount).map { part.record($0).shape }
      #expect(shapes == shapes.sorted(), "the columns have identifiers that rise")
    }
  }

  @Test("D1: few shapes with long texts, which take several messages, come in that order too")
  func longTexts() throws {
    var canvas = Canvas()
    for number in 1...4 {
      let set = Properties {
        $0.kind = .text
        $0.size = Size(width: Double(number), height: 1)
        $0.text = Text(String(repeating: "a", count: 4_096))
      }
      canvas.apply(Operation(shape: try shape(number), at: WireSamples.stamp(5), set: set))
    }
    let parts = canvas.statePartsLargestFirst(shapesMax: 20)
    #expect(
      parts.count > 1 && parts.map { $0.record(0).values.size.width }.max() == parts[0].record(0).values.size.width
    )
    #expect(parts.last?.record(0).shape == (try shape(1)))
  }

  @Test("a state in that order is the same state", arguments: 0..<40 as Range<UInt64>)
  func sameState(seed: UInt64) {
    var history = RandomHistory(seed: seed, shapes: [3, 30, 300][Int(seed % 3)], actors: 4)
    var canvas = Canvas()
    for operation in history.operations(1_500) { canvas.apply(operation) }
    for shapesMax in [1, 7, 1_024] {
      var arrived = Canvas(seed: 3)
      for part in canvas.statePartsLargestFirst(shapesMax: shapesMax) {
        #expect(part.recordCount <= shapesMax && part.erasures.count <= shapesMax)
        arrived.merge(part)
      }
      #expect(arrived == canvas)
    }
  }

  @Test("many identifiers are sorted as few are", arguments: [256, 257, 2_000])
  func manySorted(count: Int) {
    var random = SeededGenerator(seed: 1)
    var entries = (0..<count).map { place in
      RadixOrder.Entry(packed: Identifier.random(using: &random).packed, slot: UInt32(place))
    }
    let expected = entries.sorted { $0.packed < $1.packed }
    RadixOrder.sort(&entries)
    #expect(entries.map(\.packed) == expected.map(\.packed) && entries.map(\.slot) == expected.map(\.slot))
  }

  private func shape(_ number: Int) throws -> Identifier { try #require(Identifier(packed: UInt64(number))) }
}
