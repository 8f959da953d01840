import CanvasCRDT

/// The presence that others see: `{"cursor":[x,y],"selection":[…],"lifted":[…],"view":[x,y,width,height]}`.
struct PresenceState: Hashable, Sendable {
  var cursor: Point?
  var selection: [Identifier] = []
  var lifted: [Identifier] = []
  var view: Rect?

  /// Further shapes are left out: presence has a limit, and more marks than this tell nothing.
  private static let shapesMax = 100

  init() {}

  /// Another client may send anything. The parts that make sense are used.
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
      default: try reader.skipValue()
      }
    }
  }

  /// The elements that are numbers and may be coordinates.
  private static func numbers(_ reader: inout JSONReader) throws(JSONFailure) -> [Double] {
    var numbers: [Double] = []
    try reader.beginArray()
    while try reader.nextElement() {
      guard reader.kind == .number else {
        try reader.skipValue()
        continue
      }
      let number = try reader.readNumber()
      if number.magnitude <= 1e9, numbers.count < 8 { numbers.append(number) }
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
