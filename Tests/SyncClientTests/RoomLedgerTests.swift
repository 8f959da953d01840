import CanvasCRDT
import Testing

@testable import sync_client

@Suite struct RoomLedgerTests {
  private let ann = RoomEvent.Writer.person(Person(actor: Identifier(packed: 1)!, name: "Ann", color: nil))
  private let bob = RoomEvent.Writer.person(Person(actor: Identifier(packed: 2)!, name: "Bob", color: nil))

  /// A room, and the events that its ledger has returned.
  private struct Told {
    var canvas = Canvas()
    var ledger = RoomLedger(Canvas())
    var time: UInt64 = 1_000
    private var counter: UInt64 = 0

    init() {}

    var now: Moment { Moment(wallMilliseconds: time, monotonicMilliseconds: time) }

    mutating func write(_ shape: Identifier, by writer: RoomEvent.Writer, _ assign: (inout Properties) -> Void)
      -> [RoomEvent]
    {
      counter += 1
      let stamp = Stamp(milliseconds: 1_000_000, counter: counter, actor: Identifier(packed: 1)!)!
      let change = canvas.apply(Operation(shape: shape, at: stamp, set: Properties(assign)))
      return ledger.take([change], by: writer, on: canvas, at: now)
    }

    mutating func rest(_ milliseconds: UInt64 = RoomLedger.restMilliseconds) -> [RoomEvent] {
      time += milliseconds
      return ledger.due(at: now)
    }
  }

  private let sun = Identifier("sun-000-000")!
  private let moon = Identifier("moo-n00-000")!

  @Test("lines that were moved with a shape and are gone are remembered no longer") func strayLines() {
    var told = Told()
    _ = told.write(sun, by: ann) { $0.kind = .star }
    for number in 1...20 as ClosedRange<UInt64> {
      let line = Identifier(packed: number)!
      _ = told.write(line, by: ann) { ($0.kind, $0.from) = (.line, Tie(shape: sun, place: BoxPlace(x: 0, y: 0))) }
      _ = told.write(sun, by: ann) { $0.position = Point(x: Double(number), y: 0) }
      #expect(told.ledger.picture.strayLines.count == 1)
      _ = told.write(line, by: ann) { $0.delete() }
    }
    #expect(told.ledger.picture.strayLines.isEmpty)
  }

  @Test("of those who have left, only the last are remembered, however they were noticed to be gone") func people() {
    var ledger = RoomLedger(Canvas())
    func peer(_ number: UInt64) -> Peer {
      Peer(actor: Identifier(packed: number)!, name: "Ann", color: Color(packed: 0))
    }
    for number in 1...500 as ClosedRange<UInt64> {
      ledger.note(peer(number))
      ledger.noteLeft(peer(number).actor)
    }
    #expect(ledger.people.count == People.goneMax)
    #expect(ledger.people[peer(500).actor].name == "Ann" && ledger.people[peer(1).actor].name == nil)
    // Somebody who came back is here, even if many others leave later.
    ledger.note(peer(500))
    for number in 501...1_000 as ClosedRange<UInt64> { ledger.note(peer(number)) }
    for _ in 0..<2 { ledger.note(all: [peer(500), peer(7)]) }
    #expect(ledger.people.count == People.goneMax + 2)
    #expect(ledger.people[peer(500).actor].name == "Ann")
  }

  @Test("a drag is told once it has come to rest, with its end") func drag() {
    var told = Told()
    #expect(told.write(sun, by: ann) { ($0.kind, $0.name) = (.star, "Sun") } == [])
    #expect(told.rest().count == 1)
    for step in 0..<20 {
      #expect(told.write(sun, by: ann) { $0.position = Point(x: Double(step), y: 0) } == [])
      #expect(told.rest(20) == [])
    }
    let events = told.rest()
    let set = Properties { $0.position = Point(x: 19, y: 0) }
    #expect(events.map { $0.what } == [.changed(ShapeName(id: sun, name: "Sun"), set)])
    #expect(events[0].by == ann)
    #expect(told.ledger.nextDue == nil)
  }

  @Test("a movement without rest is reported now and then") func restless() {
    var told = Told()
    _ = told.write(sun, by: ann) { $0.kind = .star }
    _ = told.rest()
    var count = 0
    for step in 0..<600 {
      _ = told.write(sun, by: ann) { $0.rotation = Double(step) }
      count += told.rest(50).count
    }
    #expect((5...7).contains(count))
  }

  @Test("another's hand ends a drag, and a deletion is told at once") func hands() {
    var told = Told()
    _ = told.write(sun, by: ann) { ($0.kind, $0.name) = (.star, "Sun") }
    _ = told.rest()
    _ = told.write(sun, by: ann) { $0.rotation = 10 }
    let events = told.write(sun, by: bob) { $0.alpha = 3 }
    #expect(events.count == 1 && events[0].by == ann)
    let gone = told.write(sun, by: bob) { $0.delete() }
    #expect(gone.count == 2)
    #expect(gone[1].what == .deleted(ShapeName(id: sun, name: "Sun"), intoBlackHole: false))
    #expect(told.rest() == [])
  }

