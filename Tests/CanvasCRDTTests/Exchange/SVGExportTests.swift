import Foundation
import Testing

@testable import CanvasCRDT

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("A drawing as SVG")
struct SVGExportTests {
  private let ann = Identifier("abc-abc-abc")!

  private func canvas(_ shapes: [(inout Properties) -> Void]) -> Canvas {
    var canvas = Canvas()
    for (index, assign) in shapes.enumerated() {
      let shape = Identifier(packed: UInt64(index) * 46_656 + 29_748)!
      canvas.apply(.init(shape: shape, at: Stamp(time: UInt64(index + 1), actor: ann), set: Properties(assign)))
    }
    return canvas
  }

  private func text(_ export: SVGExport) -> String { String(decoding: export.document(), as: UTF8.self) }

  /// A picture of one shape, after a change.
  private func picture(of shape: (inout Properties) -> Void, _ change: (inout Properties) -> Void = { _ in }) -> String
  {
    var set = Properties(shape)
    change(&set)
    return text(SVGExport(Drawing(canvas([{ [set] in $0 = set }]))))
  }

  @Test("all five kinds, turned, filled, stroked and translucent, from the back to the front")
  func golden() throws {
    let canvas = canvas([
      {
        $0.kind = .rectangle
        $0.position = Point(x: 45, y: 44)
        $0.size = Size(width: 89, height: 92)
        $0.fill = Color(packed: 0xEBC641)
        $0.alpha = 7
        $0.name = "Sun"
        $0.z = OrderKey("z")!
      },
      { ($0.kind, $0.size, $0.rotation, $0.cornerRadius) = (.roundedRectangle, Size(width: 20, height: 10), 12.5, 8) },
      {
        $0.kind = .ellipse
        $0.position = Point(x: -10.5, y: 0)
        $0.rotation = -30
        $0.stroke = Color(packed: 0x112233)
        $0.strokeWidth = 3
      },
      { ($0.kind, $0.size, $0.points) = (.polygon, Size(width: 100, height: 100), 4) },
      { ($0.kind, $0.size, $0.points, $0.rotation) = (.star, Size(width: 100, height: 100), 4, 45) },
      { ($0.kind, $0.visible, $0.position) = (.ellipse, false, Point(x: 9_000, y: 9_000)) },
    ])
    var export = SVGExport(Drawing(canvas))
    export.title = "demo"
    try GoldenFiles.expect(export.document(), in: "picture.svg")
  }

  @Test("S11: a shape that isn't filled has no fill, and broken strokes have dashes or dots")
  func outlines() {
    let canvas = canvas([
      {
        $0.kind = .ellipse
        $0.isFilled = false
        $0.strokeWidth = 2
        $0.dash = .dashed
        $0.stroke = Color(packed: 0x112233)
        $0.text = "Hi"
      },
      { ($0.kind, $0.strokeWidth, $0.dash) = (.rectangle, 1.5, .dotted) },
    ])
    let picture = text(SVGExport(Drawing(canvas)))
    #expect(picture.contains(##" fill="none" stroke="#112233" stroke-width="2" stroke-dasharray="6 4">"##))
    #expect(picture.contains(##" font-size="20" fill="#112233">"##))
    #expect(picture.contains(#" stroke-width="1.5" stroke-dasharray="0 3" stroke-linecap="round">"#))
  }

