import CanvasCRDT
import TestSupport
import Testing

@testable import WebSocketLoop
@testable import sync_client

@Suite struct ValuesTests {
  @Test("a server may send any number as a figure") func anyFigure() throws {
    #expect(Figures.milliseconds("100000d") == 8_640_000_000_000)
    #expect(Figures.milliseconds("300000d") == nil, "nobody can wait that many nanoseconds")
    let reading = ServerFigures(
      Array(
        """
        canvas_connections 1e300
        process_resident_memory_bytes NaN
        canvas_deliveries_total +Inf
        canvas_delivery_seconds_bucket{le="-5"} 9
        canvas_delivery_seconds_bucket{le="nan"} 9
        canvas_delivery_seconds_bucket{le="+Inf"} 9
        """.utf8
      )
    )
    let words = reading.words(since: ServerFigures([]), seconds: 1)
    #expect(words.first == "1000000000000000 connections" && words.contains("0 MB"))
    func listed(_ operations: Int, at microseconds: UInt64) throws -> ServerReading {
      let room = #"{"room":"a","operations":\#(operations)}"#
      let rooms = try #require(RoomListing.read(Array("{\"rooms\":[\(room),\(room)]}".utf8)))
      return ServerReading(microseconds: microseconds, rooms: rooms, figures: nil)
    }
    let rate = try listed(1 << 62, at: 2).rates(since: listed(0, at: 1))["a"]
    #expect(try #require(rate) <= 1e12)
  }

  @Test("the share of an overlap is the common area over the smaller one") func shares() throws {
    func square(_ x: Double, _ side: Double, _ kind: ShapeKind = .rectangle) -> Outline {
      Outline(kind, x, 0, side, side)
    }
    func share(_ first: Outline, _ second: Outline) -> Double? {
      var areas = CommonAreas()
      return areas.share(first, second)
    }
    #expect(share(square(0, 100), square(75, 50)) == 0.5)
    #expect(share(square(0, 100), square(10, 50)) == 1)
    #expect(share(square(0, 100), square(100, 50)) == 0)
    // The share must be precise far from the origin too.
    #expect(try (#require(share(square(9e6, 100), square(9e6 + 75, 50))) - 0.5).magnitude < 1e-6)
    let circle = try #require(share(square(0, 100, .ellipse), square(0, 200)))
    #expect((circle - 1).magnitude < 0.01)
  }

  @Test("many intricate overlaps are worked out only until that takes too long") func manyShares() {
    let star = Outline(.star, 0, 0, 1_000, 1_000, points: 20, innerRatio: 0.3)
    var turned = star
    turned.rotation = 5
    let box = Outline(.rectangle, 0, 0, 100, 100)
    var areas = CommonAreas(workMax: 100_000)
    let boxes = (0..<1_000).prefix { _ in areas.share(box, box) == 1 }.count
    let stars = (0..<1_000).prefix { _ in areas.share(star, turned) != nil }.count
    let later = areas.loops(box, box)
    #expect(boxes == 1_000 && 2..<100 ~= stars && later == nil, "\(stars)")
  }

  @Test("a shape is found by its name, in other capitals where that is enough, or by its identifier") func finding() {
    var canvas = Canvas()
    for (number, name) in ["Sun", "sun", "Moon", "Star", "000-000-001"].enumerated() {
      let set = Properties { ($0.kind, $0.name) = (.star, Text(name)) }
      let shape = Identifier(packed: UInt64(number) + 1)!
      canvas.apply(
        Operation(shape: shape, at: Stamp(milliseconds: 1, counter: UInt64(number), actor: shape)!, set: set)
      )
    }
    let names = ShownNames(canvas)
    func find(_ word: String) -> UInt64? { ShapeFinding.find(word, among: names, on: canvas)?.packed }
    #expect(find("Sun") == 1 && find("sun") == 2 && find("MOON") == 3 && find("000-000-004") == 4)
    #expect(find("SUN") == nil, "two are called so")
    #expect(find("000-000-001") == 1, "another's identifier as a name captures no command")
    #expect(find("000-000-009") == nil && find("") == nil)
  }

