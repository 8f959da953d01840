extension Shape {
  init?(_ record: borrowing ShapeRecord) {
    guard let kindStamp = record.stamp(of: .kind) else { return nil }
    var values = record.values
    values.assigned.remove(.deleted)
    var nameStamp = record.stamp(of: .name) ?? kindStamp
    if values.assigned.contains(.name), Shape.isMadeUp(values.name, for: record.shape) {
      values.clear(.name)
      nameStamp = kindStamp
    }
    self.init(id: record.shape, properties: values, nameStamp: nameStamp)
  }
}
