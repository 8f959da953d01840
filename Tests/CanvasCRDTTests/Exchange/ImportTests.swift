import Testing

@testable import CanvasCRDT

@Suite("Importing")
struct ImportTests {
  private func read(_ text: String, shapesMax: Int = Import.shapesMax) throws(ImportError) -> [ImportedShape] {
    try Import.read([UInt8](text.utf8), shapesMax: shapesMax)
  }

  private func failure(_ text: String, shapesMax: Int = Import.shapesMax) -> String {
    do throws(ImportError) {
      _ = try read(text, shapesMax: shapesMax)
      return "nothing"
    } catch {
      return error.description
    }
  }

  @Test("a layout of squares has single or double quotes, colour or color, and maybe other members")
  func layout() throws {
    let shapes = try read(
      """
      { 'squares': [{ 'x': 120, 'y': 230, 'colour': '#FF0000', 'size': 250},
        {"x":-5.5,"y":1e2,"color":"#00ff7f","size":1, "note": {"it's": ["passed over", null]}}], 'more': true }
      """
    )
    var first = Properties()
    first.kind = .rectangle
    first.position = Point(x: 120, y: 230)
    first.size = Size(width: 250, height: 250)
    first.fill = Color(packed: 0xFF0000)
    var second = Properties()
    second.kind = .rectangle
    second.position = Point(x: -5.5, y: 100)
    second.size = Size(width: 1, height: 1)
    second.fill = Color(packed: 0x00FF7F)
    #expect(shapes == [ImportedShape(properties: first), ImportedShape(properties: second)])
    #expect(try read("{'squares':[]}").isEmpty)
  }

  @Test(
    "H8: if a square has both, color counts, whichever comes first",
    arguments: ["'color':'#000001','colour':'#000002'", "'colour':'#000002','color':'#000001'"]
  )
  func bothColors(_ members: String) throws {
    let shapes = try read("{'squares':[{'x':0,'y':0,'size':9,\(members)}]}")
    #expect(shapes.map(\.properties.fill) == [Color(packed: 0x000001)])
  }

  @Test("squares are drawn in the order of the layout, on top of what is there")
  func layoutOrder() throws {
    let square = "{'x':0,'y':0,'colour':'#000000','size':9}"
    let shapes = try read("{'squares':[" + [String](repeating: square, count: 50).joined(separator: ",") + "]}")
    var canvas = Canvas()
    let set = Properties { ($0.kind, $0.z) = (.star, OrderKey("zz")!) }
    let below = Identifier("zzz-zzz-zzz")!
    canvas.apply(.init(shape: below, at: Stamp(time: 1, actor: below), set: set))
    var generator = SeededGenerator(seed: 1)
    let edits = Import.edits(for: shapes, identifiers: .same, over: DrawingOrder(canvas), using: &generator)
    for edit in edits { canvas.apply(.init(shape: edit.shape, at: Stamp(time: 2, actor: below), set: edit.set)) }
    #expect(DrawingOrder(canvas).identifiers == [below] + edits.map(\.shape))
  }

  @Test("if no room is left on top, the shapes that are there make room")
  func makingRoom() throws {
    let shapes = try read("{'squares':[{'x':0,'y':0,'colour':'#000000','size':9}]}")
    var canvas = Canvas()
    let below = Identifier("zzz-zzz-zzz")!
    let set = Properties { ($0.kind, $0.z) = (.star, OrderKey(Text(String(repeating: "z", count: 64)))!) }
    canvas.apply(.init(shape: below, at: Stamp(time: 1, actor: below), set: set))
    var generator = SeededGenerator(seed: 1)
    let edits = Import.edits(for: shapes, identifiers: .new, over: DrawingOrder(canvas), using: &generator)
    #expect(edits.count == 2)
    #expect(edits[0].shape == below)
    #expect(edits[0].set.assigned == [.z])
    for edit in edits { canvas.apply(.init(shape: edit.shape, at: Stamp(time: 2, actor: below), set: edit.set)) }
    #expect(DrawingOrder(canvas).identifiers == [below, edits[1].shape])
  }

