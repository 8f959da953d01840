import CanvasCRDT
import TerminalCanvas
import TestSupport
import Testing

@testable import sync_client

/// Numbers, times and figures as people read and type them.
@Suite struct FiguresTests {
  @Test func `Numbers are rounded to what is of use`() {
    for (value, decimals, text) in [
      (0.25, 1, "0.3"), (0.25, 2, "0.25"), (0.256, 2, "0.26"), (2.5, 0, "3"), (-0.04, 1, "0"), (1e6, 0, "1000000"),
    ] {
      #expect([text, "-\(text)"].contains(Figures.rounded(value, decimals: decimals)), "\(value)")
    }
    #expect(Figures.number(45) == "45" && Figures.rounded(0.25) == "0.3")
    #expect(Figures.counted(1, "shape") == "1 shape" && Figures.counted(0, "shape") == "0 shapes")
    for (value, count) in [(Double.nan, 0), (-3, 0), (2.9, 2), (1e300, 1_000_000_000_000_000)] {
      #expect(Figures.count(value) == count)
    }
    for (part, words) in [
      (0, "0 %"), (1e-9, "<1 %"), (0.001, "<1 %"), (0.005, "1 %"), (0.384, "38 %"), (0.994, "99 %"), (1, "100 %"),
      (1.7, "100 %"),
    ] {
      #expect(Figures.percentage(part) == words)
    }
    for (microseconds, words) in [
      (0, "0 ms"), (812, "0.8 ms"), (9_940, "9.9 ms"), (10_000, "10 ms"), (12_300, "12 ms"), (999_400, "999 ms"),
      (1_000_000, "1 s"), (1_500_000, "1.5 s"), (119_900_000, "119.9 s"), (120_000_000, "2 min"),
    ] as [(UInt64, String)] {
      #expect(Figures.duration(microseconds: microseconds) == words)
    }
    for (text, milliseconds) in [
      ("2h", 7_200_000), ("0s", 0), ("0.4ms", 0), ("1.5m", 90_000), ("500ms", 500), ("1.5s", 1_500), ("5m", 300_000),
      ("1d", 86_400_000), ("", nil), ("5", nil), ("s", nil), ("-1s", nil), ("nans", nil), ("1e30d", nil),
      ("5 m m", nil),
    ] as [(String, UInt64?)] {
      #expect(Figures.milliseconds(text) == milliseconds, "\(text)")
    }
  }