  @Test("S16: a line's text stands in a gap in its middle, upright, in the colour of the line, and in the picture")
  func captions() throws {
    let arrow: (inout Properties) -> Void = {
      $0.kind = .line
      $0.size = Size(width: 100, height: 100)
      $0.strokeWidth = 4
      $0.stroke = Color(packed: 0x112233)
      $0.path = Path([Path.Point(BoxPlace(x: 0, y: 0)), Path.Point(BoxPlace(x: 0, y: .max))])!
      $0.text = "one & two\nthree"
      $0.toEnd = .arrow
    }
    let picture = picture(of: arrow)
    // Two lines of 25 units around the middle, 4 units of margin, and half the line's width for its round ends.
    #expect(picture.contains(##"<path d="M0,0L0,19M0,81L0,82" stroke="#112233" stroke-width="4"/>"##))
    #expect(
      picture.contains(
        ##"<text text-anchor="middle" font-family="sans-serif" xml:space="preserve" font-size="20" fill="#112233">"##
          + ##"<tspan x="0" y="43.5">one &amp; two</tspan><tspan x="0" y="68.5">three</tspan></text></g>"##
      )
    )
    // The picture is larger, so that the caption isn't cut off.
    let bare = self.picture(of: arrow) { $0.text = "" }
    #expect(bare.contains(#"viewBox="-29 "#) && !picture.contains(#"viewBox="-29 "#) && !bare.contains("<text"))
    let narrow = try parsed(self.picture(of: arrow) { $0.size.width = 1 }).viewBox
    #expect(narrow[0] < -40 && narrow[0] + narrow[2] > 40)
    #expect(!self.picture(of: arrow) { $0.kind = .ink }.contains("<text"))
  }

  /// Ink with a different width at each point, because such points take the most bytes in SVG.
  private func ink(points: Int) -> Path {
    var path: [Path.Point] = []
    for index in 0..<points {
      path.append(Path.Point(BoxPlace(x: UInt16(index * 60), y: UInt16(index % 7)), width: index % 2 == 0 ? 90 : 110))
    }
    return Path(path)!
  }

  @Test("ink whose width changes all the time is one path for each width")
  func widths() {
    let canvas = canvas([
      { ($0.kind, $0.strokeWidth, $0.path) = (.ink, 10, self.ink(points: 1_024)) }
    ])
    let picture = text(SVGExport(Drawing(canvas)))
    #expect(picture.components(separatedBy: "<path").count == 3)
    #expect(picture.components(separatedBy: "M").count == 1_024 + 1, "each piece begins where the other path has led")
    #expect(picture.utf8.count < 1_024 * 60)
  }

  @Test("if there are too many points, strokes leave points out, and keep both ends")
  func thinned() throws {
    let canvas = canvas(
      (0..<20).map { _ in
        {
          $0.kind = .ink
          $0.size = Size(width: 65_535, height: 65_535)
          $0.strokeWidth = 10
          $0.path = self.ink(points: 500)
        }
      }
    )
    var export = SVGExport(Drawing(canvas))
    let whole = text(export)
    export.pathPointsMax = 1_000
    let picture = text(export)
    #expect(picture.utf8.count < whole.utf8.count / 8)
    #expect(try parsed(picture).titles.count == 20)
    for document in [whole, picture] {
      #expect(document.components(separatedBy: "M0,0L").count == 21)
      #expect(document.components(separatedBy: "29940,2\"").count == 21)
    }
  }

  @Test("captions beside which curves lead leave a picture as small as without them")
  func captionedCurves() throws {
    // All of the way lies near the caption's gap and outside of it.
    var places: [BoxPlace] = []
    for index in 0..<500 as Range<UInt16> { places.append(BoxPlace(x: index % 5 * 2_000, y: index % 7 * 9_000)) }
    for place in places.reversed() { places.append(BoxPlace(x: BoxPlace.end - place.x, y: BoxPlace.end - place.y)) }
    let path = try #require(Path(places.map { Path.Point($0) }))
    func picture(captioned: Bool, pointsMax: Int) -> String {
      let line: (inout Properties) -> Void = {
        $0.kind = .line
        $0.route = .curved
        $0.strokeWidth = 1_000
        $0.size = Size(width: 1_800, height: 1_000)
        $0.path = path
        if captioned { $0.text = "a" }
      }
      var export = SVGExport(Drawing(canvas([line])))
      export.pathPointsMax = pointsMax
      return text(export)
    }
    let plain = picture(captioned: false, pointsMax: 1_000_000)
    let captioned = picture(captioned: true, pointsMax: 1_000_000)
    #expect(captioned.utf8.count < plain.utf8.count + 1_000)
    // The bound on points counts all pieces that one point can become.
    #expect(picture(captioned: false, pointsMax: 1_000).utf8.count < plain.utf8.count * 6 / 10)
    #expect(picture(captioned: true, pointsMax: 1_000).utf8.count < captioned.utf8.count * 4 / 10)
  }

  @Test("if there are too many corners, stars and polygons leave corners out, and each keeps at least three")
  func thinnedCorners() {
    var shapes: [(inout Properties) -> Void] = []
    for kind in [ShapeKind.star, .polygon] {
      for points in [3, 64] as [Int16] {
        shapes.append { ($0.kind, $0.points) = (kind, points) }
      }
    }
    var export = SVGExport(Drawing(canvas(shapes)))
    // A number for each of the corners, of which a star has two for each point.
    func corners(_ picture: String) -> [Int] {
      picture.components(separatedBy: "<polygon points=\"").dropFirst().map { element in
        element.prefix { $0 != "\"" }.split(separator: " ").count
      }
    }
    #expect(corners(text(export)) == [6, 128, 3, 64])
    export.pathPointsMax = 67
    #expect(corners(text(export)) == [3, 43, 3, 22])
    // Of one corner more than the bound allows, the next step is needed.
    export.pathPointsMax = 66
    #expect(corners(text(export)) == [3, 32, 3, 16])
    export.pathPointsMax = 1
    #expect(corners(text(export)) == [3, 4, 3, 4])
  }

  @Test("S9: a text stands at the top, in the middle or at the bottom of its box, away from the edges")
  func textPlaces() {
    for (place, y) in [(TextPlace.top, "26.5"), (.middle, "56"), (.bottom, "85.5")] {
      let box: (inout Properties) -> Void = {
        $0.kind = .rectangle
        $0.size = Size(width: 200, height: 100)
        $0.text = "a"
        $0.textPlace = place
      }
      #expect(picture(of: box).contains(#" y="\#(y)">a<"#))
    }
  }

  @Test("S9: a text stands at the left, in the middle or at the right of its box, and is as see-through as its shape")
  func textAligns() {
    for (align, start) in [
      (TextAlign.left, #"<text font-family="sans-serif""#), (.center, #"<text text-anchor="middle""#),
      (.right, #"<text text-anchor="end""#),
    ] {
      let box: (inout Properties) -> Void = {
        $0.kind = .rectangle
        $0.size = Size(width: 200, height: 100)
        $0.text = "a"
        $0.textAlign = align
        $0.alpha = 4
      }
      let picture = picture(of: box)
      #expect(picture.contains(start) && picture.contains(##" fill="#000000" opacity="0.4"><tspan"##))
      #expect(picture.contains(#"<tspan x="\#(align == .left ? 8 : align == .center ? 100 : 192)" y="56">"#))
    }
  }

  @Test("S14: the ends of a line are drawn in its colour, unless it has no width; all of it is dashed and see-through")
  func ends() {
    let line: (inout Properties) -> Void = {
      $0.kind = .line
      $0.size = Size(width: 100, height: 100)
      $0.path = Path([Path.Point(BoxPlace(x: 0, y: 0)), Path.Point(BoxPlace(x: .max, y: 0))])!
      $0.strokeWidth = 4
      $0.stroke = Color(packed: 0x112233)
      ($0.fromEnd, $0.toEnd) = (.dot, .arrow)
      $0.dash = .dashed
      $0.alpha = 4
    }
    let picture = picture(of: line)
    #expect(picture.contains(#"<g fill="none" stroke-linecap="round" opacity="0.4"><title>"#))
    #expect(picture.contains(##"<path d="M0,0L82,0" stroke="#112233" stroke-width="4" stroke-dasharray="12 8"/>"##))
    #expect(picture.contains(##"<circle cx="0" cy="0" r="6" fill="#112233"/>"##))
    #expect(picture.contains(##"<polygon points="100,0 82,-9 82,9" fill="#112233"/>"##))
    let bare = self.picture(of: line) { $0.strokeWidth = 0 }
    #expect(bare.contains("<title>") && !["<path", "<circle", "<polygon"].contains { bare.contains($0) })
  }

  @Test("if there are too many lines of text, the picture has the first ones")
  func textLines() throws {
    let canvas = canvas(
      (0..<3).map { _ in
        { ($0.kind, $0.text) = (.text, "one\ntwo\n\nthree") }
      }
    )
    var export = SVGExport(Drawing(canvas))
    #expect(text(export).components(separatedBy: "<tspan").count == 1 + 9)
    export.textLinesMax = 4
    let picture = text(export)
    #expect(picture.components(separatedBy: "<tspan").count == 1 + 4)
    #expect(picture.components(separatedBy: ">three<").count == 1 + 1)
    #expect(try parsed(picture).titles.count == 3)
  }

  @Test("an empty drawing is a picture too")
  func empty() throws {
    let picture = try parsed(text(SVGExport(Drawing(Canvas()))))
    #expect(picture.viewBox == [0, 0, 800, 600] && picture.elements == ["svg"])
  }

  @Test("names are only data, whatever is in them, and read back from the titles")
  func escaped() throws {
    let names: [Text] = [
      "<b>&amp;</b>", "]]>", "\"it's\"", "Gr\u{FC}\u{DF}e \u{1F600}", "a\u{FFFE}b\u{FFFF}", "\u{FFFD}",
    ]
    let canvas = canvas(
      names.map { name in
        { ($0.kind, $0.name) = (.ellipse, name) }
      }
    )
    let titles = try parsed(text(SVGExport(Drawing(canvas)))).titles
    #expect(
      titles == names.map { $0.string.replacing("\u{FFFE}", with: "\u{FFFD}").replacing("\u{FFFF}", with: "\u{FFFD}") }
    )
  }

  @Test("every drawing becomes a well-formed picture that holds all of its visible shapes", arguments: 1...5)
  func wellFormed(seed: UInt64) throws {
    var history = RandomHistory(seed: seed, shapes: 30)
    var canvas = Canvas()
    for operation in history.operations(400) { canvas.apply(operation) }
    let drawing = Drawing(canvas)
    let visible = drawing.order.identifiers.compactMap { canvas[$0] }.filter(\.properties.visible)
    var export = SVGExport(drawing)
    for first in visible {
      for second in visible where first.id < second.id && first.outline.overlaps(second.outline) {
        export.overlaps.append(ShapePair(first.id, second.id))
      }
    }
    let picture = try parsed(text(export))
    #expect(picture.titles == visible.map { drawing.names.name(of: $0.id)!.string })
    let view = picture.viewBox
    for shape in visible {
      let bounds = shape.outline.bounds
      let reach = shape.properties.strokeWidth / 2
      #expect(view[0] <= bounds.minX - reach - 19 && view[0] + view[2] >= bounds.maxX + reach + 19)
      #expect(view[1] <= bounds.minY - reach - 19 && view[1] + view[3] >= bounds.maxY + reach + 19)
    }
  }

  @Test(
    "the picture has room for half a stroke around an outline, and for the heads of lines",
    arguments: [ShapeKind.rectangle, .line, .ink],
    [10.0, 5]
  )
  func reaches(kind: ShapeKind, width: Double) throws {
    let reach = kind == .rectangle ? width / 2 : DrawnLine.reach(width)
    let canvas = canvas([
      { ($0.kind, $0.size, $0.strokeWidth) = (kind, Size(width: 100, height: 100), width) }
    ])
    let view = try parsed(text(SVGExport(Drawing(canvas)))).viewBox
    #expect(view[0] == (-reach - 20).rounded(.down) && view[2] == (100 + reach + 20).rounded(.up) - view[0])
    #expect(view[1] == view[0] && view[3] == view[2])
  }

  @Test("common areas are painted over the shapes, unless one is hidden or deleted")
  func overlaps() throws {
    var canvas = canvas([
      { ($0.kind, $0.size) = (.rectangle, Size(width: 20, height: 20)) },
      { ($0.kind, $0.position, $0.size) = (.rectangle, Point(x: 10, y: 10), Size(width: 20, height: 20)) },
    ])
    let shapes = canvas.shapes.map(\.id)
    func document() -> String {
      var export = SVGExport(Drawing(canvas))
      export.overlaps = [ShapePair(shapes[0], shapes[1]), ShapePair(shapes[0], ann)]
      return text(export)
    }
    let region = try parsed(document()).points
    #expect(region.count == 1)
    #expect(Set(region[0].split(separator: " ")) == ["10,10", "20,10", "20,20", "10,20"])
    // The second pair reaches the bound, so the third one is left out.
    var many = SVGExport(Drawing(canvas))
    many.overlaps = Array(repeating: ShapePair(shapes[0], shapes[1]), count: 3)
    many.overlapCornersMax = 8
    #expect(try parsed(text(many)).points.count == 2)
    #expect(document().contains("</rect>\n<g fill=\"#FF8C1A\" stroke=\"#FF8C1A\" fill-opacity=\"0.45\">\n<polygon"))
    canvas.apply(.init(shape: shapes[1], at: Stamp(time: 9, actor: ann), set: Properties { $0.visible = false }))
    #expect(try parsed(document()).points.isEmpty)
  }

  private func parsed(_ document: String) throws -> ParsedSVG {
    let picture = ParsedSVG()
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = picture
    let isWellFormed = parser.parse()
    #expect(isWellFormed, "\(String(describing: parser.parserError)) at line \(parser.lineNumber)")
    return picture
  }
}

private final class ParsedSVG: NSObject, XMLParserDelegate {
  var elements: [String] = []
  var titles: [String] = []
  var points: [String] = []
  var viewBox: [Double] = []
  private var isInTitle = false

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.append(name)
    if let box = attributes["viewBox"] { viewBox = box.split(separator: " ").compactMap { Double($0) } }
    if let corners = attributes["points"] { points.append(corners) }
    if name == "title" {
      isInTitle = true
      titles.append("")
    }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if isInTitle { titles[titles.count - 1] += text }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    if name == "title" { isInTitle = false }
  }
}
