import CanvasCRDT

/// What others see of a user: `{"cursor":[x,y],"selection":[…],"lifted":[…],"view":[x,y,width,height]}`. With a pen,
/// `ink` is the stroke being drawn (S15).
struct PresenceState: Hashable, Sendable {
  var cursor: Point?
  var selection: [Identifier] = []
  var lifted: [Identifier] = []
  var view: Rect?
  /// The shape whose text somebody is writing. It is only received.
  private(set) var writing: Identifier?
  /// The newest piece of a stroke that somebody is drawing. It is only received, because this client has no pen.
  private(set) var ink: InkPiece?

  struct InkPiece: Hashable, Sendable {
    var shape: Identifier
    var color: Color
    var width: Double
    /// The index of the piece's first point in the stroke.
    var at: Int
    var points: [Point]

    /// At most this many points are in a piece. A whole stroke may have `keptMax`.
    fileprivate static let pointsMax = 120
    fileprivate static let keptMax = 20_000
    fileprivate static let widthMax = 1_000.0
  }

  /// At most this many shapes are in a presence message, whose size is limited. Nobody could tell more shapes apart.
  private static let shapesMax = 100

  init() {}

  /// Reads what is valid, because other clients may send anything.
  init(_ state: JSONText) {
    let read = state.bytes.span.withUnsafeBytes { bytes -> PresenceState? in
      guard var reader = try? JSONReader(validating: bytes) else { return nil }
      return try? PresenceState(reading: &reader)
    }
    self = read ?? PresenceState()
  }

  private init(reading reader: inout JSONReader) throws(JSONFailure) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch (key, reader.kind) {
      case ("cursor", .array):
        let numbers = try PresenceState.numbers(&reader)
        if numbers.count == 2 { cursor = Point(x: numbers[0], y: numbers[1]) }
      case ("view", .array):
        let numbers = try PresenceState.numbers(&reader)
        if numbers.count == 4, numbers[2] > 0, numbers[3] > 0 {
          view = Rect(
            origin: Point(x: numbers[0], y: numbers[1]),
            size: Size(width: numbers[2], height: numbers[3])
          )
        }
      case ("selection", .array): selection = try PresenceState.identifiers(&reader)
      case ("lifted", .array): lifted = try PresenceState.identifiers(&reader)
      case ("writing", .string): writing = Identifier(try reader.readString().text.string)
      case ("ink", .object): ink = try PresenceState.ink(&reader)
      default: try reader.skipValue()
      }
    }
  }

  /// `nil` if something is missing or invalid.
  private static func ink(_ reader: inout JSONReader) throws(JSONFailure) -> InkPiece? {
    var (shape, color, width, at): (Identifier?, Color?, Double?, Double?)
    var numbers: [Double] = []
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch (key, reader.kind) {
      case ("shape", .string): shape = Identifier(try reader.readString().text.string)
      case ("color", .string): color = Color(try reader.readString().text.string)
      case ("width", .number): width = try reader.readNumber()
      case ("at", .number): at = try reader.readNumber()
      case ("points", .array): numbers = try PresenceState.numbers(&reader, most: 2 * InkPiece.pointsMax)
      default: try reader.skipValue()
      }
    }
    guard let shape, let color, let width, width > 0, width <= InkPiece.widthMax,
      let place = at.flatMap({ Int(exactly: $0) }), (0...InkPiece.keptMax).contains(place), numbers.count % 2 == 0
    else { return nil }
    let points = stride(from: 0, to: numbers.count, by: 2).map { Point(x: numbers[$0], y: numbers[$0 + 1]) }
    return InkPiece(shape: shape, color: color, width: width, at: place, points: points)
  }

  /// The numbers in an array that are valid coordinates. Other elements are skipped.
  private static func numbers(_ reader: inout JSONReader, most: Int = 8) throws(JSONFailure) -> [Double] {
    var numbers: [Double] = []
    try reader.beginArray()
    while try reader.nextElement() {
      guard reader.kind == .number else {
        try reader.skipValue()
        continue
      }
      let number = try reader.readNumber()
      if number.magnitude <= 1e9, numbers.count < most { numbers.append(number) }
    }
    return numbers
  }

  private static func identifiers(_ reader: inout JSONReader) throws(JSONFailure) -> [Identifier] {
    var identifiers: [Identifier] = []
    try reader.beginArray()
    while try reader.nextElement() {
      guard reader.kind == .string else {
        try reader.skipValue()
        continue
      }
      let text = try reader.readString().text.string
      if let identifier = Identifier(text), identifiers.count < shapesMax { identifiers.append(identifier) }
    }
    return identifiers
  }

  var json: JSONText? {
    var writer = JSONWriter(capacity: 256)
    func write(_ numbers: [Double]) {
      writer.beginArray()
      for number in numbers { writer.value((number * 100).rounded() / 100) }
      writer.endArray()
    }
    func write(_ identifiers: [Identifier]) {
      writer.beginArray()
      for identifier in identifiers.prefix(PresenceState.shapesMax) { writer.value(identifier) }
      writer.endArray()
    }
    writer.beginObject()
    if let cursor {
      writer.key("cursor")
      write([cursor.x, cursor.y])
    }
    writer.key("selection")
    write(selection)
    if !lifted.isEmpty {
      writer.key("lifted")
      write(lifted)
    }
    if let view {
      writer.key("view")
      write([view.minX, view.minY, view.size.width, view.size.height])
    }
    writer.endObject()
    let bytes = writer.finish()
    return bytes.span.withUnsafeBytes { try? JSONText(validating: $0, maximumBytes: 4_096) }
  }
}
