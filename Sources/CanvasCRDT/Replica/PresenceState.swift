/// The bounds of what people tell each other by presence. Larger numbers and longer lists are not told, and are malformed
/// if somebody else tells them. `make table` writes them for the page, too.
public enum PresenceBound: Int, CaseIterable, Sendable {
  /// Shapes in one list. With both lists full, enough of the room's limit is left for the rest. More are cut off.
  case shapes = 100
  /// Points of a stroke of ink in one message. A whole stroke has at most `inkIndex`, enough for minutes of drawing.
  case inkPoints = 120
  case inkIndex = 200_000
  case inkWidth = 1_000
  /// Characters of an unfinished text. With three bytes for each, enough of the room's limit is left for the rest.
  case typed = 800
  /// Points of a laser pointer's stroke in one message: half a second of a quick hand.
  case laserPoints = 60
  case laserIndex = 1_000_000_000
  /// Coordinates. A larger one is outside every canvas.
  case coordinate = 100_000_000
  /// Coordinates are told in steps of one divided by this.
  case stepsPerUnit = 10
}

/// What others see of a user, as far as this client uses it: `{"cursor":[x,y],"selection":[…],"lifted":[…],
/// "view":[x,y,width,height],"writing":"…"}`. With a pen, `ink` is the stroke being drawn (S15).
public struct PresenceState: Hashable, Sendable {
  public var cursor: Point?
  public var selection: [Identifier] = []
  public var lifted: [Identifier] = []
  public var view: Rect?
  /// The shape whose text somebody is writing. It is only received.
  public private(set) var writing: Identifier?
  /// The newest piece of a stroke that somebody is drawing. It is only received, because this client has no pen.
  public private(set) var ink: InkPiece?

  public struct InkPiece: Hashable, Sendable {
    public let shape: Identifier
    public let color: Color
    public let width: Double
    /// The index of the piece's first point in the stroke.
    public let at: Int
    public let points: [Point]
  }

  public init() {}

  /// Reads what is valid, because other clients may send anything.
  public init(_ state: JSONText) {
    state.bytes.span.withUnsafeBytes { bytes in
      guard var reader = try? JSONReader(validating: bytes), reader.entersObject() else { return }
      while let key = reader.memberKey() { read(key, &reader) }
    }
  }

  private mutating func read(_ key: JSONString, _ reader: inout JSONReader) {
    switch (key, reader.kind) {
    case ("cursor", .array):
      cursor = reader.coordinates(atMost: 2).flatMap { $0.count == 2 ? Point(x: $0[0], y: $0[1]) : nil }
    case ("view", .array): view = reader.coordinates(atMost: 4).flatMap(Rect.init(view:))
    case ("selection", .array): selection = reader.identifiers()
    case ("lifted", .array): lifted = reader.identifiers()
    case ("writing", .string): writing = reader.identifier()
    case ("ink", .object): ink = InkPiece(reading: &reader)
    default: reader.passOver()
    }
  }

  /// Whether a member tells of edits that this person is making or has made, as only editors do (R1).
  public static func tellsOfEdits(_ key: JSONString) -> Bool {
    switch key {
    case "ink", "lifted", "putBack", "restored", "typed", "writing": true
    default: false
    }
  }

  /// The form that is sent.
  public var json: JSONText? {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    if let cursor { writer.member("cursor", [cursor.x, cursor.y]) }
    writer.member("selection", selection)
    if !lifted.isEmpty { writer.member("lifted", lifted) }
    if let view { writer.member("view", [view.minX, view.minY, view.size.width, view.size.height]) }
    writer.endObject()
    let bytes = writer.finish()
    return bytes.span.withUnsafeBytes { try? JSONText(validating: $0, maximumBytes: $0.count) }
  }
}

extension PresenceState.InkPiece {
  /// `nil` if something is missing or invalid.
  fileprivate init?(reading reader: inout JSONReader) {
    var (shape, color, width, at): (Identifier?, Color?, Double?, Double?)
    var numbers: [Double]?
    guard reader.entersObject() else { return nil }
    while let key = reader.memberKey() {
      switch (key, reader.kind) {
      case ("shape", .string): shape = reader.identifier()
      case ("color", .string): color = reader.color()
      case ("width", .number): width = reader.number()
      case ("at", .number): at = reader.number()
      case ("points", .array): numbers = reader.coordinates(atMost: 2 * PresenceBound.inkPoints.rawValue)
      default: reader.passOver()
      }
    }
    guard let shape, let color, let width, width > 0, width <= Double(PresenceBound.inkWidth.rawValue),
      let at = at.flatMap({ Int(exactly: $0) }), (0...PresenceBound.inkIndex.rawValue).contains(at),
      let numbers, numbers.count % 2 == 0
    else { return nil }
    let points = stride(from: 0, to: numbers.count, by: 2).map { Point(x: numbers[$0], y: numbers[$0 + 1]) }
    self.init(shape: shape, color: color, width: width, at: at, points: points)
  }
}

extension Rect {
  /// What somebody sees of the canvas. `nil` if it is no area.
  fileprivate init?(view numbers: [Double]) {
    guard numbers.count == 4, numbers[2] >= 0.01, numbers[3] >= 0.01 else { return nil }
    self.init(origin: Point(x: numbers[0], y: numbers[1]), size: Size(width: numbers[2], height: numbers[3]))
  }
}

extension JSONReader {
  /// An array of coordinates. `nil` if one is invalid or there are too many.
  fileprivate mutating func coordinates(atMost most: Int) -> [Double]? {
    var numbers: [Double] = []
    var isValid = entersArray()
    while hasElement() {
      if kind == .number, numbers.count < most, let number = number() {
        if number.magnitude > Double(PresenceBound.coordinate.rawValue) { isValid = false }
        numbers.append(number)
      } else {
        passOver()
        isValid = false
      }
    }
    return isValid ? numbers : nil
  }

  /// The valid identifiers in an array, as far as there are not too many.
  fileprivate mutating func identifiers() -> [Identifier] {
    var identifiers: [Identifier] = []
    guard entersArray() else { return [] }
    while hasElement() {
      if kind != .string {
        passOver()
      } else if let identifier = identifier(), identifiers.count < PresenceBound.shapes.rawValue {
        identifiers.append(identifier)
      }
    }
    return identifiers
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ coordinates: [Double]) {
    let steps = Double(PresenceBound.stepsPerUnit.rawValue)
    key(name)
    beginArray()
    for coordinate in coordinates { value((coordinate * steps).rounded() / steps) }
    endArray()
  }

  fileprivate mutating func member(_ name: StaticString, _ shapes: [Identifier]) {
    key(name)
    beginArray()
    for shape in shapes.prefix(PresenceBound.shapes.rawValue) { value(shape) }
    endArray()
  }
}
