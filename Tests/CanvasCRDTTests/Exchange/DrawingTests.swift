import Testing

@testable import CanvasCRDT

@Suite("A drawing as a document")
struct DrawingTests {
  private let ann = Identifier("abc-abc-abc")!
  private let sun = Identifier("afy-kw5-t7o")!
  private let star = Identifier("k3j-9x2-m1p")!

  private func canvas() -> Canvas {
    var canvas = Canvas()
    var set = Properties()
    set.kind = .rectangle
    set.position = Point(x: 45, y: 44.5)
    set.size = Size(width: 89, height: 92)
    set.fill = Color(packed: 0xEBC641)
    set.alpha = 7
    set.name = "Sun \"&\u{E9}\""
    set.z = OrderKey("Z")!
    canvas.apply(.init(shape: sun, at: Stamp("1763650000000.3.abc-abc-abc")!, set: set))
    let other = Properties { ($0.kind, $0.visible) = (.star, false) }
    canvas.apply(.init(shape: star, at: Stamp("1763650000001.0.abc-abc-abc")!, set: other))
    return canvas
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("S1: it has every property in the contract's order, with defaults filled in, and the top shape last")
  func golden() throws {
    try GoldenFiles.expect(Drawing(canvas()).document(room: "demo", cursor: "c-17"), in: "drawing.json")
  }

  @Test("its stamps say who wrote each property that isn't a default")
  func stamps() {
    let document = text(Drawing(canvas()).document(stamps: true))
    #expect(
      document.contains(
        #""innerRatio":0.5,"stamps":{"kind":"1763650000001.0.abc-abc-abc","visible":"1763650000001.0.abc-abc-abc"}}"#
      )
    )
    #expect(document.contains(#""stamps":{"kind":"1763650000000.3.abc-abc-abc","name":"1763650000000.3.abc-abc-abc","#))
    // A name that counts as none (S3) has a register too.
    var canvas = canvas()
    let base = Properties { $0.name = Text("Star \(star.description.suffix(3))") }
    canvas.apply(.init(shape: star, at: Stamp("1763650000002.0.abc-abc-abc")!, set: base))
    #expect(text(Drawing(canvas).document(stamps: true)).contains(#""name":"1763650000002.0.abc-abc-abc""#))
  }

  @Test("S14: a document of some shapes has no others, and its lines lose their ties to others if that is wanted")
  func some() throws {
    var canvas = canvas()
    let line = Identifier("lll-lll-lll")!
    let tied = Properties {
      $0.kind = .line
      $0.from = Tie(shape: sun, place: .middle)
      $0.to = Tie(shape: star, place: .middle)
    }
    canvas.apply(.init(shape: line, at: Stamp("1763650000002.0.abc-abc-abc")!, set: tied))
    var order = DrawingOrder()
    for shape in [sun, line] { order.update(shape, in: canvas) }
    for untiesOthers in [false, true] {
      var drawing = Drawing(canvas, order: order, names: ShownNames(canvas))
      drawing.untiesOthers = untiesOthers
      let shapes = try Import.read(drawing.document())
      #expect(shapes.map(\.id) == [line, sun])
      #expect(shapes[0].properties.from == tied.from)
      #expect(shapes[0].properties.to == (untiesOthers ? nil : tied.to))
    }
  }

  @Test("an empty canvas is an empty list")
  func empty() {
    #expect(text(Drawing(Canvas()).document()) == #"{"shapes":[]}"#)
  }

  @Test("a saved drawing that is loaded again is the same drawing", arguments: 1...8)
  func roundTrip(seed: UInt64) throws {
    var history = RandomHistory(seed: seed, shapes: 40)
    var canvas = Canvas()
    for operation in history.operations(600) { canvas.apply(operation) }
    let saved = Drawing(canvas).document()
    #expect(canvas.liveCount > 10)
    var generator = SeededGenerator(seed: seed)
    let shapes = try Import.read(saved)
    var loaded = Canvas()
    for edit in Import.edits(for: shapes, identifiers: .same, over: DrawingOrder(), using: &generator) {
      loaded.apply(.init(shape: edit.shape, at: Stamp(time: 1, actor: ann), set: edit.set))
    }
    #expect(text(Drawing(loaded).document()) == text(saved))
  }

  @Test("a drawing that is loaded as a copy comes on top, in its order, with new identifiers", arguments: 1...4)
  func copied(seed: UInt64) throws {
    var history = RandomHistory(seed: seed, shapes: 12)
    var canvas = Canvas()
    for operation in history.operations(200) { canvas.apply(operation) }
    let before = Drawing(canvas)
    var generator = SeededGenerator(seed: seed + 1_000)
    let shapes = try Import.read(before.document())
    let edits = Import.edits(for: shapes, identifiers: .new, over: before.order, using: &generator)
    for edit in edits { canvas.apply(.init(shape: edit.shape, at: Stamp(time: .max, actor: ann), set: edit.set)) }
    let after = DrawingOrder(canvas).identifiers
    #expect(after.count == 2 * before.order.count)
    #expect(Array(after.prefix(before.order.count)) == before.order.identifiers)
    for (copy, original) in zip(after.suffix(before.order.count), before.order.identifiers) {
      #expect(copy != original)
      #expect(canvas[copy]?.outline == canvas[original]?.outline)
      #expect(canvas[copy]?.properties.fill == canvas[original]?.properties.fill)
    }
  }

  @Test("a copy of a shape without a name of its own gets a new made-up name")
  func madeUpNames() throws {
    let shapes = try Import.read(Drawing(canvas()).document())
    #expect(shapes.map { $0.properties.assigned.contains(.name) } == [false, true])
    #expect(shapes.map(\.id) == [star, sun])
  }

  @Test("a shown name that is too long because of its number is imported without the number")
  func longNames() throws {
    let long = Text(String(repeating: "n", count: 128))
    var canvas = Canvas()
    for shape in [sun, star] {
      let set = Properties { ($0.kind, $0.name) = (.ellipse, long) }
      canvas.apply(.init(shape: shape, at: Stamp(time: 1, actor: ann), set: set))
    }
    #expect(ShownNames(canvas).name(of: star)?.utf8Count == 130)
    let shapes = try Import.read(Drawing(canvas).document())
    #expect(shapes.map(\.properties.name) == [long, long])
  }
}
