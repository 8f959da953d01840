import Testing

@testable import CanvasCRDT

@Suite("The drawing order")
struct DrawingOrderTests {
  private let ann = Identifier("abc-abc-abc")!

  private func sorted(_ canvas: Canvas) -> [Identifier] {
    canvas.shapes.sorted { $0.properties.z != $1.properties.z ? $0.properties.z < $1.properties.z : $0.id < $1.id }
      .map(\.id)
  }

  /// A canvas whose shapes have these keys, in the order of their identifiers.
  private func canvas(_ keys: [Text]) -> (Canvas, [Identifier]) {
    var canvas = Canvas()
    let shapes = (0..<keys.count).map { Identifier(packed: UInt64($0 + 1) * 1_000_003)! }
    for (shape, key) in zip(shapes, keys) {
      let set = Properties { ($0.kind, $0.z) = (.ellipse, OrderKey(key)!) }
      canvas.apply(.init(shape: shape, at: Stamp(time: 1, actor: ann), set: set))
    }
    return (canvas, shapes)
  }

  /// The canvas with the new keys of a reordering.
  private func applying(_ places: [DrawingOrder.Place], to canvas: Canvas, time: UInt64 = 2) -> Canvas {
    var canvas = canvas
    for place in places {
      canvas.apply(.init(shape: place.shape, at: Stamp(time: time, actor: ann), set: Properties { $0.z = place.key }))
    }
    return canvas
  }

  @Test("S5: shapes are drawn by the bytes of their keys, then by identifier")
  func bytewise() {
    let (canvas, shapes) = canvas(["a", "V", "Z", "V", "V1"])
    let order = DrawingOrder(canvas)
    #expect(order.identifiers == [shapes[1], shapes[3], shapes[4], shapes[2], shapes[0]])
    #expect(order.index(of: shapes[4]) == 2)
    #expect(order.place(of: shapes[4])?.key == OrderKey("V1"))
    #expect(order.index(of: ann) == nil)
  }

  @Test("after every edit the order is that of sorting again, and it is told whether it has changed", arguments: 1...4)
  func followsCanvas(seed: UInt64) {
    var history = RandomHistory(seed: seed, shapes: 24)
    var canvas = Canvas()
    var order = DrawingOrder()
    for _ in 0..<1_500 {
      let before = order.identifiers
      let isChanged = order.update([canvas.apply(history.operation())], in: canvas)
      #expect(isChanged || order.identifiers == before)
      #expect(order.identifiers == sorted(canvas))
      #expect(order == DrawingOrder(canvas))
    }
  }

  @Test("after many edits at once the order is that of sorting again, and it is told whether it has changed")
  func followsManyChanges() {
    var history = RandomHistory(seed: 5, shapes: 400)
    var canvas = Canvas()
    var order = DrawingOrder()
    for count in [300, 64, 63, 1, 200, 2_000] {
      let before = order.identifiers
      let changes = (0..<count).map { _ in canvas.apply(history.operation()) }
      let isChanged = order.update(changes, in: canvas)
      #expect(isChanged || order.identifiers == before)
      #expect(order == DrawingOrder(canvas))
      #expect(order.identifiers.allSatisfy { order.place(of: $0)?.key == canvas[$0]?.properties.z })
      let isChangedAgain = order.update(changes, in: canvas)
      #expect(!isChangedAgain)
    }
    let deletions = order.identifiers.map { shape in
      canvas.apply(Operation(shape: shape, at: Stamp(time: .max, actor: ann), set: .deletion))
    }
    order.update(deletions, in: canvas)
    #expect(order.isEmpty)
  }

  @Test("to the front, to the back, one up, one down")
  func everydayMoves() {
    let (canvas, shapes) = canvas(["A", "B", "C", "D", "E"])
    let order = DrawingOrder(canvas)
    var generator = SeededGenerator(seed: 1)
    func after(_ places: [DrawingOrder.Place]) -> [Int] {
      DrawingOrder(applying(places, to: canvas)).identifiers.map { shapes.firstIndex(of: $0)! }
    }
    #expect(after(order.bringingToFront([shapes[1]], using: &generator)) == [0, 2, 3, 4, 1])
    #expect(after(order.bringingToFront([shapes[3], shapes[0]], using: &generator)) == [1, 2, 4, 0, 3])
    #expect(after(order.sendingToBack([shapes[4], shapes[2]], using: &generator)) == [2, 4, 0, 1, 3])
    #expect(after(order.bringingForward([shapes[1]], using: &generator)) == [0, 2, 1, 3, 4])
    #expect(after(order.bringingForward([shapes[0], shapes[1], shapes[3]], using: &generator)) == [2, 0, 1, 4, 3])
    #expect(after(order.bringingForward([shapes[2], shapes[4]], using: &generator)) == [0, 1, 3, 2, 4])
    #expect(after(order.bringingForward([shapes[0], shapes[2]], using: &generator)) == [1, 0, 3, 2, 4])
    #expect(after(order.sendingBackward([shapes[3], shapes[2]], using: &generator)) == [0, 2, 3, 1, 4])
    #expect(after(order.sendingBackward([shapes[2], shapes[4]], using: &generator)) == [0, 2, 1, 4, 3])
    #expect(after(order.sendingBackward([shapes[0], shapes[2]], using: &generator)) == [0, 2, 1, 3, 4])
    #expect(after(order.moving([shapes[4], shapes[0]], to: 1, using: &generator)) == [1, 0, 4, 2, 3])
    #expect(after(order.moving([shapes[4]], to: -3, using: &generator)) == [4, 0, 1, 2, 3])
  }

