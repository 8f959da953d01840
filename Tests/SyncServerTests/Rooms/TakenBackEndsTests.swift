import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("Taking back shapes that others' lines are tied to")
struct TakenBackEndsTests {
  private let eve = Identifier("eve-eve-eve")!
  private let ann = Identifier("ann-ann-ann")!
  private let square = Identifier("sqr-sqr-sqr")!
  private let line = Identifier("lin-lin-lin")!

  private func operation(_ shape: Identifier, _ at: UInt64, _ actor: Identifier, _ assign: (inout Properties) -> Void)
    -> Operation
  {
    return Operation(shape: shape, at: Stamp(milliseconds: at, counter: 0, actor: actor)!, set: Properties(assign))
  }

  private func view(_ canvas: Canvas, _ position: UInt64) -> RoomView {
    RoomView(name: "demo", places: RoomPlaces(epoch: 1), position: position, canvas: canvas)
  }

  /// Eve's square, and Ann's line, which is tied to the square's first corner.
  private func canvas(square corner: Point, line start: Point) -> Canvas {
    var canvas = Canvas()
    let box = operation(square, 1, eve) {
      ($0.kind, $0.position, $0.size) = (.rectangle, corner, Size(width: 100, height: 100))
    }
    let tied = operation(line, 2, ann) {
      ($0.kind, $0.position, $0.size) = (.line, start, Size(width: 200, height: 100))
      $0.to = Tie(shape: square, place: BoxPlace(x: 0, y: 0))
    }
    canvas.apply(box, place: 1)
    canvas.apply(tied, place: 2)
    return canvas
  }

  /// The square and the line, and the work of taking back what Eve has written.
  private func tied() -> (Canvas, TakingBack) {
    let canvas = canvas(square: Point(x: 500, y: 400), line: Point(x: 100, y: 100))
    let work = TakingBack(RoomHistory(end: .position(2), image: nil, leavingOut: eve, seed: 0))
    work.follow(view(canvas, 2))
    return (canvas, work)
  }

  private func withEnds(_ edits: [Identifier: Properties], on canvas: Canvas) -> [Identifier: Properties] {
    edits.keeping(canvas.keptEnds(through: edits))
  }

  @Test("H16: the line's end stays where it was drawn, with what else is taken back of the line")
  func ends() throws {
    var canvas = canvas(square: Point(x: 500, y: 400), line: Point(x: 100, y: 100))
    canvas.apply(operation(line, 3, eve) { $0.alpha = 3 })
    let drawn = try #require(canvas.drawn(line)).pathPoints
    #expect(abs(drawn[1].x - 500) < 0.1 && abs(drawn[1].y - 400) < 0.1)
    let gone = Properties.deletion
    let opaque = Properties { $0.alpha = 10 }
    let edits = withEnds([square: gone, line: opaque], on: canvas)
    #expect(
      edits[line]?.assigned == [.alpha, .position, .size, .path] || edits[line]?.assigned == [.alpha, .size, .path]
    )
    for (shape, set) in edits {
      canvas.apply(Operation(shape: shape, at: Stamp(milliseconds: 9, counter: 0, actor: ann)!, set: set))
    }
    let after = try #require(canvas.drawn(line))
    #expect(after.properties.alpha == 10 && after.properties.to?.shape == square)
    for (one, other) in zip(after.pathPoints, drawn) {
      #expect(abs(one.x - other.x) < 0.1 && abs(one.y - other.y) < 0.1)
    }
  }

  @Test("H16: brought up to date, the edits keep an end as well, also of a line that somebody has changed since")
  func caughtUp() {
    let (start, work) = tied()
    var canvas = start
    let first = work.operations
    #expect(first.map(\.shape) == [line, square])
    canvas.apply(operation(square, 3, eve) { $0.alpha = 3 }, place: 3)
    work.catchUp(with: view(canvas, 3))
    #expect(work.operations == first)
    canvas.apply(operation(line, 4, ann) { $0.position = Point(x: 90, y: 90) }, place: 4)
    work.catchUp(with: view(canvas, 4))
    #expect(work.operations.map(\.shape) == [line, square] && work.operations != first)
  }

  @Test("H16: brought up to date, a line keeps its tie to a shape that stays, because somebody has made it anew")
  func stays() {
    let (start, work) = tied()
    var canvas = start
    #expect(work.operations.map(\.shape) == [line, square])
    canvas.apply(operation(square, 3, ann) { $0.kind = .ellipse }, place: 3)
    work.catchUp(with: view(canvas, 3))
    #expect(!work.operations.contains { $0.shape == line || $0.set.deleted })
  }

  @Test("H16: a shape that was made anew since the lines' ends were worked out stays until they are worked out again")
  func madeAnew() {
    var canvas = Canvas()
    canvas.apply(operation(square, 1, eve) { $0.kind = .rectangle }, place: 1)
    canvas.apply(
      Operation(shape: square, at: Stamp(milliseconds: 2, counter: 0, actor: ann)!, set: .deletion),
      place: 2
    )
    let work = TakingBack(RoomHistory(end: .position(2), image: nil, leavingOut: eve, seed: 0))
    work.follow(view(canvas, 2))
    canvas.apply(operation(square, 3, eve) { $0.kind = .rectangle }, place: 3)
    work.catchUp(with: view(canvas, 3))
    #expect(work.take(10, for: view(canvas, 3), sparing: [:]) == nil && work.hasLeftOut)
    work.follow(view(canvas, 3))
    #expect(work.take(10, for: view(canvas, 3), sparing: [:])?.map(\.set) == [.deletion] && !work.hasLeftOut)
  }

  @Test("S14: a line that is drawn larger than a shape may be keeps its own points", arguments: [1e6 - 1, 1e7])
  func tooLong(x: Double) {
    let canvas = canvas(square: Point(x: x, y: 0), line: Point(x: 0, y: 0))
    let edits = withEnds([square: .deletion], on: canvas)
    #expect((edits[line] != nil) == (x < 1e6))
  }

  @Test("if no shape goes, nothing is added")
  func nothing() {
    var canvas = Canvas()
    canvas.apply(operation(line, 2, ann) { $0.kind = .line })
    let opaque = Properties { $0.alpha = 10 }
    #expect(withEnds([line: opaque], on: canvas) == [line: opaque])
  }
}
