import Testing

@testable import CanvasCRDT

@Suite("Merge laws")
struct MergeLawTests {
  private static let shape = Identifier("afy-kw5-t7o")!
  private static let actors = [Identifier("abc-abc-abc")!, Identifier("k3j-9x2-m1p")!]

  /// All operations of a small model with three stamps, two of them from the same millisecond. For each stamp there is
  /// every kind of write that matters to merging: the shape's kind, another register with one of two values, the
  /// erasure, and combinations.
  private static let smallWorld: [CanvasCRDT.Operation] = {
    var operations: [CanvasCRDT.Operation] = []
    let stamps = [
      Stamp(milliseconds: 1, counter: 0, actor: actors[0])!, Stamp(milliseconds: 1, counter: 0, actor: actors[1])!,
      Stamp(milliseconds: 1, counter: 1, actor: actors[0])!,
    ]
    for stamp in stamps {
      for pattern in 0..<12 {
        var set = Properties()
        if pattern & 1 != 0 { set.kind = pattern & 4 != 0 ? .star : .ellipse }
        if pattern & 2 != 0 { set.position = Point(x: pattern & 4 != 0 ? 2 : 1, y: 0) }
        if pattern & 8 != 0 { set.delete() }
        if set.assigned.isEmpty { continue }
        operations.append(CanvasCRDT.Operation(shape: shape, at: stamp, set: set))
      }
    }
    return operations
  }()

  @Test(
    "M2, M4, M6: any three operations of the small world give the same canvas in any order, with or without repeats"
  )
  func everySmallLayout() {
    let world = MergeLawTests.smallWorld
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 1, 0, 2, 1, 2]]
    for first in world.indices {
      for second in first..<world.count {
        for third in second..<world.count {
          let chosen = [world[first], world[second], world[third]]
          var reference = ReferenceCanvas()
          for operation in chosen { reference.apply(operation) }
          for order in orders {
            var canvas = Canvas()
            for index in order { canvas.apply(chosen[index]) }
            if let difference = reference.difference(from: canvas) {
              Issue.record("\(difference) after \(order) of \(chosen)")
              return
            }
          }
        }
      }
    }
  }

  @Test("M6: canvases merge commutatively, associatively and idempotently", arguments: 0..<60 as Range<UInt64>)
  func canvasesMerge(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    let parts = (0..<3).map { _ in history.operations(25) }
    let canvases = parts.map { operations in
      var canvas = Canvas(seed: seed)
      for operation in operations { canvas.apply(operation) }
      return canvas
    }
    func merged(_ order: [Int]) -> Canvas {
      var canvas = canvases[order[0]]
      if order[0] == 1 { canvas.countDigest() }
      for index in order.dropFirst() { canvas.merge(canvases[index]) }
      return canvas
    }
    let whole = merged([0, 1, 2])
    #expect(merged([2, 0, 1]) == whole)
    #expect(merged([1, 2, 0]) == whole)
    var right = canvases[1]
    right.merge(canvases[2])
    var grouped = canvases[0]
    grouped.merge(right)
    #expect(grouped == whole)
    grouped.merge(whole)
    #expect(grouped == whole)
    var reference = ReferenceCanvas()
    for operation in parts.joined() { reference.apply(operation) }
    #expect(reference.difference(from: whole) == nil)
  }

  @Test(
    "a random history in any order, with lost operations delivered later, agrees with the reference",
    arguments: 0..<60 as Range<UInt64>
  )
  func randomHistories(seed: UInt64) {
    var history = RandomHistory(seed: seed ^ 0xABCD)
    let operations = history.operations(60)
    var reference = ReferenceCanvas()
    for operation in operations { reference.apply(operation) }
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3 {
      var canvas = Canvas(seed: generator.next())
      if Bool.random(using: &generator) { canvas.countDigest() }
      for operation in operations.shuffled(using: &generator) { canvas.apply(operation) }
      for operation in operations.shuffled(using: &generator).prefix(20) {
        let change = canvas.apply(operation)
        #expect(change.isEmpty)
      }
      #expect(reference.difference(from: canvas) == nil)
    }
  }

  @Test(
    "nothing is lost: each write is visible, or is superseded by a greater stamp that is named",
    arguments: 0..<40 as Range<UInt64>
  )
  func survival(seed: UInt64) {
    var history = RandomHistory(seed: seed ^ 0x5EED)
    let operations = history.operations(80)
    var canvas = Canvas()
    for operation in operations {
      let change = canvas.apply(operation)
      for property in change.superseded {
        let winner = canvas.winner(of: property, in: operation.shape)
        #expect(winner.map { $0 > operation.at } ?? false, "who superseded \(property) is not named")
      }
    }
    for operation in operations {
      for property in operation.set.assigned {
        let holds = canvas.stamp(of: property, in: operation.shape) == operation.at
        let lostTo = canvas.winner(of: property, in: operation.shape)
        #expect(holds || lostTo.map { $0 >= operation.at } ?? false)
      }
    }
  }

  @Test(
    "M9: after every step the digest is that of the registers, whenever it was first asked for",
    arguments: 0..<10 as Range<UInt64>
  )
  func digestStepByStep(seed: UInt64) {
    var history = RandomHistory(seed: seed ^ 0xD16E)
    var reference = ReferenceCanvas()
    var canvases = [Canvas(), Canvas(), Canvas()]
    #expect(canvases[0].countDigest() == 0)
    for step in 0..<80 {
      let operation = history.operation()
      reference.apply(operation)
      for index in canvases.indices { canvases[index].apply(operation) }
      if step == 40 { #expect(canvases[1].countDigest() == reference.digest) }
      #expect(canvases.allSatisfy { $0.digest == reference.digest })
    }
    var other = Canvas()
    for operation in history.operations(80) {
      other.apply(operation)
      reference.apply(operation)
    }
    // Merges the first part of the other canvas's state, and then the whole other canvas.
    for index in canvases.indices {
      for part in other.stateParts(shapesMax: 2).prefix(2) { canvases[index].merge(part) }
      canvases[index].merge(other)
    }
    #expect(canvases.allSatisfy { $0.digest == reference.digest })
    for shape in reference.shapes.prefix(4) {
      for index in canvases.indices { canvases[index].forget(shape) }
      #expect(canvases.allSatisfy { $0.digest == canvases[2].digest })
    }
    #expect(canvases[2].countDigest() == canvases[0].digest)
  }
}
