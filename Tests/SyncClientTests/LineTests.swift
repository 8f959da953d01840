import CanvasCRDT
import Testing

@testable import sync_client

/// Tests lines and ink in the terminal: how they are typed, described, and drawn with the mouse.
@Suite struct LineTests {
  private let sun = Identifier("sun-000-000")!
  private let moon = Identifier("moo-n00-000")!
  private let way = Identifier("way-000-000")!

  /// A room with two squares, and a line from the centre of one to the centre of the other.
  private struct Room {
    var canvas = Canvas()
    private var counter: UInt64 = 0

    init(_ test: LineTests) {
      square(test.sun, "Sun", at: Point(x: 0, y: 0))
      square(test.moon, "Moon", at: Point(x: 400, y: 400))
      write(test.way) {
        $0.kind = .line
        $0.name = "Way"
        $0.stroke = Color(packed: 0xFF0000)
        $0.strokeWidth = 4
        $0.from = Tie(shape: test.sun, place: .middle)
        $0.to = Tie(shape: test.moon, place: .middle)
        $0.lead(through: [Point(x: 50, y: 50), Point(x: 450, y: 450)])
      }
    }

    private mutating func square(_ shape: Identifier, _ name: Text, at place: Point) {
      write(shape) {
        $0.kind = .rectangle
        $0.name = name
        $0.size = Size(width: 100, height: 100)
        $0.position = place
      }
    }

    @discardableResult
    mutating func write(_ shape: Identifier, _ assign: (inout Properties) -> Void) -> Change {
      counter += 1
      let stamp = Stamp(milliseconds: 1, counter: counter, actor: shape)!
      return canvas.apply(Operation(shape: shape, at: stamp, set: Properties(assign)))
    }
  }

  // MARK: - Words

