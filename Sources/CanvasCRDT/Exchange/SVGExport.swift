/// A drawing as SVG: its visible shapes, from the back to the front, each with its name as its title.
///
/// Strokes have round joins, so no stroke extends further than half the stroke's width.
public struct SVGExport: Sendable {
  private let canvas: Canvas
  private let order: DrawingOrder
  private let names: ShownNames

  /// Pairs of shapes whose common area is painted over the drawing.
  public var overlaps: [ShapePair] = []
  public var title: Text?

  /// An upper bound on the points of strokes and on the corners in a picture. Drawings with more of them are thinned:
  /// some points of each shape are left out. Otherwise the SVG of a full room would be too large to export. A point
  /// takes 2 or 3 bytes in a room, a star's corner less than one, but both take 30 to 80 in SVG.
  var pathPointsMax = 1_000_000
  /// An upper bound on the lines of text in a picture. Further lines are left out. In a narrow box each letter is a line,
  /// which takes one byte in a room and more than 60 in SVG. Bold words and addresses count like lines, and further ones
  /// are drawn plain.
  var textLinesMax = 1_000_000
  /// An upper bound on the corners of all common areas together. Areas beyond it are not drawn, because people can't
  /// tell that many areas apart.
  var overlapCornersMax = 500_000

  public static let margin = 20.0
  /// The longer side, in pixels, of the largest picture that people look at. If a line's dashes would be smaller than a
  /// pixel in such a picture, the line is drawn solid.
  private static let pixelsMax = 4_096.0
  /// The view of an empty drawing.
  static let emptyView = Rect(origin: Point(x: 0, y: 0), size: Size(width: 800, height: 600))
  static let overlapColor = Color(red: 0xFF, green: 0x8C, blue: 0x1A)

  public init(_ drawing: Drawing) {
    canvas = drawing.canvas
    order = drawing.order
    names = drawing.names
  }

  public func document() -> [UInt8] {
    let shapes = visibleShapes
    let view = view(around: shapes)
    var writer = SVGWriter(capacity: shapes.count * 192 + 256)
    writer.dashes = DashBudget(pixel: max(view.size.width, view.size.height) / SVGExport.pixelsMax)
    writer.textLinesLeft = textLinesMax
    writer.raw("<svg xmlns=\"http://www.w3.org/2000/svg\"")
    writer.attribute("viewBox", view.minX, view.minY, view.size.width, view.size.height)
    writer.raw(" stroke-linejoin=\"round\">\n")
    if let title {
      writer.title(title)
      writer.raw("\n")
    }
    let step = pathStep(of: shapes)
    for shape in shapes { write(shape, pathStep: step, to: &writer) }
    writeOverlaps(to: &writer)
    writer.raw("</svg>\n")
    return writer.finish()
  }

  /// The step between drawn points of a stroke: 1 if all points are drawn, 2 if every second one is.
  private func pathStep(of shapes: [Shape]) -> Int {
    var points = 0
    for shape in shapes {
      switch shape.properties.kind {
      case .line: points += shape.properties.path.points.count * SVGExport.piecesPerPoint(of: shape)
      case .ink: points += shape.properties.path.points.count
      case .polygon: points += Int(shape.properties.points)
      case .star: points += 2 * Int(shape.properties.points)
      case .rectangle, .roundedRectangle, .ellipse, .text: break
      }
    }
    return Swift.max(1, (points + pathPointsMax - 1) / pathPointsMax)
  }

  /// How many pieces there are for each of a line's points: two on a curve, and more where a caption's gap cuts them.
  private static func piecesPerPoint(of line: Shape) -> Int {
    (line.properties.route == .curved ? 2 : 1) * (line.hasCaption ? 2 : 1)
  }

  private var visibleShapes: [Shape] {
    var shapes: [Shape] = []
    shapes.reserveCapacity(order.count)
    for place in order.places {
      if let shape = canvas.drawn(place.shape), shape.properties.visible { shapes.append(shape) }
    }
    return shapes
  }

  /// The smallest view with integer bounds that holds all shapes, their strokes and the margin.
  private func view(around shapes: [Shape]) -> Rect {
    var box = Box.empty
    for shape in shapes {
      let bounds = Box(shape.outline.bounds)
      let reach = shape.strokeReach
      box.extend(to: Point(x: bounds.minX - reach, y: bounds.minY - reach))
      box.extend(to: Point(x: bounds.maxX + reach, y: bounds.maxY + reach))
      guard let caption = CaptionLines(shape) else { continue }
      box.extend(to: caption.box.origin)
      box.extend(to: Point(x: caption.box.maxX, y: caption.box.maxY))
    }
    guard box.isFinite else { return SVGExport.emptyView }
    return Box(
      minX: (box.minX - SVGExport.margin).rounded(.down),
      minY: (box.minY - SVGExport.margin).rounded(.down),
      maxX: (box.maxX + SVGExport.margin).rounded(.up),
      maxY: (box.maxY + SVGExport.margin).rounded(.up)
    ).rect
  }

