extension OutputBuffer {
  mutating func append(_ shape: Shape, place: Int, change: UnseenChanges.ShapeChange? = nil) {
    let properties = shape.properties
    var flags = ShapeFlag.live.rawValue
    if properties.assigned.contains(.name) { flags |= ShapeFlag.named.rawValue }
    if !properties.text.isEmpty { flags |= ShapeFlag.written.rawValue }
    if !properties.path.isEmpty { flags |= ShapeFlag.led.rawValue }
    append(shape.id)
    for property in PropertyMask.all {
      switch property.form {
      case .erasure, .name, .orderKey, .text, .path: break
      case .kind: append(Double(properties.kind.rawValue))
      case .identifier(let field): append(properties[field]?.number ?? -1)
      case .tie(let field): append(properties[field])
      case .flag(let field): append(properties[field])
      case .choice(let field): append(Double(properties[field]))
      case .color(let field): append(Double(properties[field].packed))
      case .integer(let field, _, _): append(Double(properties[field]))
      case .number(let field, _, _): append(properties[field])
      case .pair(let field, _):
        append(properties[field].first)
        append(properties[field].second)
      }
    }
    append(Double(flags))
    append(Double(change?.mask ?? 0))
    append(Double(place))
    append(change?.by ?? 0)
  }

  mutating func append(gone shape: Identifier, _ change: UnseenChanges.ShapeChange) {
    var values = Properties()
    if let departure = change.departure {
      values.position = departure.origin
      values.size = departure.size
    }
    append(shape)
    for property in PropertyMask.all {
      switch property.form {
      case .pair(let field, _):
        append(values[field].first)
        append(values[field].second)
      default:
        for _ in 0..<ShapeRow.length(of: property.form) { append(0.0) }
      }
    }
    append(Double(change.departure == nil ? 0 : ShapeFlag.departing.rawValue))
    append(Double(change.mask))
    append(-1.0)
    append(change.by)
  }
}