  @Test("points are typed as pairs of numbers, two or more") func points() {
    #expect(
      PathWords.points("10,-10 200,5.5", within: PropertyRules.coordinates) == [
        Point(x: 10, y: -10), Point(x: 200, y: 5.5),
      ]
    )
    for text in ["", "5,5", "1,2,3 4,5", "1 2", "a,b c,d", "nan,0 1,1", "0,0 1,inf"] {
      #expect(PathWords.points(text, within: PropertyRules.coordinates) == nil, "\(text)")
    }
    #expect(PathWords.points("0,0 1,1", within: 0...1) != nil && PathWords.points("0,0 1,1.1", within: 0...1) == nil)
  }

  @Test("a path is typed in shares of the box") func path() throws {
    let set = try PropertyWords.read(["path=0,0 0.5,1 1,0"])
    let middle = BoxPlace(shareX: 0.5, shareY: 1)
    #expect(set.path.points.map { $0.place } == [BoxPlace(x: 0, y: 0), middle, BoxPlace(x: BoxPlace.end, y: 0)])
    let none = try PropertyWords.read(["path=none"])
    #expect(none.path.isEmpty && none.assigned == [.path])
    #expect(throws: ClientFailure.self) { try PropertyWords.read(["path=0,0 2,2"]) }
  }

  @Test("words that name shapes are kept apart from the properties") func lineWords() throws {
    var words = ["line", "name=Way", "from=Sun, the bright one", "to=Moon,0,0.5", "toEnd=dot", "through=0,0 10,10"]
    let taken = try LineWords(takingFrom: &words)
    #expect(words == ["line", "name=Way", "toEnd=dot"] && !taken.isEmpty)
    #expect(try LineWords(takingFrom: &words).isEmpty)
    for word in ["from=Sun,0.5,7", "to=Sun,-1,0", "through=5,5", "through=none"] {
      #expect(throws: ClientFailure.self, "\(word)") {
        var words = [word]
        _ = try LineWords(takingFrom: &words)
      }
    }
  }

  // MARK: - Events

  @Test("a line is told of by what it is tied to, or else by where it ends") func telling() {
    var room = Room(self)
    var ledger = RoomLedger(Canvas())
    let now = Moment(wallMilliseconds: 1, monotonicMilliseconds: 1)
    func told(_ change: Change) -> String {
      _ = ledger.take([change], by: .oneself, on: room.canvas, at: now)
      let events = ledger.due(at: now, isLast: true)
      return EventLines(output: Output(), isReport: true).lines(events).joined(separator: "\n")
    }
    let arrow = Identifier("arr-ow0-000")!
    let made = room.write(arrow) {
      $0.kind = .line
      $0.from = Tie(shape: sun, place: .middle)
      $0.lead(through: [Point(x: 50, y: 50), Point(x: 10, y: 300)])
    }
    ledger = RoomLedger(room.canvas)
    #expect(told(made) == "made Line 000 (arr-ow0-000), a line from Sun to 10, 300")
    let tied = room.write(arrow) {
      $0.to = Tie(shape: moon, place: .middle)
      $0.lead(through: [Point(x: 50, y: 50), Point(x: 450, y: 450)])
    }
    #expect(told(tied) == "tied Line 000’s end to Moon", "its box and its points only follow")
    let gone = Identifier("gon-e00-000")!
    let lost = room.write(arrow) { $0.from = Tie(shape: gone, place: .middle) }
    #expect(told(lost) == "tied Line 000’s beginning to gon-e00-000", "nobody knows another name")
    let loose = room.write(arrow) { $0.from = nil }
    #expect(told(loose) == "tied Line 000’s beginning to nothing")
    let turned = room.write(Identifier("tur-ned-000")!) {
      $0.kind = .line
      $0.rotation = 90
      $0.size = Size(width: 200, height: 1)
    }
    #expect(told(turned).hasSuffix("a line of 200 × 1 at 0, 0"))
    let ink = room.write(Identifier("ink-000-000")!) {
      $0.kind = .ink
      $0.lead(through: [Point(x: 7, y: 8), Point(x: 9, y: 9), Point(x: 20, y: 30)])
    }
    #expect(told(ink).hasSuffix("ink of 3 points at 7, 8"))
  }

  // MARK: - On the screen

  @Test("a tied line goes with its shapes, and stays when one is deleted") func following() {
    var room = Room(self)
    var drawing = LiveDrawing(room.canvas)
    let (between, below) = (Point(x: 250, y: 250), Point(x: 50, y: 250))
    #expect(drawing.shape(at: between, reach: 5) == way && drawing.shape(at: below, reach: 5) == nil)
    _ = drawing.follow(room.write(moon) { $0.position = Point(x: 0, y: 400) }, in: room.canvas)
    let follows = drawing.moveTiedLines(in: room.canvas)
    #expect(follows)
    #expect(drawing.shape(at: between, reach: 5) == nil && drawing.shape(at: below, reach: 5) == way)
    // Moon is deleted without an update of the line, so the line falls back to its stored points.
    _ = drawing.follow(room.write(moon) { $0.delete() }, in: room.canvas)
    let goesBack = (drawing.moveTiedLines(in: room.canvas), drawing.moveTiedLines(in: room.canvas))
    #expect(goesBack == (true, false))
    #expect(drawing.shape(at: between, reach: 5) == way && drawing.shape(at: below, reach: 5) == nil)
    // A new drawing of the canvas must look the same.
    let anew = LiveDrawing(room.canvas)
    #expect(anew.bounds == drawing.bounds && anew.items == drawing.items)
  }

  @Test("a line is found near it only, and before what lies under it") func hits() {
    var room = Room(self)
    room.write(way) { $0.z = OrderKey("z")! }
    let drawing = LiveDrawing(room.canvas)
    #expect(drawing.shape(at: Point(x: 250, y: 260), reach: 10) == way)
    #expect(drawing.shape(at: Point(x: 250, y: 290), reach: 10) == nil, "in its box")
    #expect(drawing.shape(at: Point(x: 20, y: 80), reach: 10) == sun)
    #expect(drawing.shape(at: Point(x: 98, y: 98), reach: 10) == way, "it ends at the outline")
    #expect(drawing.shape(at: Point(x: 50, y: 50), reach: 10) == sun, "and not in the middle")
    #expect(drawing.color(of: way) == Color(packed: 0xFF0000))
  }
}
