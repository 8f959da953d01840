// Properties read from JSON.

extension Properties {
  /// Reads one property's value; false where it is of another kind than the property's. Ranges are `check`'s to judge.
  ///
  /// A whole number is whole however it is written: 5, 5.0 and 5e0 are one number of JSON.
  @inline(__always)
  mutating func read(_ property: Property, from reader: inout JSONReader) -> Bool {
    switch property {
    case .kind:
      guard let kind = reader.named({ ShapeKind(wireName: $0) }) else { return false }
      self.kind = kind
    case .name:
      guard let string = reader.string() else { return false }
      name = string.text
    case .position:
      guard let (x, y) = reader.pair() else { return false }
      position = Point(x: x, y: y)
    case .size:
      guard let (width, height) = reader.pair() else { return false }
      size = Size(width: width, height: height)
    case .rotation:
      guard let number = reader.number() else { return false }
      rotation = number
    case .fill:
      guard let color = reader.color() else { return false }
      fill = color
    case .stroke:
      guard let color = reader.color() else { return false }
      stroke = color
    case .strokeWidth:
      guard let number = reader.number() else { return false }
      strokeWidth = number
    case .alpha:
      guard let level = reader.smallInteger() else { return false }
      alpha = level
    case .visible:
      guard let flag = reader.boolean() else { return false }
      visible = flag
    case .z:
      guard let key = reader.named({ OrderKey($0) }) else { return false }
      z = key
    case .cornerRadius:
      guard let number = reader.number() else { return false }
      cornerRadius = number
    case .points:
      guard let count = reader.smallInteger() else { return false }
      points = count
    case .innerRatio:
      guard let number = reader.number() else { return false }
      innerRatio = number
    case .deleted:
      guard reader.boolean() == true else { return false }
      delete()
    }
    return true
  }
}

extension JSONReader {
  /// `[x, y]`, two numbers and no more.
  fileprivate mutating func pair() -> (Double, Double)? {
    guard entersArray(), hasElement(), let first = number(), hasElement(), let second = number(), !hasElement() else {
      return nil
    }
    return (first, second)
  }

  /// A whole number near enough to 0 for every property that is one.
  fileprivate mutating func smallInteger() -> Int16? {
    guard let number = number(), abs(number) < 1_000 else { return nil }
    let integer = Int16(number)
    return Double(integer) == number ? integer : nil
  }
}

// MARK: - Names on the wire

extension Property {
  /// Nothing where no property is named so. Length and first letter leave one that it can be.
  init?(wireName bytes: UnsafeRawBufferPointer) {
    guard let first = bytes.first else { return nil }
    let property: Property
    switch (bytes.count, first) {
    case (1, UInt8(ascii: "z")): property = .z
    case (4, UInt8(ascii: "f")): property = .fill
    case (4, UInt8(ascii: "k")): property = .kind
    case (4, UInt8(ascii: "n")): property = .name
    case (4, UInt8(ascii: "s")): property = .size
    case (5, UInt8(ascii: "a")): property = .alpha
    case (6, UInt8(ascii: "p")): property = .points
    case (6, UInt8(ascii: "s")): property = .stroke
    case (7, UInt8(ascii: "d")): property = .deleted
    case (7, UInt8(ascii: "v")): property = .visible
    case (8, UInt8(ascii: "p")): property = .position
    case (8, UInt8(ascii: "r")): property = .rotation
    case (10, UInt8(ascii: "i")): property = .innerRatio
    case (11, UInt8(ascii: "s")): property = .strokeWidth
    case (12, UInt8(ascii: "c")): property = .cornerRadius
    default: return nil
    }
    guard property.wireName.isSame(as: bytes) else { return nil }
    self = property
  }
}

extension ShapeKind {
  init?(wireName bytes: UnsafeRawBufferPointer) {
    for kind in ShapeKind.allCases where kind.wireName.isSame(as: bytes) {
      self = kind
      return
    }
    return nil
  }
}

extension Role {
  init?(wireName bytes: UnsafeRawBufferPointer) {
    for role in Role.allCases where role.wireName.isSame(as: bytes) {
      self = role
      return
    }
    return nil
  }
}

extension RejectCode {
  init?(wireName bytes: UnsafeRawBufferPointer) {
    for code in RejectCode.allCases where code.wireName.isSame(as: bytes) {
      self = code
      return
    }
    return nil
  }
}

extension StaticString {
  fileprivate func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == utf8CodeUnitCount else { return false }
    return ByteOrder.compare(bytes, UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)) == 0
  }
}
