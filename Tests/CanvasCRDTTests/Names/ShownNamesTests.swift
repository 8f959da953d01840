import Testing

@testable import CanvasCRDT

@Suite("Names as shown")
struct ShownNamesTests {
  private let ann = Identifier("abc-abc-abc")!

  /// A canvas whose shapes were named in this order, one millisecond apart. `nil` means no name.
  private func canvas(_ names: [Text?], _ shapes: [Identifier]) -> Canvas {
    var canvas = Canvas()
    for (index, (name, shape)) in zip(names, shapes).enumerated() {
      canvas.apply(named(name, shape, at: UInt64(index + 1)))
    }
    return canvas
  }

  private func named(_ name: Text?, _ shape: Identifier, at milliseconds: UInt64) -> CanvasCRDT.Operation {
    var set = Properties()
    set.kind = .rectangle
    if let name { set.name = name }
    return CanvasCRDT.Operation(shape: shape, at: Stamp(milliseconds: milliseconds, counter: 0, actor: ann)!, set: set)
  }

  private func identifiers(_ count: Int, seed: UInt64 = 1) -> [Identifier] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Identifier.random(using: &generator) }
  }

  private func shown(_ names: [Text?]) -> [Text] {
    let shapes = identifiers(names.count)
    let shownNames = ShownNames(canvas(names, shapes))
    return shapes.map { shownNames.name(of: $0)! }
  }

  @Test("S4: the first to carry a name shows it bare, the others are numbered in the order of their stamps")
  func numbered() {
    #expect(shown(["Sun", "Moon", "Sun", "Sun"]) == ["Sun", "Moon", "Sun 2", "Sun 3"])
  }

  @Test("S4: a number that another shape has in its own name is skipped")
  func passedOver() {
    #expect(shown(["Sun", "Sun", "Sun", "Sun 2"]) == ["Sun", "Sun 3", "Sun 4", "Sun 2"])
    #expect(shown(["Sun 3", "Sun", "Sun", "Sun", "Sun 4"]) == ["Sun 3", "Sun", "Sun 2", "Sun 5", "Sun 4"])
    #expect(shown(["Sun 02", "Sun", "Sun"]) == ["Sun 02", "Sun", "Sun 2"])
    #expect(shown(["Sun 4", "Sun 2", "Sun", "Sun", "Sun"]) == ["Sun 4", "Sun 2", "Sun", "Sun 3", "Sun 5"])
  }

  @Test("shapes that share a numbered name get a second number")
  func cascade() {
    #expect(shown(["Sun", "Sun", "Sun 2", "Sun 2"]) == ["Sun", "Sun 3", "Sun 2", "Sun 2 2"])
    #expect(shown(["Sun 2", "Sun 2", "Sun 2 2", "Sun"]) == ["Sun 2", "Sun 2 3", "Sun 2 2", "Sun"])
  }

  @Test("S3, S4: made-up names are shared, numbered and skipped like any other")
  func madeUp() {
    let shapes = [Identifier("aaa-aaa-t7o")!, Identifier("bbb-bbb-t7o")!]
    let names = ShownNames(canvas([nil, nil], shapes))
    #expect(shapes.map { names.name(of: $0) } == ["Rectangle t7o", "Rectangle t7o 2"])

    var many = identifiers(110, seed: 2)
    many.append(Identifier("ccc-ccc-102")!)
    let crowded = ShownNames(canvas([Text?](repeating: "Rectangle", count: 110) + [nil], many))
    #expect(crowded.name(of: many[110]) == "Rectangle 102")
    #expect(crowded.name(of: many[100]) == "Rectangle 101")
    #expect(crowded.name(of: many[101]) == "Rectangle 103")
    #expect(crowded.identifier(named: "Rectangle 102") == many[110])
  }

  @Test("names with different bytes are different, even if Unicode considers them equivalent")
  func bytesDecide() {
    #expect(shown(["Gr\u{FC}n", "Gru\u{308}n"]) == ["Gr\u{FC}n", "Gru\u{308}n"])
  }

  @Test(
    "after every edit the names follow the definition, and exactly those that changed are reported",
    arguments: 1...6
  )
  func followsDefinition(seed: UInt64) {
    var history = NamingHistory(seed: seed)
    var canvas = Canvas()
    var names = ShownNames()
    var before: [Identifier: Text] = [:]
    var renamedOthers = 0
    for round in 0..<1_500 {
      // Every third update follows several edits.
      let changes = (0..<[1, 1, 4][round % 3]).map { _ in canvas.apply(history.next()) }
      let renamed = names.update(changes.map(\.shape), in: canvas)
      let after = definition(canvas)
      #expect(Set(after.values).count == after.count, "names are unique as shown")
      let expected = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
      #expect(renamed == expected)
      #expect(
        renamed.isEmpty || changes.contains { ShownNames.concerns($0) },
        "who looks only at such changes misses no name"
      )
      for shape in history.shapes { #expect(names.name(of: shape) == after[shape]) }
      for (shape, name) in after { #expect(names.identifier(named: name) == shape) }
      for name in NamingHistory.names where !after.values.contains(name) {
        #expect(names.identifier(named: name) == nil)
      }
      #expect(names.count == canvas.liveCount)
      if renamed.contains(where: { !changes.map(\.shape).contains($0) }) { renamedOthers += 1 }
      before = after
    }
    #expect(renamedOthers > 100, "the history has to rename bystanders to be worth running")
  }

  /// The shown names, computed directly from the rule in docs/PROTOCOL.md.
  private func definition(_ canvas: Canvas) -> [Identifier: Text] {
    let shapes = canvas.shapes
    let carried = Set(shapes.map(\.baseName))
    var shown: [Identifier: Text] = [:]
    for name in carried {
      let sharing = shapes.filter { $0.baseName == name }
        .sorted { $0.nameStamp != $1.nameStamp ? $0.nameStamp < $1.nameStamp : $0.id < $1.id }
      shown[sharing[0].id] = name
      var number = 1
      for shape in sharing.dropFirst() {
        repeat { number += 1 } while carried.contains(Text("\(name) \(number)"))
        shown[shape.id] = Text("\(name) \(number)")
      }
    }
    return shown
  }
}

