import CanvasCRDT
import Testing

@testable import sync_client

@Suite struct InksTests {
  /// What somebody shows who draws these points of a stroke, of which the first has the number `at`.
  private func drawing(_ points: String, at: Int, shape: String = "afy-kw5-t7o") -> PresenceState {
    PresenceState(
      JSONText(##"{"ink":{"shape":"\##(shape)","color":"#FF0000","width":4,"at":\##(at),"points":[\##(points)]}}"##)
    )
  }

  /// - Parameter states: what each of the people in the room shows.
  private func presences(_ states: [PresenceState]) -> Presences {
    var people = Presences()
    for (index, state) in states.enumerated() { _ = people.note(state, of: Identifier(packed: UInt64(index))!) }
    return people
  }

  @Test func `A stroke is put together from its pieces, and one that gets lost is led over`() {
    var inks = Inks()
    let pieces = [(0, "0,0, 10,0"), (1, "20,0, 30,0"), (9, "90,0"), (8, "80,0, 90,0, 99,0")]
    for (at, points) in pieces {
      let people = presences([drawing(points, at: at)])
      let changes = (0..<2).map { _ in inks.follow(people, at: 0) { _ in false } }
      #expect(changes == [true, false])
    }
    let item = inks.items.first
    #expect(item?.stroke == Color(packed: 0xFF0000) && item?.strokeWidth == 4)
    #expect(item?.outline.position == Point(x: 0, y: 0) && item?.outline.size.width == 99)
    #expect(item?.line == DrawnLine(inkThrough: [0, 20, 80, 90, 99].map { Point(x: $0, y: 0) }, width: 4))
    // The next stroke has nothing of this one, although its own beginning got lost.
    _ = inks.follow(presences([drawing("50,0, 60,0", at: 2, shape: "k3j-9x2-m1p")]), at: 0) { _ in false }
    #expect(inks.items.map(\.line) == [DrawnLine(inkThrough: [50, 60].map { Point(x: $0, y: 0) }, width: 4)])
  }

  @Test func `It stays until the drawing has it, and not for ever`() {
    var inks = Inks()
    _ = inks.follow(presences([drawing("0,0", at: 0)]), at: 0) { _ in false }
    let isOver = presences([PresenceState()])
    // However long the pen has stood still before.
    let end: UInt64 = 60_000
    func changes(_ inks: inout Inks, after milliseconds: UInt64, isDrawn: Bool = false) -> Bool {
      inks.follow(isOver, at: end + milliseconds) { _ in isDrawn }
    }
    let first = changes(&inks, after: 0)
    #expect(!first)
    #expect(inks.items.count == 1 && inks.isWaiting)
    var drawn = inks
    _ = changes(&drawn, after: 100, isDrawn: true)
    #expect(drawn.isEmpty && !drawn.isWaiting)
    let last = [1, 0].map { changes(&inks, after: Inks.patienceMilliseconds - $0) }
    #expect(last == [false, true])
    #expect(inks.isEmpty)
  }

  @Test func `The points of all strokes are bounded together, and the longest ones lose their first points`() {
    var inks = Inks()
    for piece in 0..<300 {
      let people = presences(
        (0..<20).map { person in
          let at = person == 19 ? 0 : 100 * piece
          let points = (at..<(at + 100)).map { "\($0),0" }.joined(separator: ",")
          return drawing(points, at: at, shape: Identifier(packed: 100 + UInt64(person))!.text)
        }
      )
      _ = inks.follow(people, at: 0) { _ in false }
      #expect(inks.pointsCount <= Inks.pointsMax)
    }
    #expect(inks.pointsCount > Inks.pointsMax * 9 / 10)
    let sides = inks.items.map { $0.outline.size.width }
    #expect(sides.count == 20 && sides.last == 99)
    #expect(sides.dropLast().allSatisfy { (300...1_400).contains($0) })

    // A piece that goes back behind what is forgotten brings none of it again.
    var long = Inks()
    func draw(_ points: Range<Int>) {
      let piece = drawing(points.map { "\($0),0" }.joined(separator: ","), at: points.lowerBound)
      _ = long.follow(presences([piece]), at: 0) { _ in false }
    }
    for piece in 0...200 { draw(100 * piece..<100 * (piece + 1)) }
    let forgotten = 20_100 - long.pointsCount
    draw(forgotten - 10..<forgotten + 20)
    #expect(forgotten > 0 && long.pointsCount == 20)
  }

  @Test func `Shapes are painted anew where somebody lifts others, but not where a pointer or a selection moves`() {
    let ann = Identifier(packed: 2)!
    let shape = Identifier(packed: 7)!
    var people = Presences()
    func change(_ assign: (inout PresenceState) -> Void) -> Presences.Change {
      var state = PresenceState()
      assign(&state)
      return people.note(state, of: ann)
    }
    #expect(change { $0.cursor = Point(x: 1, y: 1) } == [])
    #expect(change { $0.selection = [shape] } == [])
    #expect(change { $0.lifted = [shape] } == .lifted)
    #expect(people.lifted == [shape])
    #expect(change { ($0.lifted, $0.cursor) = ([shape], Point(x: 2, y: 2)) } == [])
    let ends = [people.removeAll(), people.removeAll()]
    #expect(ends == [.lifted, []])
    #expect(people.lifted.isEmpty && people[ann] == nil)
  }
}
