import CanvasCRDT

/// A room's drawing from the server's HTTP API, present or past.
struct StoredDrawing: Sendable {
  /// The JSON document as received.
  let bytes: [UInt8]
  let canvas: Canvas
  let order: DrawingOrder
  let names: ShownNames

  /// Gets a drawing, and reads it on another thread than the client's loop, which meanwhile heeds keys.
  static func fetch(
    _ room: RoomName,
    by requests: ServerRequests,
    at milliseconds: UInt64? = nil,
    stamps: Bool = false
  ) async throws -> StoredDrawing {
    var query: [String] = []
    if let milliseconds { query.append("at=\(milliseconds)") }
    if stamps { query.append("stamps=1") }
    let bytes = try await requests.get(room.path(), query: query.joined(separator: "&"), of: room.text)
    do throws(ImportError) {
      return try StoredDrawing(bytes)
    } catch {
      throw ClientFailure.failed("\(requests.server.authority): the answer is not a drawing: \(error.description)")
    }
  }

  init(_ bytes: [UInt8]) throws(ImportError) {
    self.bytes = bytes
    canvas = Canvas(of: try Import.read(bytes, shapesMax: .max, names: .asStored))
    order = DrawingOrder(canvas)
    names = ShownNames(canvas)
  }

  /// Whether any visible shape has a text.
  var hasTexts: Bool {
    canvas.shapes.contains { shape in
      let properties = shape.properties
      return properties.visible && properties.kind != .ink && !properties.text.isEmpty
    }
  }

  var drawing: Drawing { Drawing(canvas, order: order, names: names) }

  /// Each shape's newest stamp. Empty if the document has no stamps.
  func newestStamps() -> [Identifier: Stamp] {
    bytes.span.withUnsafeBytes { bytes in
      guard var reader = try? JSONReader(validating: bytes), let stamps = try? StampReading.read(&reader) else {
        return [:]
      }
      return stamps
    }
  }
}

extension Canvas {
  /// The drawing of a document. It lacks the shapes without an identifier.
  init(of shapes: [ImportedShape]) {
    self.init(seed: UInt64.random(in: 0...UInt64.max))
    for shape in shapes {
      // The stamps don't matter, because this canvas is never merged with another.
      guard let id = shape.id, let stamp = Stamp(milliseconds: 1, counter: 0, actor: id) else { continue }
      apply(Operation(shape: id, at: stamp, set: shape.properties))
    }
  }
}

private enum StampReading {
  static func read(_ reader: inout JSONReader) throws(JSONFailure) -> [Identifier: Stamp] {
    var newest: [Identifier: Stamp] = [:]
    try reader.beginObject()
    while let key = try reader.nextKey() {
      guard case "shapes" = key else {
        try reader.skipValue()
        continue
      }
      try reader.beginArray()
      while try reader.nextElement() {
        let (id, stamp) = try readShape(&reader)
        if let id, let stamp { newest[id] = stamp }
      }
    }
    return newest
  }

  private static func readShape(_ reader: inout JSONReader) throws(JSONFailure) -> (Identifier?, Stamp?) {
    var id: Identifier?
    var newest: Stamp?
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "id": id = Identifier(try reader.readString().text.string)
      case "stamps":
        try reader.beginObject()
        while try reader.nextKey() != nil {
          guard let stamp = Stamp(try reader.readString().text.string) else { continue }
          newest = max(newest ?? stamp, stamp)
        }
      default: try reader.skipValue()
      }
    }
    return (id, newest)
  }
}