  // MARK: - Shapes

  private func write(_ shape: Shape, pathStep: Int, to writer: inout SVGWriter) {
    let outline = shape.outline
    let center = outline.center
    switch outline.kind {
    case .rectangle, .roundedRectangle:
      writer.raw("<rect")
      writer.attribute("x", outline.position.x)
      writer.attribute("y", outline.position.y)
      writer.attribute("width", outline.size.width)
      writer.attribute("height", outline.size.height)
      if outline.kind == .roundedRectangle { writer.attribute("rx", outline.drawnCornerRadius) }
      if outline.rotation != 0 { writer.rotation(outline.rotation, around: center) }
      writeStyle(of: shape, to: &writer)
      finish("</rect>\n", shape, &writer)
    case .ellipse:
      writer.raw("<ellipse")
      writer.attribute("cx", center.x)
      writer.attribute("cy", center.y)
      writer.attribute("rx", outline.size.width / 2)
      writer.attribute("ry", outline.size.height / 2)
      if outline.rotation != 0 { writer.rotation(outline.rotation, around: center) }
      writeStyle(of: shape, to: &writer)
      finish("</ellipse>\n", shape, &writer)
    case .polygon, .star:
      writer.raw("<polygon")
      // Polygons and stars have no curves, so the flatness doesn't matter.
      let corners = outline.polygon(flatness: 1)
      let step = Swift.min(pathStep, Swift.max(1, corners.count / 3))
      writer.attribute("points", corners.indices.filter { $0 % step == 0 }.map { corners[$0] })
      writeStyle(of: shape, to: &writer)
      finish("</polygon>\n", shape, &writer)
    case .line, .ink: return writeLine(of: shape, pathStep: pathStep, to: &writer)
    case .text: break
    }
    if outline.kind == .text || !shape.properties.text.isEmpty { writeText(of: shape, outline, to: &writer) }
  }

  /// Writes the lines of a shape's text. If the shape's kind is `text`, also writes the shape's title.
  private func writeText(of shape: Shape, _ outline: Outline, to writer: inout SVGWriter) {
    let properties = shape.properties
    let size = properties.textSize
    let center = outline.center
    let lines = TextLines(properties.text, width: (outline.size.width - 2 * TextLines.padding) / size).lines
    let step = PropertyRules.textLineHeight * size
    let height = Double(lines.count) * step
    let top =
      switch properties.textPlace {
      case .top: TextLines.padding
      case .middle: (outline.size.height - height) / 2
      case .bottom: outline.size.height - TextLines.padding - height
      }
    if outline.rotation != 0 {
      writer.raw("<g")
      writer.rotation(outline.rotation, around: center)
      writer.raw(">")
    }
    // An inner `svg` element cuts off text that doesn't fit into the box. In this element, coordinates start at the
    // box's corner.
    writer.raw("<svg")
    writer.attribute("x", outline.position.x)
    writer.attribute("y", outline.position.y)
    writer.attribute("width", outline.size.width)
    writer.attribute("height", outline.size.height)
    writer.raw("><text")
    let left: Double
    switch properties.textAlign {
    case .left: left = TextLines.padding
    case .center:
      left = outline.size.width / 2
      writer.raw(" text-anchor=\"middle\"")
    case .right:
      left = outline.size.width - TextLines.padding
      writer.raw(" text-anchor=\"end\"")
    }
    writeLetters(of: properties, to: &writer)
    if properties.opacity != 1 { writer.attribute("opacity", properties.opacity) }
    writer.raw(">")
    if properties.kind == .text { writer.title(names.name(of: shape.id) ?? shape.baseName) }
    write(lines, size: size, properties.textAlign, at: left, top: top, to: &writer)
    writer.raw(outline.rotation != 0 ? "</text></svg></g>\n" : "</text></svg>\n")
  }

  /// Writes the attributes of a text that say how its letters look.
  private func writeLetters(of properties: Properties, to writer: inout SVGWriter) {
    writer.raw(" font-family=\"sans-serif\" xml:space=\"preserve\"")
    writer.attribute("font-size", properties.textSize)
    writer.attribute("fill", properties.textColor)
  }

  /// - Parameter anchor: where each line is aligned.
  private func write(
    _ lines: [TextLines.Line],
    size: Double,
    _ align: TextAlign,
    at anchor: Double,
    top: Double,
    to writer: inout SVGWriter
  ) {
    let step = PropertyRules.textLineHeight * size
    for (index, line) in lines.enumerated() where !line.text.isEmpty && writer.textLinesLeft > 0 {
      writer.textLinesLeft -= 1
      writer.raw("<tspan")
      // The lines of a list are flush with each other.
      let share = align == .left ? 0 : align == .center ? 0.5 : 1
      writer.attribute("x", line.indent.map { anchor + ($0 - share * line.width) * size } ?? anchor)
      // The baseline lies four fifths of the text's size below the top of the letters.
      writer.attribute("y", top + Double(index) * step + (step - size) / 2 + 0.8 * size)
      if line.indent != nil, align != .left { writer.raw(" text-anchor=\"start\"") }
      writer.raw(">")
      writer.characters(line.text)
      writer.raw("</tspan>")
    }
  }

