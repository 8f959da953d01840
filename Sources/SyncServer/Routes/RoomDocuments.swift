import CanvasCRDT

// What routes answer about a room, as JSON.

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
  /// `GET /v1/rooms/{room}/overlaps`.
  /// - Returns: `nil` if more pairs overlap than the answer may name.
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

  /// `GET /v1/rooms/{room}/overlaps?box=`: the shapes that the box in the query would overlap.
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

  /// `GET /v1/rooms/{room}/free`.
  /// - Returns: `nil` if there is no free place, because shapes cover the whole canvas.
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
