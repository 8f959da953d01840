// Properties as JSON, in the contract's order.

extension JSONEncoding {
  /// Writes the assigned values as the members of one object.
  public static func write(_ set: borrowing Properties, to writer: inout JSONWriter) {
    writer.beginObject()
    let order = Property.inOrder
    for place in order.indices where set.assigned.contains(order[place]) {
      writer.key(order[place].wireName)
      write(order[place], of: set, to: &writer)
    }
    writer.endObject()
  }

  /// One property's value, assigned or default.
  public static func write(_ property: Property, of set: borrowing Properties, to writer: inout JSONWriter) {
    switch property.form {
    case .erasure: writer.value(true)
    case .kind: writer.value(set.kind.wireName)
    case .name: writer.value(text: set.name)
    case .orderKey: writer.value(text: set.z.text)
    case .flag(let field): writer.value(set[field])
    case .color(let field): writer.value(set[field])
    case .integer(let field, _, _): writer.value(Int(set[field]))
    case .number(let field, _, _): writer.value(set[field])
    case .pair(let field, _): write(set[field].first, set[field].second, to: &writer)
    }
  }

  private static func write(_ first: Double, _ second: Double, to writer: inout JSONWriter) {
    writer.beginArray()
    writer.value(first)
    writer.value(second)
    writer.endArray()
  }
}

extension JSONWriter {
  /// `"#E4572E"`.
  public mutating func value(_ color: Color) {
    put(upTo: Color.textLength + 2) { room in
      room[0] = UInt8(ascii: "\"")
      color.write(to: UnsafeMutableRawBufferPointer(rebasing: room[1...]))
      room[Color.textLength + 1] = UInt8(ascii: "\"")
      return Color.textLength + 2
    }
  }
}

extension Properties {
  /// Whether this value beats the other's under one stamp: its JSON is the greater, byte by byte.
  ///
  /// This is needed only if an actor gives two values the same stamp. So it may be slow, but it has to be the same
  /// everywhere.
  func outranks(_ other: borrowing Properties, on property: Property) -> Bool {
    if agrees(on: property, with: other) { return false }
    return encoded(property) > other.encoded(property)
  }

  private func encoded(_ property: Property) -> Text {
    var writer = JSONWriter()
    JSONEncoding.write(property, of: self, to: &writer)
    return writer.finish().withUnsafeBytes { Text(uncheckedUTF8: $0) }
  }
}
