// Properties as JSON, in the contract's order.

extension JSONEncoding {
  /// As the contract's table lists them: what people read first comes first.
  static let propertiesInOrder: [Property] = [
    .kind, .name, .position, .size, .rotation, .fill, .stroke, .strokeWidth, .alpha, .visible, .z, .cornerRadius,
    .points, .innerRatio, .deleted,
  ]

  /// What is assigned, as the members of one object.
  public static func write(_ set: borrowing Properties, to writer: inout JSONWriter) {
    writer.beginObject()
    for property in propertiesInOrder where set.assigned.contains(property) {
      writer.key(property.wireName)
      write(property, of: set, to: &writer)
    }
    writer.endObject()
  }

  /// One property's value, assigned or default.
  static func write(_ property: Property, of set: borrowing Properties, to writer: inout JSONWriter) {
    switch property {
    case .kind: writer.value(set.kind.wireName)
    case .name: writer.value(text: set.name)
    case .position: write(set.position.x, set.position.y, to: &writer)
    case .size: write(set.size.width, set.size.height, to: &writer)
    case .rotation: writer.value(set.rotation)
    case .fill: writer.value(set.fill)
    case .stroke: writer.value(set.stroke)
    case .strokeWidth: writer.value(set.strokeWidth)
    case .alpha: writer.value(Int(set.alpha))
    case .visible: writer.value(set.visible)
    case .z: writer.value(text: set.z.text)
    case .cornerRadius: writer.value(set.cornerRadius)
    case .points: writer.value(Int(set.points))
    case .innerRatio: writer.value(set.innerRatio)
    case .deleted: writer.value(true)
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
  /// Only an actor that stamps two values alike leads here, so it may be slow; it must only be the same everywhere.
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
