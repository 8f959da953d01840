import Testing

@testable import CanvasCRDT

@Suite("The canvas")
struct CanvasTests {
  private let shape = Identifier("afy-kw5-t7o")!
  private let ann = Identifier("abc-abc-abc")!
  private let ben = Identifier("k3j-9x2-m1p")!

  private func stamp(_ milliseconds: UInt64, _ actor: Identifier) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: 0, actor: actor)!
  }

  private func operation(
    _ milliseconds: UInt64,
    _ actor: Identifier,
    _ assign: (inout Properties) -> Void
  ) -> CanvasCRDT.Operation {
    return CanvasCRDT.Operation(shape: shape, at: stamp(milliseconds, actor), set: Properties(assign))
  }

  @Test("M5: a shape without a kind is not live; when the kind arrives it is, with everything that came before")
  func kindMakesLive() {
    var canvas = Canvas()
    let moved = canvas.apply(operation(2, ann) { $0.position = Point(x: 5, y: 6) })
    #expect(moved.lifecycle == .absent)
    #expect(canvas[shape] == nil)
    #expect(canvas.digest == 0)
    let made = canvas.apply(operation(1, ann) { $0.kind = .star })
    #expect(made.lifecycle == .appeared)
    #expect(canvas[shape]?.properties.position == Point(x: 5, y: 6))
    #expect(canvas[shape]?.properties.size == Size(width: 150, height: 120))
    #expect(canvas.liveCount == 1)
  }

  @Test("S2: after two people's drags, position and size are each one person's, whole", arguments: [false, true])
  func placesAreWhole(isReversed: Bool) {
    var canvas = Canvas()
    canvas.apply(operation(1, ann) { $0.kind = .ellipse })
    let drags = [
      operation(2, ann) { ($0.position, $0.size) = (Point(x: 10, y: 0), Size(width: 20, height: 120)) },
      operation(3, ben) { $0.position = Point(x: 0, y: 10) },
    ]
    for drag in isReversed ? drags.reversed() : drags { canvas.apply(drag) }
    #expect(canvas[shape]?.properties.position == Point(x: 0, y: 10))
    #expect(canvas[shape]?.properties.size == Size(width: 20, height: 120))
  }

  @Test("M5: a deletion beats the edits that it crossed, whatever their stamps")
  func deletionBeatsEdits() {
    var canvas = Canvas()
    canvas.apply(operation(1, ann) { $0.kind = .ellipse })
    let deleted = canvas.apply(operation(5, ben) { $0.delete() })
    #expect(deleted.lifecycle == .vanished)
    #expect(deleted.erased == [.kind])
    let crossed = canvas.apply(operation(9, ann) { $0.fill = Color(packed: 0xFF0000) })
    #expect(crossed.lifecycle == .absent)
    #expect(canvas[shape] == nil)
    #expect(canvas.liveCount == 0)
    #expect(canvas.digest == 0)
  }

  @Test("M4, M5: only writing the shape anew, kind and all, under a newer stamp brings it back")
  func writingAnewRevives() {
    var canvas = Canvas()
    canvas.apply(operation(1, ann) { ($0.kind, $0.alpha) = (.ellipse, 3) })
    canvas.apply(operation(5, ben) { $0.delete() })
    let late = canvas.apply(operation(5, ann) { $0.kind = .star })
    #expect(late.superseded == [.kind], "ben's identifier is the greater, so his erasure is")
    #expect(canvas.winner(of: .kind, in: shape) == stamp(5, ben))
    let back = canvas.apply(operation(6, ann) { $0.kind = .star })
    #expect(back.lifecycle == .appeared)
    #expect(canvas[shape]?.properties.alpha == 10, "what was erased stays gone")
  }

  @Test("M2, M8: an older write loses, and its writer is told to which stamp")
  func supersededIsNamed() {
    var canvas = Canvas()
    canvas.apply(operation(9, ben) { ($0.kind, $0.position) = (.ellipse, Point(x: 1, y: 1)) })
    let change = canvas.apply(operation(8, ann) { ($0.position, $0.alpha) = (Point(x: 2, y: 2), 4) })
    #expect(change.superseded == [.position])
    #expect(change.changed == [.alpha])
    #expect(canvas.winner(of: .position, in: shape) == stamp(9, ben))
  }

  @Test("a write that loses to a register is told so, even if a deletion beats it too")
  func supersededBesideErasure() {
    var canvas = Canvas()
    canvas.apply(operation(10, ann) { ($0.kind, $0.name) = (.star, "new") })
    let change = canvas.apply(
      operation(5, ann) {
        $0.name = "old"; $0.alpha = 3; $0.delete()
      }
    )
    #expect(change.superseded == [.name])
    #expect(change.changed == [.deleted])
    #expect(canvas.winner(of: .name, in: shape) == stamp(10, ann))
    #expect(canvas.apply(operation(5, ann) { $0.name = "old" }).superseded == [.name])
  }

  @Test("M4: an operation that moves and deletes reports no loss to its writer")
  func suckedIn() {
    var canvas = Canvas()
    canvas.apply(operation(1, ann) { $0.kind = .ellipse })
    let change = canvas.apply(
      operation(2, ann) {
        $0.position = Point(x: 9, y: 9); $0.delete()
      }
    )
    #expect(change.superseded.isEmpty)
    #expect(change.lifecycle == .vanished)
    #expect(canvas.shapeCount == 0)
    #expect(canvas.erasureCount == 1)
  }

  @Test("M3: two values under one stamp: the greater encoded value wins, whichever comes first")
  func tieByEncodedValue() {
    let nine = operation(1, ann) { ($0.kind, $0.alpha) = (.star, 9) }
    let ten = operation(1, ann) { ($0.kind, $0.alpha) = (.star, 10) }
    for pair in [[nine, ten], [ten, nine]] {
      var canvas = Canvas()
      for operation in pair { canvas.apply(operation) }
      #expect(canvas[shape]?.properties.alpha == 9, "as text, 9 is greater than 10")
    }
  }

  @Test("the changes since a place in the log are enough to catch up", arguments: 0..<20 as Range<UInt64>)
  func deltas(seed: UInt64) {
    var history = RandomHistory(seed: seed, shapes: 90)
    var canvas = Canvas()
    var place: UInt64 = 0
    for operation in history.operations(300) {
      place += 3
      canvas.apply(operation, place: place)
    }
    let reader = canvas
    let from = place
    let late = history.operations(40)
    for operation in late {
      place += 3
      canvas.apply(operation, place: place)
    }
    var caughtUp = reader
    let delta = canvas.operations(since: from)
    for operation in delta { caughtUp.apply(operation) }
    #expect(caughtUp == canvas)
    #expect(Set(delta.map(\.shape)).isSubset(of: late.map(\.shape)))
    #expect(canvas.operations(since: place).isEmpty)
  }

  @Test("a state that comes at a place is among the changes since then, whatever was there before", arguments: [0, 1])
  func mergedAtAPlace(before: Int) {
    var history = RandomHistory(seed: 3, shapes: 90)
    var state = Canvas()
    for operation in history.operations(400) { state.apply(operation) }
    var canvas = Canvas()
    // Pages are taken over whole only if all pages that are there are full.
    for _ in 0..<before { canvas.apply(operation(1, ann) { $0.kind = .star }, place: 4) }
    for part in state.stateParts() { canvas.merge(part.changingRecords { _ in }, place: 5) }
    #expect(canvas.operations(since: 4) == state.operations())
    #expect(canvas.operations(since: 5).isEmpty)
    #expect(canvas.liveCount == state.liveCount + before && canvas.longBytes == state.longBytes)
  }

  @Test("a copy is a snapshot: later changes don't reach it")
  func snapshots() {
    var history = RandomHistory(seed: 7, shapes: 200)
    var canvas = Canvas()
    for operation in history.operations(800) { canvas.apply(operation) }
    let snapshot = canvas
    let before = snapshot.operations()
    for operation in history.operations(400) { canvas.apply(operation) }
    #expect(snapshot.operations() == before)
    #expect(canvas != snapshot)
  }

  @Test("an erasure is forgotten after the horizon, and not before")
  func horizon() {
    var canvas = Canvas()
    canvas.apply(operation(1_000, ann) { $0.kind = .ellipse })
    canvas.apply(operation(2_000, ann) { $0.delete() })
    #expect(canvas.forgetErasures(before: 2_000) == 0)
    #expect(canvas.stamp(of: .deleted, in: shape) == stamp(2_000, ann))
    #expect(canvas.forgetErasures(before: 2_001) == 1)
    #expect(canvas.isEmpty && canvas.forgottenBefore == stamp(2_000, ann).time + 1)
    canvas.restore(forgottenUpTo: 0, before: 1)
    #expect(canvas.forgottenBefore == stamp(2_000, ann).time + 1, "what was forgotten stays so")
    canvas.restore(forgottenUpTo: 7, before: .max)
    #expect(canvas.forgottenUpTo == 7 && canvas.forgottenBefore == .max)
  }

  @Test("a client from before an erasure that was forgotten needs the whole state, also where late edits lie over it")
  func forgottenUnderLateEdits() {
    var canvas = Canvas()
    canvas.apply(operation(1_000, ann) { $0.kind = .ellipse }, place: 1)
    canvas.apply(operation(2_000, ann) { $0.delete() }, place: 2)
    canvas.apply(operation(3_000, ben) { $0.alpha = 4 }, place: 3)
    #expect(canvas.forgetErasures(before: 2_001) == 1)
    #expect(canvas.forgottenUpTo >= 2 && canvas.forgottenBefore == stamp(2_000, ann).time + 1)
  }

  @Test("slots are reused, so drawing and deleting for ever takes no more memory")
  func slotsAreReused() {
    var canvas = Canvas()
    var generator = SeededGenerator(seed: 3)
    var clock = Clock(actor: ann)
    for round in 0..<2_000 {
      let shape = Identifier.random(using: &generator)
      let set = Properties { $0.kind = .rectangle }
      canvas.apply(CanvasCRDT.Operation(shape: shape, at: clock.tick(milliseconds: UInt64(round)), set: set))
      canvas.apply(CanvasCRDT.Operation(shape: shape, at: clock.tick(milliseconds: UInt64(round)), set: .deletion))
    }
    #expect(canvas.slotCount == 1)
    #expect(canvas.erasureCount == 2_000)
  }
}

@Suite("Masks of properties")
struct PropertyMaskTests {
  @Test("masks that are written as numbers have the properties in their names")
  func constants() {
    #expect(Array(PropertyMask.all) == Property.allCases.sorted { $0.rawValue < $1.rawValue })
    #expect(Array(PropertyMask.registers) == Array(PropertyMask.all).filter { $0 != .deleted })
    #expect(PropertyMask.all.count == Property.count)
  }
}