  @Test("a line of a pipe is an operation or a group, and makes up shapes that are not named") func pipeLines() throws {
    var random = SeededGenerator(seed: 1)
    func read(_ text: String) throws(PipeRefusal) -> PipeLine { try PipeLine(Array(text.utf8), using: &random) }
    let single = try read(#"{"shape":"sun-000-000","set":{"kind":"star"}}"#)
    #expect(single.operations.count == 1 && single.made == [] && single.id == nil)
    let group = try read(#"{"id":"a","ops":[{"set":{"kind":"star"}},{"shape":null,"at":null,"set":{"alpha":3}}]}"#)
    #expect(group.operations.map { $0.shape } == group.made && group.made.count == 2 && group.id != nil)
    for (text, code, operation) in [
      ("", "bad_message", nil), ("[]", "bad_message", nil), (#"{"set":{}}"#, "bad_message", 0),
      (#"{"shape":3,"set":{"alpha":3}}"#, "bad_shape", 0), (#"{"set":{"alpha":30}}"#, "bad_value", 0),
      (#"{"ops":[{"set":{"alpha":3}},{"set":{"x":3}}]}"#, "bad_property", 1), (#"{"ops":[3]}"#, "bad_message", nil),
      (#"{"ops":[{"set":{"name":"a"}}],"set":{"name":"b"}}"#, "bad_message", nil),
      (#"{"at":"now","set":{"alpha":3}}"#, "bad_stamp", 0),
    ] as [(String, String, Int?)] {
      #expect {
        try read(text)
      } throws: { error in
        guard let refusal = error as? PipeRefusal else { return false }
        return refusal.code == code && (operation == nil || refusal.operation == operation)
      }
    }
    // What is refused is named, as far as its name could be read.
    for text in [
      #"{"id":"a","set":{"alpha":30}}"#, #"{"id":"a","ops":3}"#,
      #"{"id":"a","ops":[{"set":{"name":"a"}}],"set":{"name":"b"}}"#,
    ] {
      #expect {
        try read(text)
      } throws: { error in (error as? PipeRefusal)?.id == JSONText(#""a""#) }
    }
  }

  @Test(
    "bots of one seed do the same again, others do not, and none leaves its area",
    arguments: BotBehaviour.Kind.allCases
  )
  func bots(kind: BotBehaviour.Kind) {
    let area = Rect(-300, 1_000, 500, 400)
    func bot(_ number: Int, seed: UInt64 = 5) -> (BotBehaviour, [ProposedOperation]) {
      var bot = BotBehaviour(kind, shapes: 7, area: area, seed: seed, number: number)
      var operations = bot.begin()
      for step in 0..<200 { if let move = bot.move(atMilliseconds: UInt64(step) * 100) { operations.append(move) } }
      return (bot, operations)
    }
    let (_, first) = bot(0)
    #expect(bot(0).1 == first)
    var shapes = Set(first.map { $0.shape })
    #expect(shapes.count == 7)
    for number in 1..<50 { shapes.formUnion(bot(number).1.map { $0.shape }) }
    #expect(shapes.count == 350, "no two bots share a shape")
    for number in 0..<50 { shapes.formUnion(bot(number, seed: 6).1.map { $0.shape }) }
    #expect(shapes.count == 700, "nor do bots of the next seed")
    for operation in first {
      let inside = area.contains(operation.set.position)
      #expect(inside)
    }
    #expect(Set(first.map { $0.set.position }).count > 20, "it moves")
  }

  @Test("a bot sends no more in a message than the room takes in a second, and skips moves while answers are missing")
  @ClientLoop func botsAreModest() throws {
    let tally = BotTally()
    let behaviour = BotBehaviour(.wander, shapes: 12, area: Rect(0, 0, 500, 400), seed: 5, number: 0)
    let server = try ServerAddress("ws://127.0.0.1:1")
    let bot = Bot("Bot", behaviour, color: nil, in: try RoomName("demo"), on: server, tally)
    bot.writer.start()
    bot.writer.socketOpened()
    var limits = RoomLimits()
    limits.operationsPerSecond = 5
    let actor = bot.writer.submitter.actor
    let welcome = Welcome(room: "demo", actor: actor, role: .editor, milliseconds: 1, limits: limits, peers: [])
    BinaryEncoding.encode(.welcome(welcome)).withUnsafeBytes {
      bot.writer.socketReceived(Message(bytes: $0, isText: false))
    }
    bot.act(atMicroseconds: 0, interval: 1_000)
    #expect(tally.written == 12 && bot.writer.submitter.unansweredCount == 3)
    bot.act(atMicroseconds: 100_000, interval: 1_000)
    #expect(bot.writer.submitter.unansweredCount == Bot.unansweredMax && tally.heldBack >= 38)
    let heldBack = tally.heldBack
    bot.act(atMicroseconds: 3_600_000_000, interval: 1_000)
    #expect(tally.heldBack <= heldBack + 2, "after an hour of sleep it doesn't make all moves of that hour")
  }

  @Test("metrics are read by name, and about what the lag was from what came in between") func metrics() {
    func reading(_ counts: [Int]) -> ServerFigures {
      let bounds = ["0.001", "0.0145", "0.0175", "10.0", "+Inf"]
      let lines = zip(bounds, counts).map { "canvas_delivery_seconds_bucket{le=\"\($0)\"} \($1)" }
      return ServerFigures(Array(("# HELP x\n" + lines.joined(separator: "\n") + "\ncanvas_ready 1\nbroken\n").utf8))
    }
    let first = reading([10, 10, 10, 10, 10])
    let second = reading([10, 10, 14, 14, 14])
    #expect(first["canvas_ready"] == 1 && first["down"] == nil)
    // The histogram gives only a range, 14.5 to 17.5 ms, for a percentile.
    #expect(second.words(since: first, seconds: 1) == ["lag ≈ 16 ms, p99 ≈ 16 ms"])
    #expect(reading([20, 20, 20, 20, 21]).words(since: first, seconds: 1) == ["lag ≤ 1 ms, p99 > 10 s"])
    #expect(first.words(since: first, seconds: 1) == [] && first.words(since: nil, seconds: 1) == [])
    #expect(first.words(since: second, seconds: 1) == [], "started anew")
  }

  @Test("a room's rate is what came between two readings, and nothing where it began anew") func rates() {
    func reading(_ operations: Int, at seconds: UInt64) -> ServerReading {
      let room = RoomListing(room: "a", shapes: 1, peers: 0, operations: operations, cursor: "c")
      return ServerReading(microseconds: seconds * 1_000_000, rooms: [room], figures: nil)
    }
    #expect(reading(50, at: 3).rates(since: reading(10, at: 1)) == ["a": 20])
    #expect(reading(5, at: 3).rates(since: reading(10, at: 1)) == ["a": 0])
    #expect(reading(5, at: 1).rates(since: reading(10, at: 1)) == [:])
  }

  @Test("a table leaves out the middle of what is too wide, by columns and not by characters") func tables() {
    var table = Table([
      .init(heading: "n", isNumeric: true), .init(heading: "name", widthMax: 6), .init(heading: "empty"),
      .init(heading: "last"),
    ])
    table.add([.init("1"), .init("月月月月"), .init(""), .init("a")])
    table.add([.init("10"), .init("ab\u{1B}[31m"), .init(""), .init("b")])
    #expect(table.lines(for: Output()) == [" n  name    last", " 1  月…月   a", "10  ab …1m  b"])
  }

  @Test("an answer's JSON is read whole, or not at all") func json() {
    let value = JSONValue(
      Array(#"{"rooms":[{"room":"a","shapes":2,"peers":1,"operations":9,"cursor":"c"},{"x":1}]}"#.utf8)
    )
    #expect(value?["rooms"]?.elements.count == 2)
    let listed = RoomListing.read(
      Array(#"{"rooms":[{"room":"a","shapes":2,"peers":1,"operations":9,"cursor":"c"},{"x":1}]}"#.utf8)
    )
    #expect(listed == [RoomListing(room: "a", shapes: 2, peers: 1, operations: 9, cursor: "c")])
    let uncounted = RoomListing.read(Array(#"{"rooms":[{"room":"a","shapes":2,"uncounted":true}]}"#.utf8))
    #expect(uncounted?.first?.knownShapes == nil && listed?.first?.knownShapes == 2)
    #expect(RoomListing.read(Array("{}".utf8)) == nil && JSONValue(Array("{".utf8)) == nil)
  }

  @Test("JSON is printed without characters that a terminal obeys or that turn the line") func plainJSON() throws {
    let hostile = "a\u{9B}2J\u{202E}b\u{7F}\u{E0001}é太"
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("name", hostile)
    writer.endObject()
    let plain = PlainJSON.escaping(writer.finish())
    let text = String(decoding: plain, as: UTF8.self)
    #expect(text == #"{"name":"a\u009b2J\u202eb\u007f\udb40\udc01é太"}"#)
    let read = try plain.span.withUnsafeBytes { bytes throws(JSONFailure) in
      var reader = try JSONReader(validating: bytes)
      try reader.beginObject()
      _ = try reader.nextKey()
      return try reader.readString().text.string
    }
    #expect(read == hostile)
  }

  @Test("a pasted text keeps its lines") func pasted() {
    let pasted = "C:\\new\r\nand\rmore"
    let typed = TextWords.typed(Text(TextWords.withLineFeeds(pasted)))
    #expect(TextWords.written(typed) == "C:\\new\nand\nmore")
    #expect(TextWords.written("\\wrong\\nright") == "\\wrong\nright")
  }

  @Test("a drawing of before the rule for names is read as it is, and cleaned where it is added") func oldNames() throws
  {
    let old =
      #"{"shapes":[{"id":"afy-kw5-t7o","kind":"star","name":"Su\u202en"},{"id":"b00-000-00z","kind":"star","name":"\u200b"}]}"#
    let bytes = Array(old.utf8)
    let stored = try StoredDrawing(bytes)
    #expect(stored.canvas.shapes.map { $0.properties.name.string } == ["Su\u{202E}n", "\u{200B}"])
    let added = try Import.read(bytes)
    #expect(added.map(\.hasCleanedName) == [true, true])
    #expect(added[0].properties.name == "Sun" && !added[1].properties.assigned.contains(.name))
    for shape in added { try shape.properties.checkNew() }
  }
}