  @Test("S13: copies of grouped shapes are a group of their own; what is brought back stays in its group")
  func groups() throws {
    let members = ["aaa-aaa-aaa", "aaa-aaa-aaa", "bbb-bbb-bbb", ""].map { #"{"kind":"star","group":"\#($0)"}"# }
    let shapes = try read(#"{"shapes":[\#(members.joined(separator: ","))]}"#)
    var generator = SeededGenerator(seed: 1)
    func groups(_ identifiers: Import.Identifiers) -> [Identifier?] {
      Import.edits(for: shapes, identifiers: identifiers, over: DrawingOrder(Canvas()), using: &generator).map(
        \.set.group
      )
    }
    let old = [Identifier("aaa-aaa-aaa")!, Identifier("bbb-bbb-bbb")!]
    #expect(groups(.same) == [old[0], old[0], old[1], nil])
    let new = groups(.new)
    #expect(new[0] == new[1] && new[3] == nil)
    #expect(Set([new[0], new[2]] + old).count == 4)
  }

  @Test("S14: copies of lines are tied to the copies of their shapes; what is brought back keeps its ties")
  func ties() throws {
    let (one, gone) = (Identifier("aaa-aaa-aaa")!, Identifier("zzz-zzz-zzz")!)
    func tie(_ shape: Identifier) -> Tie { Tie(shape: shape, place: BoxPlace(x: 1, y: 2)) }
    let shapes = [
      ImportedShape(id: Identifier(packed: 7)!, properties: Properties { ($0.kind, $0.from) = (.line, tie(one)) }),
      ImportedShape(id: one, properties: .star),
      ImportedShape(properties: Properties { ($0.kind, $0.from, $0.to) = (.line, tie(gone), tie(one)) }),
    ]
    var generator = SeededGenerator(seed: 1)
    func edits(_ identifiers: Import.Identifiers) -> [(shape: Identifier, set: Properties)] {
      Import.edits(for: shapes, identifiers: identifiers, over: DrawingOrder(), using: &generator)
    }
    let copies = edits(.new)
    #expect(copies[1].shape != one)
    #expect(copies[0].set.from == tie(copies[1].shape))
    #expect(copies[2].set.from == nil && copies[2].set.to == tie(copies[1].shape))
    let same = edits(.same)
    #expect(same[0].set.from == tie(one) && same[2].set.from == tie(gone) && same[2].set.to == tie(one))
    #expect(same.prefix(2).map(\.shape) == [Identifier(packed: 7)!, one])
  }

  @Test("a drawing's shape gets the properties in the document and no others")
  func drawing() throws {
    let shapes = try read(#"{"shapes":[{"points":7,"kind":"polygon","deleted":true,"stamps":{}},{"kind":"star"}]}"#)
    #expect(shapes.count == 2)
    #expect(shapes[0].id == nil)
    #expect(shapes[0].properties.assigned == [.kind, .points])
    #expect(shapes[0].properties.points == 7)
    #expect(shapes[1].properties.assigned == [.kind])
  }

  @Test(
    "an error says what is wrong, and where",
    arguments: [
      ("", "the text ends too early at byte 0"),
      ("{\"shapes\":[", "the text ends too early at byte 11"),
      ("{\"a\":\"\\ud800\"}", "half a surrogate pair in a string at byte 6"),
      ("[]", "neither a layout with squares nor a drawing with shapes"),
      ("{}", "neither a layout with squares nor a drawing with shapes"),
      ("{\"a\":{\"shapes\":[]}}", "neither a layout with squares nor a drawing with shapes"),
      ("{\"shapes\":{}}", "shapes: must be a list"),
      ("{\"squares\":3}", "squares: must be a list"),
      ("{\"shapes\":[{\"kind\":\"star\"},7]}", "shapes[1]: must be an object"),
      ("{'squares':[{'x':1,'y':2,'size':3}]}", "squares[0].colour: is missing"),
      ("{'squares':[{'x':1,'y':2,'colour':'#010203'}]}", "squares[0].size: is missing"),
      ("{'squares':[{'y':2,'colour':'#010203','size':1}]}", "squares[0].x: is missing"),
      ("{'squares':[{'x':2,'colour':'#010203','size':1}]}", "squares[0].y: is missing"),
      ("{'squares':[{'x':'1'}]}", "squares[0].x: must be a number from -10000000 to 10000000"),
      ("{'squares':[{'y':1e400}]}", "squares[0].y: must be a number from -10000000 to 10000000"),
      ("{'squares':[{'size':0.5}]}", "squares[0].size: must be a number from 1 to 1000000"),
      ("{'squares':[{'colour':'red'}]}", "squares[0].colour: must be a colour as #RRGGBB"),
      ("{'squares':[{'color':7}]}", "squares[0].color: must be a colour as #RRGGBB"),
      ("{'squares':[{'colour':'#010203','color':null}]}", "squares[0].color: must be a colour as #RRGGBB"),
      ("{'squares':[{'color':'#010203','colour':null}]}", "squares[0].colour: must be a colour as #RRGGBB"),
      (
        "{\"shapes\":[{}]}",
        "shapes[0].kind: kind must be rectangle, roundedRectangle, ellipse, polygon, star, text, line or ink"
      ),
      (
        "{\"shapes\":[{\"kind\":\"star\"},{\"size\":[1]}]}",
        "shapes[1].size: size must be [width, height], each a number from 1 to 1000000"
      ),
      (
        "{\"shapes\":[{\"id\":\"AFY-kw5-t7o\"}]}",
        "shapes[0].id: id must be three groups of three of 0-9a-z, as in afy-kw5-t7o"
      ),
      (
        "{\"shapes\":[{\"id\":\"afy-kw5-t7o\",\"kind\":\"star\"},{\"id\":\"afy-kw5-t7o\",\"kind\":\"star\"}]}",
        "shapes[1].id: id is the id of an earlier shape"
      ),
    ]
  )
  func failures(_ text: String, _ expected: String) {
    #expect(failure(text) == expected)
  }

  @Test("S8: characters that can't be seen are removed from names for a room, and kept for a picture")
  func hiddenCharacters() throws {
    let names = ["a\u{200B}b", "\u{200B}", "c"]
    let shapes = names.map { #"{"kind":"star","name":"\#($0)"}"# }.joined(separator: ",")
    let document = [UInt8](#"{"shapes":[\#(shapes)]}"#.utf8)
    let cleaned = try Import.read(document)
    #expect(cleaned.map(\.properties.name.string) == ["ab", "", "c"])
    #expect(cleaned.map { $0.properties.assigned.contains(.name) } == [true, false, true])
    #expect(cleaned.map(\.hasCleanedName) == [true, true, false])
    let stored = try Import.read(document, names: .asStored)
    #expect(stored.map(\.properties.name.string) == names && !stored.contains { $0.hasCleanedName })
    let long = String(repeating: "a", count: 128)
    let longest = [UInt8]("{'shapes':[{'kind':'star','name':'\u{200B}\(long)'}]}".utf8)
    #expect(try Import.read(longest).map(\.properties.name.string) == [long], "what is left is short enough")
  }

  @Test("a document with too many shapes is refused")
  func tooMany() {
    let document = #"{"shapes":[{"kind":"star"},{"kind":"star"},{"kind":"star"}]}"#
    #expect(failure(document, shapesMax: 2) == "more than 2 shapes")
    #expect(failure(document, shapesMax: 3) == "nothing")
  }
}
