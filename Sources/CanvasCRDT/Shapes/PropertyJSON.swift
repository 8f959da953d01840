// Property values as JSON.

extension JSONWriter {
  /// Writes one property's value, or its default if it is not assigned.
  public mutating func value(_ property: Property, of set: borrowing Properties) {
    switch property.form {
    case .erasure: value(true)
    case .kind: value(set.kind.wireName)
    case .name: value(text: set.name)
    case .orderKey: value(text: set.z.text)
    case .text: value(text: set.text)
    case .choice(let field): value(field.words[Int(set[field])])
    case .identifier(let field):
      if let identifier = set[field] { value(identifier) } else { value(text: .empty) }
    case .path: value(set.path)
    case .tie(let field): value(set[field])
    case .flag(let field): value(set[field])
    case .color(let field): value(set[field])
    case .integer(let field, _, _): value(Int(set[field]))
    case .number(let field, _, _): value(set[field])
    case .pair(let field, _): value(set[field].first, set[field].second)
    }
  }

  private mutating func value(_ first: Double, _ second: Double) {
    beginArray()
    value(first)
    value(second)
    endArray()
  }

  /// Writes a path as its points, for example `[[0,0],[65535,65535,50]]`. The third number is the width, which is left
  /// out if it is 100.
  private mutating func value(_ path: Path) {
    beginArray()
    for point in path.points {
      beginArray()
      value(Int(point.place.x))
      value(Int(point.place.y))
      if point.width != Path.evenWidth { value(Int(point.width)) }
      endArray()
    }
    endArray()
  }

  /// Writes `["afy-kw5-t7o",0,32768]`, or `[]` if there is no tie.
  private mutating func value(_ tie: Tie?) {
    beginArray()
    if let tie {
      value(tie.shape)
      value(Int(tie.place.x))
      value(Int(tie.place.y))
    }
    endArray()
  }

  /// Writes a colour, `"#E4572E"`.
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
  /// Whether this value wins over another value with the same stamp: its JSON is greater, byte by byte (M3).
  ///
  /// Two values have the same stamp only if an actor writes both under it. So this function may be slow, but it must
  /// give the same result on every replica.
  func outranks(_ other: borrowing Properties, on property: Property) -> Bool {
    if agrees(on: property, with: other) { return false }
    return encoded(property) > other.encoded(property)
  }

  private func encoded(_ property: Property) -> Text {
    var writer = JSONWriter()
    writer.value(property, of: self)
    return writer.finish().withUnsafeBytes { Text(uncheckedUTF8: $0) }
  }
}
