import CanvasCRDT

// What rooms answer over HTTP, as JSON.

extension RoomListing {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("room")
    writer.value(text: room)
    writer.key("shapes")
    writer.value(shapes)
    writer.key("peers")
    writer.value(peers)
    writer.key("cursor")
    writer.value(text: cursor.text)
    writer.key("operations")
    writer.value(operations)
    if isUncounted {
      writer.key("uncounted")
      writer.value(true)
    }
    if let fault {
      writer.key("fault")
      writer.value(text: fault)
    }
    writer.endObject()
  }
}

extension OverlapIndex {
  /// `GET /v1/rooms/{room}/overlaps`. `nil` if more shapes overlap than are told one by one.
  func document(room: Text, cursor: Cursor) -> [UInt8]? {
    if isCrowded { return nil }
    let pairs = pairs
    var writer = JSONWriter(capacity: pairs.count * 32 + 128)
    writer.beginObject()
    writer.key("room")
    writer.value(text: room)
    writer.key("cursor")
    writer.value(text: cursor.text)
    writer.key("overlaps")
    JSONEncoding.write(pairs, to: &writer)
    writer.endObject()
    return writer.finish()
  }

  /// `GET /v1/rooms/{room}/overlaps?box=`: what a box at that place would overlap.
  func document(overlapping box: Rect) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("shapes")
    writer.beginArray()
    for shape in overlapping(box) { writer.value(shape) }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  /// `GET /v1/rooms/{room}/free`. `nil` if shapes cover the whole canvas.
  func document(freePlaceFor size: Size, near point: Point) -> [UInt8]? {
    guard let place = freePlace(for: size, near: point) else { return nil }
    var writer = JSONWriter(capacity: 64)
    writer.beginObject()
    writer.key("position")
    writer.beginArray()
    writer.value(place.x)
    writer.value(place.y)
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}

/// `POST /v1/rooms/{room}/layout`: the operations that write a document's shapes, in order, and the shapes'
/// identifiers.
struct LayoutEdits: Sendable {
  let operations: [ProposedOperation]
  let shapes: [Identifier]

  init(importing document: [ImportedShape], into canvas: Canvas, using generator: inout some RandomNumberGenerator) {
    let order = DrawingOrder(canvas)
    let edits = Import.edits(for: document, identifiers: .new, over: order, using: &generator)
    // Edits of neighbours that make space come first. They are not shapes of the document.
    shapes = edits.suffix(document.count).map { $0.shape }
    operations = edits.map { ProposedOperation(shape: $0.shape, at: nil, set: $0.set) }
  }
}
