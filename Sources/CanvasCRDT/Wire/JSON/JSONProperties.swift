// Properties as JSON, in the order of docs/PROTOCOL.md.

extension JSONEncoding {
  /// Writes the assigned values as the members of one object.
  public static func write(_ set: borrowing Properties, to writer: inout JSONWriter) {
    writer.beginObject()
    let order = Property.inOrder
    for place in order.indices where set.assigned.contains(order[place]) {
      writer.key(order[place].wireName)
      writer.value(order[place], of: set)
    }
    writer.endObject()
  }
}
