import CanvasCRDT

/// A drawing within all limits that makes as much work as possible for clients that show it.
///
/// Each kind of drawing is hostile in its own way. All other properties have random values within their limits, often
/// the least or the greatest. A seed always gives the same drawing.
public struct HostileDrawing: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Random values that the table of properties allows.
    case anything
    /// Dashed ink that crosses the centre of the canvas many times and extends far beyond any view.
    case brokenInk
    /// Dotted outlines and lines, each a hundred thousand units long.
    case brokenOutlines
    /// Ink as wide as a view, with a different width at each point.
    case wideInk
    /// Many short words in boxes that are a thousand screens large.
    case texts
    /// Identical shapes at one place.
    case heap
    /// Translucent shapes with an outline, each covering the whole view.
    case translucent
    /// Lines that are all tied to one shape with many corners.
    case tied
    /// Lines whose ends are cut at the outline of an ellipse a thousand screens wide.
    case cut
  }

  public let kind: Kind
  public private(set) var canvas = Canvas()
  private var generator: SeededGenerator
  private var made: [Identifier] = []

  public init(_ kind: Kind, seed: UInt64, shapes: Int) {
    self.kind = kind
    generator = SeededGenerator(seed: seed)
    let actor = Identifier.random(using: &generator)
    if kind == .tied || kind == .cut { add(target(), by: actor) }
    for _ in 0..<shapes { add(properties(), by: actor) }
  }

  private mutating func add(_ set: Properties, by actor: Identifier) {
    let shape = Identifier.random(using: &generator)
    let time = 1_763_650_000_000 + UInt64(made.count)
    guard let stamp = Stamp(milliseconds: time, counter: 0, actor: actor) else { return }
    canvas.apply(Operation(shape: shape, at: stamp, set: set))
    made.append(shape)
  }

  /// The seeds that tests use for each kind.
  public static let seeds: [UInt64] = [1, 2]

  /// A drawing that is small enough for a test and large enough to exceed each limit.
  public static func sample(_ kind: Kind, seed: UInt64) -> HostileDrawing {
    HostileDrawing(kind, seed: seed, shapes: kind == .heap ? 1_200 : 25)
  }

  /// The overlaps of all shapes, computed as a client does.
  public var overlaps: OverlapIndex {
    OverlapIndex.shown(
      canvas.shapes.compactMap { shape in
        let drawn = canvas.drawn(shape)
        return drawn.properties.visible ? (identifier: shape.id, outline: drawn.outline) : nil
      }
    )
  }

  /// The drawing as JSON, for programs that are not written in Swift.
  public var document: [UInt8] { Drawing(canvas).document() }

  // MARK: - Shapes of each kind of drawing

  private mutating func target() -> Properties {
    var set = Properties()
    set.kind = kind == .tied ? .star : .ellipse
    set.points = PropertyRules.points.upperBound
    let side = kind == .tied ? 400.0 : PropertyRules.sides.upperBound
    set.position = Point(x: 400 - side / 2, y: 300 - side / 2)
    set.size = Size(width: side, height: side)
    return set
  }

  private mutating func properties() -> Properties {
    var set = Properties()
    for property in Property.allCases { assign(property, in: &set) }
    set.visible = true
    if kind != .anything {
      set.text = .empty
      set.path = .none
      (set.from, set.to) = (nil, nil)
    }
    switch kind {
    case .anything: break
    case .brokenInk:
      set.kind = .ink
      set.dash = Bool.random(using: &generator) ? .dotted : .dashed
      set.strokeWidth = number(0.3...2)
      place(&set, -500_000, -500_000, side: 1_000_000)
      set.path = path(points: Path.counts.upperBound, widths: 100...101) { place, index in
        BoxPlace(x: index % 2 == 0 ? 0 : BoxPlace.end, y: BoxPlace.middle.y - 32 + place.y % 64)
      }
    case .brokenOutlines:
      set.kind =
        [.ellipse, .rectangle, .roundedRectangle, .polygon, .star, .line].randomElement(using: &generator) ?? .line
      set.dash = Bool.random(using: &generator) ? .dotted : .dashed
      set.strokeWidth = number(0.3...4)
      place(&set, number(-60_000...0), number(-60_000...0), side: 100_000)
    case .wideInk:
      set.kind = .ink
      set.dash = .solid
      set.strokeWidth = 1_000
      place(&set, -100, -100, side: 1_500)
      set.path = path(points: Path.counts.upperBound, widths: 99...101)
    case .texts:
      set.kind = Bool.random(using: &generator) ? .text : .rectangle
      set.text = words()
      set.textSize = number(1...4)
      place(&set, number(0...800), number(0...600), side: 100_000)
    case .heap:
      set.kind = [.rectangle, .star, .ellipse].randomElement(using: &generator) ?? .star
      place(&set, 100, 100, side: 300)
      set.rotation = 0
    case .translucent:
      set.kind = [.rectangle, .star, .ellipse].randomElement(using: &generator) ?? .star
      set.alpha = Int16.random(in: 1...9, using: &generator)
      set.isFilled = true
      set.strokeWidth = number(4...40)
      place(&set, number(-2_000 ... -1_000), number(-2_000 ... -1_000), side: 5_000)
    case .tied, .cut:
      set.kind = .line
      set.strokeWidth = number(1...4)
      set.rotation = 0
      place(&set, number(0...800), number(0...600), side: 200)
      set.to = made.first.map { Tie(shape: $0, place: .middle) }
    }
    return set
  }

  private func place(_ set: inout Properties, _ x: Double, _ y: Double, side: Double) {
    set.position = Point(x: x, y: y)
    set.size = Size(width: side, height: side)
  }

  // MARK: - Random values

  private mutating func assign(_ property: Property, in set: inout Properties) {
    switch property.form {
    case .erasure, .name, .orderKey: break
    case .kind: set.kind = ShapeKind.allCases.randomElement(using: &generator) ?? .star
    case .text: set.text = Bool.random(using: &generator) ? words() : Text.empty
    case .choice(let field): set[field] = UInt8.random(in: 0..<UInt8(field.words.count), using: &generator)
    case .identifier(let field): set[field] = made.randomElement(using: &generator)
    case .path: set.path = path(points: Int.random(in: Path.counts, using: &generator), widths: Path.widths)
    case .tie(let field):
      set[field] = made.randomElement(using: &generator).map { Tie(shape: $0, place: boxPlace()) }
    case .flag(let field): set[field] = Bool.random(using: &generator)
    case .color(let field): set[field] = Color(packed: UInt32.random(in: 0..<(1 << 24), using: &generator))
    case .integer(let field, let range, _): set[field] = Int16.random(in: range, using: &generator)
    case .number(let field, let range, _): set[field] = bound(range)
    case .pair(let field, let range): set[field] = (bound(range), bound(range))
    }
  }

  /// A random number from the range. Often it is the lower end, the upper end or a small number, and otherwise any
  /// number between the two ends.
  private mutating func bound(_ range: ClosedRange<Double>) -> Double {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: range.lowerBound
    case 1: range.upperBound
    case 2: number(max(range.lowerBound, -1_000)...min(range.upperBound, 1_000))
    default: number(range)
    }
  }

  /// A number in the range, rounded to a hundredth.
  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    let value = (Double.random(in: range, using: &generator) * 100).rounded() / 100
    return min(max(value, range.lowerBound), range.upperBound)
  }

  private mutating func boxPlace() -> BoxPlace {
    BoxPlace(
      x: UInt16.random(in: 0...BoxPlace.end, using: &generator),
      y: UInt16.random(in: 0...BoxPlace.end, using: &generator)
    )
  }

  private mutating func path(
    points: Int,
    widths: ClosedRange<UInt8>,
    placed: (BoxPlace, Int) -> BoxPlace = { place, _ in place }
  ) -> Path {
    let points = (0..<points).map { index in
      Path.Point(placed(boxPlace(), index), width: UInt8.random(in: widths, using: &generator))
    }
    return Path(points) ?? .none
  }

  /// As many words as a shape's text may have, each of one or two letters, in a script with connected letters.
  private mutating func words() -> Text {
    var words = ""
    while words.utf8.count < PropertyRules.textBytesMax - 6 {
      words += Bool.random(using: &generator) ? "ب " : "لا "
    }
    return Text(words)
  }
}