  @Test("overlaps are told behind the changes that led to them; a flicker is not told") func overlaps() {
    var told = Told()
    _ = told.write(sun, by: ann) { ($0.kind, $0.name, $0.size) = (.rectangle, "Sun", Size(width: 100, height: 100)) }
    _ = told.write(moon, by: ann) {
      $0.kind = .rectangle
      $0.name = "Moon"
      $0.size = Size(width: 50, height: 50)
      $0.position = Point(x: 500, y: 0)
    }
    #expect(told.rest().count == 2)
    _ = told.write(moon, by: ann) { $0.position = Point(x: 75, y: 0) }
    let began = told.rest().map { $0.what }
    let names = (ShapeName(id: moon, name: "Moon"), ShapeName(id: sun, name: "Sun"))
    #expect(began.count == 2)
    #expect(began.last == .overlapBegan(names.0, names.1, share: 0.5))
    for x in [300.0, 60, 300, 75] { _ = told.write(moon, by: ann) { $0.position = Point(x: x, y: 0) } }
    #expect(told.rest().count == 1, "it overlaps as it did before")
    _ = told.write(sun, by: ann) { $0.delete() }
    #expect(told.rest().map { $0.what } == [.overlapEnded(names.0, names.1)])
  }

  @Test("overlaps during a movement wait for its end, and the time to ask again is never past") func order() {
    var told = Told()
    _ = told.write(sun, by: ann) { $0.kind = .rectangle }
    _ = told.rest()
    _ = told.write(moon, by: ann) { $0.kind = .rectangle }
    for step in 0..<10 {
      _ = told.write(moon, by: ann) { $0.position = Point(x: Double(step), y: 0) }
      #expect(told.rest(200) == [])
      #expect(told.ledger.nextDue.map { $0 > told.time } == true)
    }
    #expect(told.rest().count == 2)
  }

  @Test("a shape that gets another name is told of by the one that it had") func renaming() {
    var told = Told()
    _ = told.write(sun, by: ann) { ($0.kind, $0.name) = (.star, "Sun") }
    _ = told.rest()
    let renamed = Properties { $0.name = "Sol" }
    _ = told.write(sun, by: ann) { $0.name = "Sol" }
    #expect(told.rest().map { $0.what } == [.changed(ShapeName(id: sun, name: "Sun"), renamed)])
    // Nobody knows another name of a new shape.
    _ = told.write(moon, by: ann) { $0.kind = .star }
    _ = told.write(moon, by: ann) { $0.name = "Moon" }
    let made = Properties { ($0.kind, $0.name) = (.star, "Moon") }
    #expect(told.rest().first?.what == .made(ShapeName(id: moon, name: "Moon"), made))
  }

  @Test("if there are too many overlaps to list, that is told, and not that they have ended") func tooMany() throws {
    var told = Told()
    let square = Properties { ($0.kind, $0.size) = (.rectangle, Size(width: 10, height: 10)) }
    func shape(_ number: Int) -> Identifier { Identifier(packed: UInt64(number))! }
    for number in 1...200 { _ = told.write(shape(number), by: ann) { $0 = square } }
    #expect(told.rest().count { if case .overlapBegan = $0.what { true } else { false } } == 19_900)
    #expect(told.write(shape(201), by: ann) { $0 = square }.isEmpty && told.ledger.nextDue == told.time + 300)
    let heaped = told.rest().map(\.what)
    #expect(heaped.count == 2 && heaped.last == .overlapsUnlisted, "it comes behind the shape that was made")
    for number in 1...100 { _ = told.write(shape(number), by: ann) { $0.delete() } }
    let events = told.rest()
    #expect(events.count { if case .overlapsListed = $0.what { true } else { false } } == 1)
    #expect(!events.contains { if case .overlapBegan = $0.what { true } else { false } })
    var later = told.canvas
    for number in 300..<500 {
      let stamp = try #require(Stamp(milliseconds: 2_000_000, counter: UInt64(number), actor: shape(1)))
      _ = later.apply(Operation(shape: shape(number), at: stamp, set: square))
    }
    let again = told.ledger.reset(to: later, from: told.canvas, at: told.now).map(\.what)
    #expect(again.count == 201 && again.last == .overlapsUnlisted)
  }

  @Test("an overlap that began late in a long movement has a time of its own") func lateOverlap() {
    var told = Told()
    for (shape, x) in [(sun, 0.0), (moon, 500)] {
      _ = told.write(shape, by: ann) {
        $0.kind = .rectangle; $0.size = Size(width: 100, height: 100); $0.position = Point(x: x, y: 0)
      }
    }
    _ = told.rest()
    for step in 0..<49 {
      _ = told.write(moon, by: ann) { $0.position = Point(x: 500 + Double(step), y: 0) }
      #expect(told.rest(100) == [])
    }
    _ = told.write(moon, by: ann) { $0.position = Point(x: 50, y: 0) }
    // After five seconds the movement is told, although it isn't over.
    #expect(told.rest(100).count == 1)
    #expect(told.ledger.nextDue == told.time + 200)
    let began = told.rest(200)
    #expect(began.count == 1 && told.ledger.nextDue == nil)
    guard case .overlapBegan(_, _, share: 0.5)? = began.first?.what else {
      Issue.record("\(began)")
      return
    }
  }

