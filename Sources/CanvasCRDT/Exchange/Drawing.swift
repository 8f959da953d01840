/// A canvas as one document. `GET /v1/rooms/{room}` answers with such a document, and people save and load it.
///
/// `{"room", "cursor", "shapes": [{"id", "kind", "name", …}]}`. The shapes are in drawing order. Each has every
/// property, with defaults filled in, and its shown name. Rare properties are left out unless somebody has set them.
public struct Drawing: Sendable {
  let canvas: Canvas
  let order: DrawingOrder
  let names: ShownNames
  /// Whether a line loses its ties to shapes that are not in `order`. An end that loses its tie stays where it is
  /// drawn.
  var untiesOthers = false

  /// For a caller that already has the drawing order and the shown names.
  public init(_ canvas: Canvas, order: DrawingOrder, names: ShownNames) {
    self.canvas = canvas
    self.order = order
    self.names = names
  }

  public init(_ canvas: Canvas) {
    self.init(canvas, order: DrawingOrder(canvas), names: ShownNames(canvas))
  }

  /// The whole document. With `stamps`, each shape also says which actor wrote which property, and when.
  public func document(room: Text? = nil, cursor: Text? = nil, stamps: Bool = false) -> [UInt8] {
    var writer = JSONWriter(capacity: order.count * (stamps ? 512 : 320) + 256)
    write(room: room, cursor: cursor, stamps: stamps, to: &writer)
    return writer.finish()
  }

  public func write(room: Text? = nil, cursor: Text? = nil, stamps: Bool = false, to writer: inout JSONWriter) {
    writer.beginObject()
    if let room {
      writer.key("room")
      writer.value(text: room)
    }
    if let cursor {
      writer.key("cursor")
      writer.value(text: cursor)
    }
    writer.key("shapes")
    writeShapes(stamps: stamps, to: &writer)
    writer.endObject()
  }

  /// Writes only the list of shapes.
  public func writeShapes(stamps: Bool = false, to writer: inout JSONWriter) {
    writer.beginArray()
    for place in order.places { write(place.shape, stamps: stamps, to: &writer) }
    writer.endArray()
  }

  private func write(_ id: Identifier, stamps: Bool, to writer: inout JSONWriter) {
    guard var shape = canvas[id] else { return }
    if untiesOthers { shape = shape.untied(butFrom: { self.order.place(of: $0) != nil }) { canvas[$0] } }
    writer.beginObject()
    writer.key("id")
    writer.value(id)
    let order = Property.inOrder
    for place in order.indices where order[place] != .deleted {
      let property = order[place]
      // Rare properties are left out unless somebody has set them.
      if PropertyMask.rare.contains(property), !shape.properties.assigned.contains(property) { continue }
      writer.key(property.wireName)
      if property == .name {
        writer.value(text: names.name(of: id) ?? shape.baseName)
      } else {
        writer.value(property, of: shape.properties)
      }
    }
    if stamps {
      writer.key("stamps")
      writeStamps(of: id, to: &writer)
    }
    writer.endObject()
  }

  /// Writes the stamps of all registers, also of a name that counts as none (S3): the digest counts it.
  private func writeStamps(of id: Identifier, to writer: inout JSONWriter) {
    writer.beginObject()
    let order = Property.inOrder
    for place in order.indices where order[place] != .deleted {
      let property = order[place]
      guard let stamp = canvas.stamp(of: property, in: id) else { continue }
      writer.key(property.wireName)
      writer.value(stamp)
    }
    writer.endObject()
  }
}
