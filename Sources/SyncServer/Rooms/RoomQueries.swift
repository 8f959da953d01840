import CanvasCRDT

// What is asked over HTTP, without joining.

/// A line of the list of rooms.
struct RoomListing: Hashable, Sendable {
  let room: Text
  let shapes: Int
  let peers: Int
  let cursor: Cursor
  let operations: UInt64
  /// Whether more has happened since the shapes were counted.
  var isUncounted = false
  /// Why the room can't be opened, where that is so.
  var fault: Text?

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

extension Room {
  /// Nobody has written to it: as good as none.
  var isUnwritten: Bool { position == 0 }

  var listing: RoomListing {
    RoomListing(
      room: name,
      shapes: canvas.liveCount,
      peers: memberCount,
      cursor: cursor,
      operations: operationCount
    )
  }

  /// The place that a cursor of this room's present life names.
  func place(of cursor: Cursor) -> UInt64? {
    guard let cursor = RoomCursor(cursor), cursor.epoch == epoch, cursor.position <= position else { return nil }
    return cursor.position
  }

  /// `GET /v1/rooms/{room}/free`; nothing where shapes cover all there is.
  mutating func freePlace(for size: Size, near point: Point, now: Moment) -> [UInt8]? {
    guard let place = overlapIndex(now: now).freePlace(for: size, near: point) else { return nil }
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

  /// `POST /v1/rooms/{room}/layout`: what a document's shapes are written as, in order, and how they are called. To be
  /// handed to `submit`.
  static func edits(
    importing shapes: [ImportedShape],
    into canvas: Canvas,
    using generator: inout some RandomNumberGenerator
  ) -> (operations: [ProposedOperation], shapes: [Identifier]) {
    let order = DrawingOrder(canvas)
    let edits = Import.edits(for: shapes, identifiers: .new, over: order, using: &generator)
    // Neighbours that make room come first, and are not the document's.
    let own = edits.suffix(shapes.count).map { $0.shape }
    return (edits.map { ProposedOperation(shape: $0.shape, at: nil, set: $0.set) }, own)
  }
}

extension OverlapIndex {
  /// `GET /v1/rooms/{room}/overlaps`; nothing where more overlap than are told one by one.
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

  /// `GET /v1/rooms/{room}/overlaps?box=`: what a box there would overlap.
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
}