  @Test("a room loaded anew tells what came and went") func reset() {
    var told = Told()
    _ = told.write(sun, by: ann) { ($0.kind, $0.name) = (.star, "Sun") }
    _ = told.rest()
    var other = Canvas()
    let set = Properties { ($0.kind, $0.name) = (.ellipse, "Moon") }
    other.apply(Operation(shape: moon, at: Stamp(milliseconds: 5, counter: 0, actor: moon)!, set: set))
    let events = told.ledger.reset(to: other, from: told.canvas, at: told.now)
    #expect(
      events.map { $0.what } == [
        .deleted(ShapeName(id: sun, name: "Sun"), intoBlackHole: false),
        .made(ShapeName(id: moon, name: "Moon"), set),
      ]
    )
  }

  /// Simulates that an older copy of a room is restored. `before` makes the content of the copy, and `since` changes
  /// the room after the copy is made.
  private func restored(_ before: (inout Told) -> Void, _ since: (inout Told) -> Void) -> (Told, [RoomEvent]) {
    var told = Told()
    before(&told)
    _ = told.rest()
    let copy = told.canvas
    since(&told)
    let events = told.ledger.reset(to: copy, from: told.canvas, at: told.now)
    #expect(told.rest() == [], "all is told")
    told.canvas = copy
    return (told, events)
  }

  @Test("an older copy of the room: what is told of shapes that stayed is what they have now") func restoredCopy() {
    let (_, events) = restored { told in
      _ = told.write(sun, by: ann) { ($0.kind, $0.name, $0.rotation) = (.star, "Sun", 10) }
      _ = told.write(moon, by: ann) { $0.kind = .ellipse }
    } _: { told in
      _ = told.write(sun, by: ann) { ($0.rotation, $0.alpha) = (20, 3) }
      _ = told.write(moon, by: ann) { $0.name = "Moon" }
      // Writing the same value again is no event.
      _ = told.write(moon, by: ann) { $0.kind = .ellipse }
      _ = told.rest()
    }
    var back = Properties()
    back.rotation = 10
    // `alpha` was never set before the copy was made.
    back.alpha = 10
    let unnamed = Properties { $0.name = "Ellipse 000" }
    #expect(
      events.map { $0.what } == [
        .changed(ShapeName(id: moon, name: "Ellipse 000"), unnamed), .changed(ShapeName(id: sun, name: "Sun"), back),
      ]
    )
    #expect(events.allSatisfy { $0.by == .several })
  }

  @Test("events that wait while the room is loaded again are reported before their reversal") func waiting() throws {
    let (_, events) = restored { told in
      _ = told.write(sun, by: ann) { ($0.kind, $0.name, $0.rotation) = (.star, "Sun", 10) }
    } _: { told in
      _ = told.write(sun, by: ann) { $0.rotation = 20 }
      _ = told.write(moon, by: bob) { ($0.kind, $0.name, $0.position) = (.star, "Moon", Point(x: 900, y: 900)) }
    }
    let turned = Properties { $0.rotation = 20 }
    let back = Properties { $0.rotation = 10 }
    let name = ShapeName(id: sun, name: "Sun")
    try #require(events.count == 4)
    #expect(events.first?.what == .changed(name, turned) && events.first?.by == ann)
    let made = Properties { ($0.kind, $0.name, $0.position) = (.star, "Moon", Point(x: 900, y: 900)) }
    #expect(events[1].what == .made(ShapeName(id: moon, name: "Moon"), made) && events[1].by == bob)
    #expect(events[2].what == .deleted(ShapeName(id: moon, name: "Moon"), intoBlackHole: false))
    #expect(events[3].what == .changed(name, back))
  }

  @Test("overlaps that a room loaded anew has, and those that it no longer has, are told") func overlapsAnew() {
    let names = (ShapeName(id: moon, name: "Moon"), ShapeName(id: sun, name: "Sun"))
    for apart in [false, true] {
      let (_, events) = restored { told in
        for (shape, name) in [(sun, "Sun"), (moon, "Moon")] {
          _ = told.write(shape, by: ann) {
            $0.kind = .rectangle; $0.name = Text(name); $0.size = Size(width: 50, height: 50)
            $0.position = Point(x: apart && shape == moon ? 500 : 0, y: 0)
          }
        }
      } _: { told in
        _ = told.write(moon, by: ann) { $0.position = Point(x: apart ? 0 : 500, y: 0) }
        _ = told.rest()
      }
      #expect(events.count == 2)
      #expect(
        events.last?.what == (apart ? .overlapEnded(names.0, names.1) : .overlapBegan(names.0, names.1, share: 1))
      )
    }
  }
}