  @Test func `A time that is shown can be typed again`() {
    for milliseconds in [0, 1_763_650_007_000, 951_782_400_000, 4_102_444_799_000] as [UInt64] {
      let shown = TimeWords.shown(milliseconds)
      #expect(
        TimeWords.milliseconds(shown, now: 0) == milliseconds && shown.hasSuffix(TimeWords.clock(milliseconds + 999))
      )
    }
    #expect(TimeWords.milliseconds("10m", now: 5) == 0)
    for text in [
      "1969-12-31Z", "2025-00-01Z", "2025-01-00Z", "2025-01-32Z", "2025-01-01T12:60Z", "2025-01-01T12:00:61Z",
      "2025-01-01-01Z", "2025-01-01T12:00:00:00Z", "2025-01-01T-1:00Z", "yesterday", "2025-02-30Z", "2025-13-01Z",
      "2025-01-01T24:00Z", "2025-01-01T10Z", "2025-1", "", "-5m",
    ] {
      #expect(TimeWords.milliseconds(text, now: 1_763_650_000_000) == nil, "\(text)")
    }
    #expect(TimeWords.milliseconds("2025-11-20 14:46:40Z", now: 0) == 1_763_650_000_000)
  }

  @Test func `Opacity is told in percent, and a number that could mean two things is asked about`() {
    for (text, tenths) in [
      ("70%", 7), ("70 %", 7), ("7", 7), ("0.7", 7), ("0.125", 1.25), ("1", nil), ("", nil), ("%", nil), ("x%", nil),
      ("100%", 10),
    ] as [(String, Double?)] {
      #expect(TenthsWords.tenths(text) == tenths, "\(text)")
    }
    let bounds = "alpha is 10 % to 100 % in steps of 10 %, such as alpha=70%."
    for (value, question) in [
      ("1", " Did you mean alpha=10% or alpha=100%?"), ("11", " Did you mean alpha=11%?"),
      ("100", " Did you mean alpha=100%?"), ("101", ""), ("10", ""), ("x", ""),
    ] {
      #expect(TenthsWords.complaint("alpha", value, 1...10) == "alpha=\(value): \(bounds)\(question)")
    }
  }

  @Test func `A server's figures are told with what they were before`() {
    func reading(_ scale: Double, _ more: String = "") -> ServerFigures {
      ServerFigures(
        Array(
          """
          canvas_connections \(scale)
          canvas_operations_in_total \(100 * scale)
          canvas_deliveries_total \(1000 * scale)
          process_cpu_seconds_total \(scale / 2)
          process_resident_memory_bytes 3145728
          canvas_refusals_total{code="rate_limited"} \(3 * scale)
          canvas_refusals_total{code="room_full"} \(scale)
          \(more)
          """.utf8
        )
      )
    }
    #expect(reading(1).words(since: nil, seconds: 0) == ["1 connection", "3 MB"])
    #expect(reading(1).words(since: reading(1), seconds: 0) == ["1 connection", "3 MB"])
    let words = reading(3).words(since: reading(1), seconds: 4)
    #expect(words == ["3 connections", "50 ops/s in", "500 out", "CPU 25 %", "2 refused/s, most rate_limited", "3 MB"])
    // A server that was restarted counts from zero.
    #expect(
      reading(1).words(since: reading(3), seconds: 4) == ["1 connection", "0 ops/s in", "0 out", "CPU 0 %", "3 MB"]
    )
    #expect(reading(1).words(since: reading(0), seconds: 10).contains("0.4 refused/s, most rate_limited"))
    #expect(reading(1, "canvas_ready 0").words(since: nil, seconds: 0).last == "not ready")
    #expect(reading(1, "canvas_ready 1").words(since: nil, seconds: 0).last == "3 MB")
    let new = reading(1, "canvas_refusals_total{code=\"new\"} 9").words(since: reading(1), seconds: 3)
    #expect(new.contains("3 refused/s, most new"))
  }

  @Test func `A list of rooms is read as far as it says something`() {
    let rooms = RoomListing.read(
      Array(
        #"{"rooms":[{"room":"a","shapes":-2,"peers":1.5,"operations":9},{"room":"b","shapes":2,"fault":"torn"},{"room":3}]}"#
          .utf8
      )
    )
    #expect(
      rooms?.map(\.room) == ["a", "b"] && rooms?.map(\.knownShapes) == [0, nil] && rooms?.map(\.fault) == [nil, "torn"]
    )
    #expect(rooms?.map(\.peers) == [0, 0] && rooms?.map(\.operations) == [9, 0] && rooms?.map(\.cursor) == ["", ""])
    let value = JSONValue(Array(#"{"a":[1,null,true,"x"]}"#.utf8))?["a"]?.elements ?? []
    #expect(
      value.map(\.number) == [1, nil, nil, nil] && value.map(\.isTrue) == [false, false, true, false]
        && value.map(\.text) == [nil, nil, nil, "x"]
    )
    #expect(value[0]["a"] == nil && value[0].elements.isEmpty)
    let (first, later) = (
      ServerReading(microseconds: 5, rooms: [], figures: nil),
      ServerReading(microseconds: 2_000_005, rooms: [], figures: nil)
    )
    #expect(later.seconds(since: first) == 2 && first.seconds(since: later) == 0)
  }

  @Test func `A replay takes a minute at most, at a speed of 1, 2, 5, 10 …`() {
    for (seconds, speed) in [
      (0, 1), (60, 1), (61, 2), (120, 2), (121, 5), (300, 5), (301, 10), (601, 20), (3_600, 100),
    ] as [(UInt64, Double)] {
      #expect(ReplaySpan(from: 7, to: 7 + 1_000 * seconds).speed == speed, "\(seconds)")
    }
  }

  @Test func `A picture is as large as is asked, within what it may cost`() {
    func scale(_ wanted: Double, _ width: Double, _ height: Double, _ items: [CanvasScene.Item] = []) -> Double {
      Picture.scale(wanted, for: Rect(0, 0, width, height), of: items)
    }
    for (wanted, width, height, expected) in [
      (2.0, 100.0, 100.0, 2.0), (9, 10, 10, 4), (2, 8_192, 100, 0.5), (2, 100, 8_192, 0.5), (4, 2_000, 1_000, 2),
      (1, 1e12, 1, 4_096 / 1e12),
    ] {
      #expect((scale(wanted, width, height) - max(expected, 0.000_001)).magnitude < 1e-9, "\(width) × \(height)")
    }
    let item = CanvasScene.Item(
      outline: Outline(.rectangle, 0, 0, 1_000, 1_000),
      fill: Color(packed: 0),
      stroke: Color(packed: 0),
      strokeWidth: 0,
      opacity: 1
    )
    // At 1, each of them costs a million pixels and 16,000 for its rows.
    for (count, expected) in [(295, 1.0), (296, 0.5), (1_200, 0.25)] {
      #expect(scale(1, 1_000, 1_000, Array(repeating: item, count: count)) == expected, "\(count)")
    }
    // The rows that a line crosses count too: 200 such boxes cost less than what is allowed, 200 scribbles more.
    let points = (0...100).map { Point(x: $0.isMultiple(of: 2) ? 0 : 1_000, y: Double($0) * 10) }
    let scribble = CanvasScene.Item(inkThrough: points, width: 1, color: Color(packed: 0))!
    #expect(scale(1, 1_000, 1_000, Array(repeating: scribble, count: 200)) == 0.5)
  }

  @Test func `A picture has what is seen, with room for strokes, and no gap where no caption is written`() throws {
    func picture(_ shapes: String) throws -> [UInt8] {
      try Picture.png(of: StoredDrawing(Array(#"{"shapes":[\#(shapes)]}"#.utf8)), scale: 1)
    }
    /// The width and the height, which are below 65,536.
    func size(_ shapes: String) throws -> [Int] {
      let png = try picture(shapes)
      return [18, 22].map { Int(png[$0]) << 8 | Int(png[$0 + 1]) }
    }
    let box = #"{"id":"a00-000-000","kind":"rectangle","position":[0,0],"size":[100,100]"#
    let hidden = #"{"id":"a00-000-001","kind":"rectangle","position":[300,0],"size":[100,100],"visible":false}"#
    let line = #"{"id":"a00-000-002","kind":"line","position":[0,0],"size":[100,1],"strokeWidth":4"#
    #expect(try picture("\(box)},\(hidden)") == picture("\(box)}"))
    #expect(try picture(#"\#(line),"text":"yes"}"#) == picture("\(line)}"))
    #expect(try size("\(box)}") == [140, 140] && size(#"\#(box),"strokeWidth":10}"#) == [150, 150])
    #expect(try size("") == [800, 600])
  }

  @Test func `Whoever interrupts a command gets neither a table nor a picture`() async throws {
    let box = #""kind":"rectangle","size":[100,100]"#
    let shapes = #"{"shapes":[{"id":"a00-000-000",\#(box)},{"id":"a00-000-001",\#(box)}]}"#
    let stored = try StoredDrawing(Array(shapes.utf8))
    for make in [
      { _ = try ShapeTable($0, stamps: nil) }, { _ = try Picture.png(of: $0, scale: 1) },
    ] as [@Sendable (StoredDrawing) throws -> Void] {
      try make(stored)
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try make(stored)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `The newest stamp of each shape is read from a drawing with stamps`() throws {
    let stored = try StoredDrawing(
      Array(
        #"{"room":"demo","shapes":[{"id":"afy-kw5-t7o","kind":"star","stamps":{"kind":"7.1.bob-000-000","z":"5.0.cat-000-000","name":"?"}},{"id":"b00-000-00z","kind":"ink","text":"x"}]}"#
          .utf8
      )
    )
    let newest = stored.newestStamps()
    #expect(newest.count == 1 && newest[Identifier("afy-kw5-t7o")!]?.milliseconds == 7)
    #expect(newest[Identifier("afy-kw5-t7o")!]?.actor == Identifier("bob-000-000") && !stored.hasTexts)
    for (shape, has) in [
      (#""kind":"star","text":"x""#, true), (#""kind":"star","text":"x","visible":false"#, false),
      (#""kind":"star","text":"""#, false),
    ] {
      #expect(try StoredDrawing(Array(#"{"shapes":[{"id":"afy-kw5-t7o",\#(shape)}]}"#.utf8)).hasTexts == has)
    }
  }

  @Test func `The table of shapes tells what is not as usual`() throws {
    func lines(_ shapes: String) throws -> [[String]] {
      let stored = try StoredDrawing(Array(#"{"shapes":[\#(shapes)]}"#.utf8))
      let lines = try ShapeTable(stored, stamps: nil).lines(for: Output())
      return lines.map { line in
        line.replacing("   ", with: "  ").split(separator: "  ").map { $0.split(separator: " ").joined(separator: " ") }
          .filter { !$0.isEmpty }
      }
    }
    #expect(try lines("") == [["no shapes"]])
    func box(_ number: Int, _ x: Double, _ more: String = "") -> String {
      let (id, z) = ("a00-000-00\(number)", "k\(Character(Unicode.Scalar(UInt8(97 + number))))")
      let fixed = ##""kind":"rectangle","size":[100,100],"fill":"#112233""##
      return #"{"id":"\#(id)","name":"B\#(number)","position":[\#(x),0],"z":"\#(z)",\#(fixed)\#(more)}"#
    }
    let one = try lines(
      box(
        0,
        0,
        #","rotation":30,"alpha":7,"visible":false,"filled":false,"locked":true,"group":"gro-up0-000","text":"Buy\nmilk""#
      )
    )
    #expect(
      one[1] == [
        "1", "B0", "rectangle", "0, 0", "100 × 100", "30°", "#112233", "70 %", "hidden, no fill, locked, grouped",
        "Buy milk", "a00-000-000",
      ]
    )
    #expect(one.last == ["1 shape, no overlaps"])
    // The largest overlaps come first, and of many the rest is counted.
    let many = try lines((0..<5).map { box($0, Double(20 * $0)) }.joined(separator: ","))
    #expect(many[1].contains("B1 80 %, B2 60 %, B3 40 %, 1 more") && many.last == ["5 shapes, 10 overlaps"])
    #expect(many[3].contains("B1 80 %, B3 80 %, B0 60 %, 1 more"))
    let heaped = try lines(
      (1...201 as ClosedRange<UInt64>).map {
        #"{"id":"\#(Identifier(packed: $0)!.text)","kind":"rectangle","size":[100,100]}"#
      }.joined(separator: ",")
    )
    #expect(heaped.last == ["201 shapes, too many overlaps to list"])
    let tied = try lines(
      box(0, 0) + "," + box(1, 300) + ","
        + #"{"id":"lin-e00-000","kind":"line","name":"Way","z":"z","from":["a00-000-000",0,0],"to":["a00-000-001",0,0]}"#
        + "," + #"{"id":"lin-e00-001","kind":"line","name":"End","z":"zz","to":["a00-000-001",0,0]}"#
    )
    #expect(tied[3].contains("B0 → B1") && tied[4].contains("→ B1"))
  }
}