/// Random edits in which shapes share, take over and drop a few names. Some names are another name with a number
/// appended.
private struct NamingHistory {
  static let names: [Text] = [
    "Sun", "Sun 2", "Sun 3", "Sun 4", "Sun 2 2", "Sun 2 3", "Sun 02", "Sun 1", "2", " 2", "Rectangle t7o",
  ]

  var generator: SeededGenerator
  var shapes: [Identifier] = []
  var milliseconds: UInt64 = 1_000

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    for index in 0..<14 {
      let packed = UInt64.random(in: 0..<Identifier.packedLimit, using: &generator)
      // The first four identifiers end in the same group of characters. Generated names show only this group, so these
      // names collide.
      shapes.append(index < 4 ? Identifier(packed: packed / 46_656 * 46_656 + 7)! : Identifier(packed: packed)!)
    }
  }

  mutating func next() -> CanvasCRDT.Operation {
    milliseconds += UInt64.random(in: 0...2, using: &generator)
    let late = UInt64.random(in: 0...20, using: &generator)
    let stamp = Stamp(
      milliseconds: milliseconds - late,
      counter: UInt64.random(in: 0...1, using: &generator),
      actor: Identifier(packed: UInt64.random(in: 1...2, using: &generator))!
    )!
    var set = Properties()
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: set.delete()
    case 1, 2: set.kind = ShapeKind.allCases.randomElement(using: &generator)!
    case 3: set.visible = Bool.random(using: &generator)
    case 4:
      // Sets the kind and the name in one operation, as undoing a deletion does.
      set.kind = .rectangle
      set.name = NamingHistory.names.randomElement(using: &generator)!
    default:
      set.name =
        NamingHistory.names[min(Int.random(in: 0..<11, using: &generator), Int.random(in: 0..<11, using: &generator))]
    }
    return CanvasCRDT.Operation(shape: shapes.randomElement(using: &generator)!, at: stamp, set: set)
  }
}
