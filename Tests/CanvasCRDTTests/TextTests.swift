import Testing

@testable import CanvasCRDT

@Suite("Text in shapes")
struct TextTests {
  private func canvas(_ texts: [Text]) -> Canvas {
    var canvas = Canvas()
    for (index, text) in texts.enumerated() {
      let set = Properties { ($0.kind, $0.text) = (.rectangle, text) }
      let id = Identifier(packed: UInt64(index + 1))!
      canvas.apply(CanvasCRDT.Operation(shape: id, at: WireSamples.stamp(5), set: set))
    }
    return canvas
  }

  @Test("the bytes of texts and paths are counted, however they come and go", arguments: 0..<20 as Range<UInt64>)
  func counted(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var canvas = Canvas()
    func expectCounted(_ canvas: Canvas) {
      var bytes = 0
      canvas.forEachOperation { operation in
        if operation.set.assigned.contains(.text) { bytes += operation.set.text.utf8Count }
        if operation.set.assigned.contains(.path) { bytes += operation.set.path.bytes.count }
      }
      #expect(canvas.longBytes == bytes)
    }
    for operation in history.operations(300) {
      canvas.apply(operation)
      expectCounted(canvas)
    }
    var merged = Canvas()
    merged.merge(canvas)
    expectCounted(merged)
    var restored = Canvas()
    for part in canvas.stateParts(shapesMax: 2) { restored.merge(part) }
    expectCounted(restored)
  }

  @Test("a state with long texts comes in parts of which none is longer than one without could be")
  func parts() {
    let long = Text(String(repeating: "\n", count: 4_096))
    let canvas = canvas([Text](repeating: long, count: 1_000))
    let parts = canvas.stateParts(shapesMax: 256)
    #expect(parts.map { $0.recordCount }.reduce(0, +) == 1_000)
    for part in parts {
      let delivery = Delivery(cursor: Cursor("C"), content: .state(part))
      #expect(JSONEncoding.encode(.operations(delivery)).count <= 256 * 3_584)
      #expect(BinaryEncoding.encode(.operations(delivery)).count <= 256 * 896)
    }
    // A part of a state has at least one shape, however low the limit on its size is.
    #expect(canvas.stateParts(shapesMax: 1).allSatisfy { $0.recordCount == 1 })
  }

  @Test("S9: the letters are in the fill of a text, elsewhere black or white")
  func colors() {
    let white = Color(red: 255, green: 255, blue: 255)
    let black = Color(red: 0, green: 0, blue: 0)
    let fills: [(String, Color)] = [
      ("#000000", white), ("#FFFFFF", black), ("#C0C0C0", black), ("#FFFF00", black), ("#0000FF", white),
      // On both sides of the limit: in grey, in green, and in green with red or blue.
      ("#7F7F7F", white), ("#808080", black), ("#00DA00", white), ("#00DB00", black), ("#FF5800", white),
      ("#FF5900", black), ("#00A8FF", white), ("#00A9FF", black),
    ]
    for (fill, letters) in fills {
      #expect(Properties { $0.fill = Color(fill)! }.textColor == letters)
    }
    let text = Properties { ($0.kind, $0.fill) = (.text, Color("#123456")!) }
    #expect(text.textColor == Color("#123456"))
    let hollow = Properties { ($0.fill, $0.stroke, $0.isFilled) = (white, Color("#123456")!, false) }
    #expect(hollow.textColor == Color("#123456"))
    for kind in ShapeKind.allCases {
      let shape = Properties { ($0.kind, $0.fill, $0.stroke) = (kind, white, Color("#123456")!) }
      #expect(shape.textColor == (kind.isStroke ? Color("#123456") : kind == .text ? white : black), "\(kind)")
    }
  }

  @Test("S7: a text overlaps nothing, and is found where it lies")
  func overlaps() {
    let box = Rect(0, 0, 100, 100)
    var text = Outline(box)
    text.kind = .text
    let (one, other) = (WireSamples.shape, WireSamples.other)
    var index = OverlapIndex([(one, Outline(box)), (other, text)])
    #expect(index.pairs.isEmpty)
    #expect(index.update(other, to: Outline(box)).began.count == 1)
    #expect(index.update(other, to: text).ended.count == 1)
    #expect(index.shapes(at: Point(x: 50, y: 50)) == [one, other].sorted())
    #expect(index.meeting(box) == [one, other].sorted())
    #expect(index.overlapping(box) == [one])
    #expect(!text.overlaps(text) && text.commonRegion(with: Outline(box)) == [])
    _ = index.update(one, to: nil)
    #expect(index.freePlace(for: box.size, near: box.origin) == box.origin)
  }

  @Test("lines break between words, at line breaks, and within words that are too long; spaces at an end take no place")
  func lines() {
    func lines(_ text: Text, _ width: Double) -> [String] { TextLines(text, width: width).lines.map { $0.text.string } }
    #expect(lines("", 10) == [""])
    #expect(lines("one two three", 100) == ["one two three"])
    #expect(lines("one two three", 4) == ["one two", "three"])
    #expect(lines("one\n\ntwo", 100) == ["one", "", "two"])
    #expect(lines("aaaaaaaa", 2.3) == ["aaaa", "aaaa"])
    #expect(lines("日本語", 2) == ["日本", "語"])
    #expect(lines("a", 0) == ["a"])
    // Two letters fill a line. All spaces after them stick out beyond its end and don't begin a new line.
    #expect(lines("ab   cd", 1.1) == ["ab", "cd"])
    #expect(lines("WW", 0.5) == ["W", "W"])
  }

  @Test("S9: the box of a text has room for its lines, for wide letters and for the margins")
  func boxes() {
    func box(_ text: Text, _ textSize: Double) -> Size { TextBox.size(of: text, textSize: textSize) }
    #expect(box("", 20) == Size(width: 16, height: 41))
    #expect(box("nnnn", 20) == Size(width: 65, height: 41))
    #expect(box("n\nnnnn", 40) == Size(width: 113, height: 116))
    #expect(box(Text(String(repeating: "\n", count: 1_000)), 1_000).height == 1_000_000)
    for (width, height) in [(65, 66), (64, 116), (1, 216), (200, 41)] as [(Double, Double)] {
      #expect(TextBox.height(of: "nnnn nnnn", textSize: 20, width: width) == height)
    }
  }

  @Test("SVG has the text, cut off at the box, and a text without an area")
  func picture() {
    var canvas = canvas(["a & <b>"])
    let text = Properties {
      ($0.kind, $0.text, $0.fill, $0.rotation) = (.text, "Free", Color("#E4572E")!, 90)
      $0.position = Point(x: 10, y: 20)
    }
    canvas.apply(CanvasCRDT.Operation(shape: WireSamples.shape, at: WireSamples.stamp(5), set: text))
    let picture = String(decoding: SVGExport(Drawing(canvas)).document(), as: UTF8.self)
    #expect(picture.contains(">a &amp; &lt;b&gt;</tspan>"))
    #expect(picture.contains("font-size=\"20\" fill=\"#000000\""))
    #expect(picture.contains(">Free</tspan>") && picture.contains("rotate(90 85 80)"))
    #expect(picture.contains(#"<svg x="10" y="20" width="150" height="120">"#))
    #expect(picture.split(separator: "<rect").count == 2, "a text has no area")
    #expect(picture.contains("<title>Text t7o</title>"))
  }
}