  @Test("shapes that are in place already, not on the canvas, or named twice need no key")
  func nothingToDo() {
    let (canvas, shapes) = canvas(["A", "B", "C", "C"])
    let order = DrawingOrder(canvas)
    var generator = SeededGenerator(seed: 1)
    #expect(order.bringingToFront([shapes[2], shapes[3]], using: &generator) == [])
    #expect(order.bringingForward([shapes[3]], using: &generator) == [])
    #expect(order.sendingBackward([shapes[0], shapes[1]], using: &generator) == [])
    #expect(order.moving([shapes[1], shapes[1]], to: 1, using: &generator) == [])
    #expect(order.moving([ann], to: 0, using: &generator) == [])
    #expect(order.bringingToFront([shapes[1], shapes[1]], using: &generator).count == 1)
    #expect(DrawingOrder().moving([ann], to: 0, using: &generator) == [])
  }

  @Test("moving one shape takes one new key if there is room")
  func oneKey() {
    let (canvas, shapes) = canvas(["A", "B", "C", "D", "E"])
    var generator = SeededGenerator(seed: 1)
    let places = DrawingOrder(canvas).moving([shapes[0]], to: 3, using: &generator)
    #expect(places.map(\.shape) == [shapes[0]])
    #expect(places[0].key > OrderKey("D")! && places[0].key < OrderKey("E")!)
  }

  @Test("after any move the order is as intended and the keys are allowed", arguments: 1...6)
  func randomMoves(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let long = String(repeating: "a", count: 63)
    let pool: [Text] = ["V", "V", "V1", "V2", Text(long + "1"), Text(long + "2"), Text(long), "1", "zz"]
    let made = self.canvas((0..<20).map { _ in pool.randomElement(using: &generator)! })
    var canvas = made.0
    let shapes = made.1
    var respaced = 0
    for step in 0..<400 {
      let order = DrawingOrder(canvas)
      let moved = (0..<Int.random(in: 1...4, using: &generator)).map { _ in shapes.randomElement(using: &generator)! }
      let index = step % 3 == 0 ? 3 : Int.random(in: 0...20, using: &generator)
      let places = order.moving(moved, to: index, using: &generator)
      let together = order.identifiers.filter { moved.contains($0) }
      var expected = order.identifiers.filter { !moved.contains($0) }
      expected.insert(contentsOf: together, at: min(index, expected.count))
      if places.count > together.count { respaced += 1 }
      canvas = applying(places, to: canvas, time: UInt64(step + 2))
      #expect(DrawingOrder(canvas).identifiers == expected)
      #expect(places.allSatisfy { OrderKey($0.key.text) != nil })
    }
    #expect(respaced > 0)
  }

  @Test("new shapes come on top, or wherever room is made for them")
  func inserting() {
    let (canvas, shapes) = canvas(["A", "V", "V", Text(String(repeating: "z", count: 64))])
    let order = DrawingOrder(canvas)
    var generator = SeededGenerator(seed: 9)
    #expect(!order.inserting(1, at: 4, using: &generator).moved.isEmpty, "nothing of 64 bytes lies beyond")
    #expect(DrawingOrder().inserting(1, at: 0, using: &generator).moved.isEmpty)
    for index in 0...4 {
      let insertion = order.inserting(3, at: index, using: &generator)
      #expect(insertion.keys.count == 3)
      var after = applying(insertion.moved, to: canvas)
      let new = (0..<3).map { Identifier(packed: UInt64(30 - $0))! }
      for (shape, key) in zip(new, insertion.keys) {
        let set = Properties { ($0.kind, $0.z) = (.star, key) }
        after.apply(.init(shape: shape, at: Stamp(time: 3, actor: ann), set: set))
      }
      var expected = shapes
      expected.insert(contentsOf: new, at: index)
      #expect(DrawingOrder(after).identifiers == expected)
    }
  }
}