  private func writeStyle(of shape: Shape, to writer: inout SVGWriter) {
    let properties = shape.properties
    if properties.isFilled { writer.attribute("fill", properties.fill) } else { writer.raw(" fill=\"none\"") }
    let width = properties.strokeWidth
    if width > 0 {
      writer.attribute("stroke", properties.stroke)
      writer.attribute("stroke-width", width)
      let isBroken = writeDashes(properties.dash, width, length: shape.outline.lengthMax, to: &writer)
      if isBroken, properties.dash == .dotted { writer.raw(" stroke-linecap=\"round\"") }
    }
    if properties.opacity != 1 { writer.attribute("opacity", properties.opacity) }
    writer.raw(">")
  }

  /// Returns whether the line is drawn dashed or dotted. It is drawn solid if its dashes are too small or too many.
  @discardableResult
  private func writeDashes(_ dash: Dash, _ width: Double, length: Double, to writer: inout SVGWriter) -> Bool {
    guard writer.dashes.takes(dash, width: width, length: length) else { return false }
    let part = dash.partLength(width: width)
    writer.attribute("stroke-dasharray", part, dash.step(width: width) - part)
    return true
  }

  // MARK: - Lines and ink

  private func writeLine(of shape: Shape, pathStep: Int, to writer: inout SVGWriter) {
    let properties = shape.properties
    guard var line = DrawnLine(shape, pointStep: pathStep) else { return }
    let caption = CaptionLines(shape)
    if let caption { line.leaveGap(caption.gap) }
    writer.raw("<g fill=\"none\" stroke-linecap=\"round\"")
    if properties.opacity != 1 { writer.attribute("opacity", properties.opacity) }
    writer.raw(">")
    writer.title(names.name(of: shape.id) ?? shape.baseName)
    // A line of width 0 shows only its name. All pieces of one width form one path. They have one colour, so the order
    // in which they are painted doesn't matter.
    let pieces = properties.strokeWidth > 0 ? line.piecesByWidth : []
    var start = 0
    while start < pieces.count {
      let width = pieces[start].width
      let end = pieces[start...].firstIndex { $0.width != width } ?? pieces.count
      writer.raw("<path")
      writer.path(pieces[start..<end])
      writer.attribute("stroke", properties.stroke)
      writer.attribute("stroke-width", width)
      let length = pieces[start..<end].reduce(0) { $0 + $1.lengthMax }
      writeDashes(properties.dash, width, length: length, to: &writer)
      writer.raw("/>")
      start = end
    }
    for head in properties.strokeWidth > 0 ? line.heads : [] {
      switch head {
      case .arrow(let tip, let left, let right):
        writer.raw("<polygon")
        writer.attribute("points", [tip, left, right])
      case .dot(let center, let radius):
        writer.raw("<circle")
        writer.attribute("cx", center.x)
        writer.attribute("cy", center.y)
        writer.attribute("r", radius)
      }
      writer.attribute("fill", properties.stroke)
      writer.raw("/>")
    }
    if let caption {
      writer.raw("<text text-anchor=\"middle\"")
      writeLetters(of: properties, to: &writer)
      writer.raw(">")
      let (middle, top) = (caption.box.center.x, caption.box.minY)
      write(caption.lines, size: properties.textSize, .center, at: middle, top: top, to: &writer)
      writer.raw("</text>")
    }
    writer.raw("</g>\n")
  }

  private func finish(_ end: StaticString, _ shape: Shape, _ writer: inout SVGWriter) {
    writer.title(names.name(of: shape.id) ?? shape.baseName)
    writer.raw(end)
  }

  // MARK: - Overlaps

  /// Draws each pair's common area in front of all shapes.
  private func writeOverlaps(to writer: inout SVGWriter) {
    guard !overlaps.isEmpty else { return }
    writer.raw("<g")
    writer.attribute("fill", SVGExport.overlapColor)
    writer.attribute("stroke", SVGExport.overlapColor)
    writer.raw(" fill-opacity=\"0.45\">\n")
    var corners = 0
    var areas = CommonAreas()
    for pair in overlaps where corners < overlapCornersMax {
      guard let first = canvas[pair.first], let second = canvas[pair.second] else { continue }
      guard first.properties.visible, second.properties.visible else { continue }
      for polygon in areas.loops(first.outline, second.outline) ?? [] {
        corners += polygon.count
        writer.raw("<polygon")
        writer.attribute("points", polygon)
        writer.raw("/>\n")
      }
    }
    writer.raw("</g>\n")
  }
}

extension Outline {
  fileprivate var center: Point {
    Point(x: position.x + size.width / 2, y: position.y + size.height / 2)
  }
}
