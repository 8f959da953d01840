// Property values from JSON.

extension Properties {
  /// Reads one property's value. Returns false if the value is of the wrong kind. Ranges are checked later, by `check`.
  ///
  /// An integer may be written in any form, because 5, 5.0 and 5e0 are the same number in JSON.
  @inline(__always)
  mutating func read(_ property: Property, from reader: inout JSONReader) -> Bool {
    switch property.form {
    case .erasure:
      guard reader.boolean() == true else { return false }
      delete()
    case .kind:
      guard let kind = reader.named({ ShapeKind(wireName: $0) }) else { return false }
      self.kind = kind
    case .name:
      guard let string = reader.string() else { return false }
      name = string.text
    case .orderKey:
      guard let key = reader.named({ OrderKey($0) }) else { return false }
      z = key
    case .text:
      guard let string = reader.string() else { return false }
      text = string.text
    case .choice(let field):
      guard let number = reader.named({ field.number(of: $0) }) else { return false }
      self[field] = number
    case .identifier(let field):
      guard let identifier = reader.identifierOrNone() else { return false }
      self[field] = identifier
    case .path:
      guard let path = reader.path() else { return false }
      self.path = path
    case .tie(let field):
      guard let tie = reader.tieOrNone() else { return false }
      self[field] = tie
    case .flag(let field):
      guard let flag = reader.boolean() else { return false }
      self[field] = flag
    case .color(let field):
      guard let color = reader.color() else { return false }
      self[field] = color
    case .integer(let field, _, _):
      guard let integer = reader.smallInteger() else { return false }
      self[field] = integer
    case .number(let field, _, _):
      guard let number = reader.number() else { return false }
      self[field] = number
    case .pair(let field, _):
      guard let pair = reader.pair() else { return false }
      self[field] = pair
    }
    return true
  }
}

extension JSONReader {
  /// A pair `[x, y]`: exactly two numbers.
  fileprivate mutating func pair() -> (first: Double, second: Double)? {
    guard entersArray(), hasElement(), let first = number(), hasElement(), let second = number(), !hasElement() else {
      return nil
    }
    return (first, second)
  }

  /// An identifier. An empty text means that there is none.
  fileprivate mutating func identifierOrNone() -> Identifier?? {
    named { $0.isEmpty ? .some(nil) : Identifier(text: $0).map { .some($0) } }
  }

  /// A list of points. An empty list means that there is no path.
  fileprivate mutating func path() -> Path? {
    guard entersArray() else { return nil }
    var points: [Path.Point] = []
    while hasElement() {
      guard points.count < Path.counts.upperBound, entersArray(), hasElement(), let place = boxPlace() else {
        return nil
      }
      var point = Path.Point(place)
      if hasElement() {
        guard let width = number().flatMap({ UInt8(exactly: $0) }), !hasElement() else { return nil }
        point.width = width
      }
      points.append(point)
    }
    return points.isEmpty ? .some(.none) : Path(points)
  }

  /// A tie `[shape, x, y]`. An empty list means that there is none.
  fileprivate mutating func tieOrNone() -> Tie?? {
    guard entersArray() else { return nil }
    guard hasElement() else { return .some(nil) }
    guard let shape = identifier(), hasElement(), let place = boxPlace(), !hasElement() else { return nil }
    return Tie(shape: shape, place: place)
  }

  /// The next two integers of a list whose first element has been read.
  private mutating func boxPlace() -> BoxPlace? {
    guard let x = number().flatMap({ UInt16(exactly: $0) }), hasElement(),
      let y = number().flatMap({ UInt16(exactly: $0) })
    else { return nil }
    return BoxPlace(x: x, y: y)
  }

  /// An integer below 1,000. No integer property has a greater value.
  fileprivate mutating func smallInteger() -> Int16? {
    guard let number = number(), abs(number) < 1_000 else { return nil }
    let integer = Int16(number)
    return Double(integer) == number ? integer : nil
  }
}

extension Properties.ChoiceField {
  /// The number of a word, or `nil` if the list lacks it.
  fileprivate func number(of bytes: UnsafeRawBufferPointer) -> UInt8? {
    words.firstIndex { $0.isSame(as: bytes) }.map { UInt8($0) }
  }
}

// MARK: - Names on the wire

extension Property {
  /// `nil` if no property has this name.
  @inline(__always)
  init?(wireName bytes: UnsafeRawBufferPointer) {
    guard let property = PropertyNames.all.find(bytes) else { return nil }
    self = property
  }
}

/// A hash table from names to properties. A name's slot is computed from its length and first letter. If the slot is
/// taken, the name is in the next free slot.
private struct PropertyNames {
  static let all = PropertyNames()

  private static let size = 64
  private var places = InlineArray<64, Property?>(repeating: nil)

  private init() {
    for property in Property.allCases {
      let name = property.wireName
      var place = PropertyNames.place(of: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      while places[place] != nil { place = (place + 1) % PropertyNames.size }
      places[place] = property
    }
  }

  @inline(__always)
  func find(_ name: UnsafeRawBufferPointer) -> Property? {
    guard name.count > 0 else { return nil }
    var place = PropertyNames.place(of: name)
    while let property = places[place] {
      if property.wireName.isSame(as: name) { return property }
      place = (place + 1) % PropertyNames.size
    }
    return nil
  }

  @inline(__always)
  private static func place(of name: UnsafeRawBufferPointer) -> Int {
    (name.count &* 5 &+ Int(name[0])) % size
  }
}
