/// A type whose cases have names on the wire, such as a role.
protocol WireNamed: CaseIterable {
  var wireName: StaticString { get }
}

extension WireNamed {
  init?(wireName bytes: UnsafeRawBufferPointer) {
    for named in Self.allCases where named.wireName.isSame(as: bytes) {
      self = named
      return
    }
    return nil
  }
}

extension ShapeKind: WireNamed {}

extension StaticString {
  func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == utf8CodeUnitCount else { return false }
    return ByteOrder.compare(bytes, UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)) == 0
  }
}
