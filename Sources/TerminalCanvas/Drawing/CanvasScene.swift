import CanvasCRDT

/// What is drawn of a canvas, in the canvas's coordinates, from the back to the front.
public struct CanvasScene: Sendable {
  /// A shape as it is drawn now. While the shape moves, the item differs from the shape's state on the canvas.
  public struct Item: Equatable, Sendable {
    public var outline: Outline
    public var fill: Color
    public var stroke: Color
    public var strokeWidth: Double
    public var opacity: Double
    public var isFilled = true
    /// Whether the shape's stroke is solid, dashed or dotted.
    public var dash = Dash.solid
    /// The drawn line, if the shape is a line or ink.
    public private(set) var line: DrawnLine?
    /// The line's box at the time when `line` was computed.
    private var lineBox: Outline?
    /// The text as it is drawn: see `DrawnText`.
    public var text = ""
    /// The middle of the line when `line` was computed, if the line has a caption.
    private(set) var halfway: Point?
    public var textAlign = TextAlign.center
    public var textPlace = TextPlace.middle

    public init(outline: Outline, fill: Color, stroke: Color, strokeWidth: Double, opacity: Double) {
      self.outline = outline
      self.fill = fill
      self.stroke = stroke
      self.strokeWidth = strokeWidth
      self.opacity = opacity
    }

    public init(_ shape: Shape) {
      let properties = shape.properties
      self.init(
        outline: shape.outline,
        fill: properties.fill,
        stroke: properties.stroke,
        strokeWidth: properties.strokeWidth,
        opacity: properties.opacity
      )
      isFilled = properties.isFilled && !properties.kind.isStroke
      dash = properties.dash
      line = DrawnLine(shape)
      if line != nil { lineBox = outline }
      text = properties.text.drawn.string
      if shape.hasCaption { halfway = shape.halfway }
      textAlign = properties.textAlign
      textPlace = properties.textPlace
    }

    /// Ink that somebody is drawing. `nil` if there are no points yet.
    public init?(inkThrough points: [Point], width: Double, color: Color) {
      guard let drawn = DrawnLine(inkThrough: points, width: width), let first = points.first else { return nil }
      let (left, right) = points.reduce((first.x, first.x)) { (min($0.0, $1.x), max($0.1, $1.x)) }
      let (top, bottom) = points.reduce((first.y, first.y)) { (min($0.0, $1.y), max($0.1, $1.y)) }
      let box = Outline(
        kind: .ink,
        position: Point(x: left, y: top),
        size: Size(width: right - left, height: bottom - top)
      )
      self.init(outline: box, fill: color, stroke: color, strokeWidth: width, opacity: 1)
      isFilled = false
      line = drawn
      lineBox = box
    }

    /// The shape as it looks while somebody drags it: a little larger and a little transparent. A line isn't enlarged,
    /// because its ends must stay where they are.
    public var lifted: Item {
      var item = self
      if line == nil { item.grow(by: 1.06) }
      item.opacity *= 0.85
      return item
    }

    /// How the line's points have moved since `line` was computed. `nil` if the line's box is the same.
    var lineWay: BoxWay? {
      guard let lineBox, lineBox != outline else { return nil }
      return BoxWay(from: lineBox, to: outline)
    }

    /// Where the caption's middle is now. `nil` if the shape has none.
    var captionMiddle: Point? {
      guard let halfway, !text.isEmpty else { return nil }
      return lineWay?.end(of: halfway) ?? halfway
    }

    public mutating func grow(by factor: Double) {
      let size = Size(width: outline.size.width * factor, height: outline.size.height * factor)
      outline.position.x -= (size.width - outline.size.width) / 2
      outline.position.y -= (size.height - outline.size.height) / 2
      outline.size = size
    }
  }

  /// A line around a shape that somebody has selected.
  public struct Mark: Equatable, Sendable {
    public var outline: Outline
    public var color: Color
    /// The text of a small flag above the shape.
    public var flag: String?
    public var hasHandles: Bool

    public init(outline: Outline, color: Color, flag: String? = nil, hasHandles: Bool = false) {
      self.outline = outline
      self.color = color
      self.flag = flag
      self.hasHandles = hasHandles
    }
  }

  /// Somebody's cursor.
  public struct Pointer: Equatable, Sendable {
    public var place: Point
    public var color: Color
    public var name: String

    public init(place: Point, color: Color, name: String) {
      self.place = place
      self.color = color
      self.name = name
    }
  }

  /// A name in the middle of its shape, if there is space for it.
  public struct Label: Equatable, Sendable {
    public var text: String
    public var center: Point
    /// The text in the shape, which is shown instead of the name.
    public var writing: Writing?
    /// The outlines of shapes that lie over the text and hide it.
    public var covers: [Outline] = []

    public init(text: String, center: Point) {
      self.text = text
      self.center = center
    }

    public init(_ caption: CaptionCells, color: Color) {
      text = caption.text
      center = caption.box.center
      writing = Writing(box: caption.box, align: .center, place: .middle, color: color)
    }

    /// The label for a shape's own text.
    public init(_ item: Item) {
      text = item.text
      center = Rect(origin: item.outline.position, size: item.outline.size).center
      writing = Writing(
        box: Rect(origin: item.outline.position, size: item.outline.size),
        align: item.textAlign,
        place: item.textPlace,
        color: item.outline.kind == .text ? item.fill : item.isFilled ? nil : item.stroke
      )
    }
  }

  /// The position of a text's lines, and its colour if it isn't the usual one.
  public struct Writing: Equatable, Sendable {
    public var box: Rect
    public var align: TextAlign
    public var place: TextPlace
    public var color: Color?
  }

  public var items: [Item] = []
  /// The common areas of overlapping shapes.
  public var commonRegions: [[Point]] = []
  public var marks: [Mark] = []
  public var pointers: [Pointer] = []
  public var labels: [Label] = []
  /// A rectangle that somebody drags, to draw it or to select the shapes in it.
  public var band: Rect?
  /// The size of the black hole, as a multiple of its usual size. `nil` if it isn't shown.
  public var hole: Double?
  /// The lines of text in the middle of an empty canvas.
  public var invitation: [String] = []

  public init() {}
}
