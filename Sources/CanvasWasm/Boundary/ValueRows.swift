// Values for shapes as rows of doubles, the form in which JavaScript and the two modules pass edits to each other.
//
//     shape    the shape's identifier; −1 for a shape that has none yet
//     mask     the mask of the properties that follow: see `Property`
//     values   one for each property, in the order of the bits. Its form decides how it is written. A pair is two
//              numbers. A colour is 0xRRGGBB. A kind is its number in `ShapeKind`. True is 1. A missing identifier is
//              −1. A tie is a shape and two numbers. A path is its number of points, and three numbers for each point.
//              A text is its number of bytes, and then the bytes, with zeros up to a multiple of eight
//
// If JavaScript has a value of the wrong type, it writes NaN or a text of −1 bytes, which are always rejected.

/// Why a row of values was rejected.
struct ValueRefusal: Error {
  let words: Text
}

struct ValueRowReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next shape's values. `nil` after the last shape.
  mutating func next() throws(ValueRefusal) -> (shape: Identifier?, set: Properties)? {
    guard offset < bytes.count else { return nil }
    let named = number()
    let shape = Identifier(number: named)
    guard shape != nil || named == -1 else {
      throw ValueRefusal(words: "shape must be an identifier such as afy-kw5-t7o")
    }
    let mask = PropertyMask(rawValue: UInt32(number())).intersection(.all)
    guard !mask.isEmpty else { throw ValueRefusal(words: "an operation must set something") }
    var set = Properties()
    for property in mask {
      guard read(property, into: &set) else { throw ValueRefusal(words: PropertyProblem(property).message) }
    }
    do throws(PropertyProblem) { try set.checkNew() } catch {
      throw ValueRefusal(words: error.message)
    }
    return (shape, set)
  }

  private mutating func read(_ property: Property, into set: inout Properties) -> Bool {
    switch property.form {
    case .erasure:
      guard number() == 1 else { return false }
      set.delete()
    case .kind:
      guard let raw = UInt8(exactly: number()), let kind = ShapeKind(rawValue: raw) else { return false }
      set.kind = kind
    case .name:
      guard let text = text() else { return false }
      set.name = text
    case .orderKey:
      guard let text = text(), let key = OrderKey(text) else { return false }
      set.z = key
    case .text:
      guard let text = text() else { return false }
      set.text = text
    case .choice(let field):
      guard let choice = UInt8(exactly: number()), choice < field.words.count else { return false }
      set[field] = choice
    case .identifier(let field):
      let number = number()
      guard number == -1 || Identifier(number: number) != nil else { return false }
      set[field] = Identifier(number: number)
    case .path:
      guard let path = path() else { return false }
      set.path = path
    case .tie(let field):
      let (shape, x, y) = (number(), UInt16(exactly: number()), UInt16(exactly: number()))
      guard shape == -1 || Identifier(number: shape) != nil, let x, let y else { return false }
      set[field] = Identifier(number: shape).map { Tie(shape: $0, place: BoxPlace(x: x, y: y)) }
    case .flag(let field):
      let flag = number()
      guard flag == 0 || flag == 1 else { return false }
      set[field] = flag == 1
    case .color(let field):
      guard let color = color() else { return false }
      set[field] = color
    case .integer(let field, _, _):
      guard let integer = Int16(exactly: number()) else { return false }
      set[field] = integer
    case .number(let field, _, _): set[field] = number()
    case .pair(let field, _): set[field] = (number(), number())
    }
    return true
  }

  private mutating func number() -> Double {
    defer { offset += 8 }
    return bytes.load(fromByteOffset: offset, as: Double.self)
  }

  private mutating func path() -> Path? {
    guard let count = Int(exactly: number()), count >= 0, count <= (bytes.count - offset) / 24 else { return nil }
    var points: [Path.Point] = []
    for _ in 0..<count {
      guard let x = UInt16(exactly: number()), let y = UInt16(exactly: number()), let width = UInt8(exactly: number())
      else { return nil }
      points.append(Path.Point(BoxPlace(x: x, y: y), width: width))
    }
    return count == 0 ? Path.none : Path(points)
  }

  private mutating func color() -> Color? {
    guard let packed = UInt32(exactly: number()), packed <= 0xFF_FFFF else { return nil }
    return Color(packed: packed)
  }

  private mutating func text() -> Text? {
    guard let count = Int(exactly: number()), count >= 0 else { return nil }
    defer { offset += (count + 7) & ~7 }
    return Text(utf8: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
  }
}

extension OutputBuffer {
  mutating func append(_ shape: Identifier?, _ set: Properties) {
    append(shape?.number ?? -1)
    append(Double(set.assigned.rawValue))
    for property in set.assigned {
      switch property.form {
      case .erasure: append(true)
      case .kind: append(Double(set.kind.rawValue))
      case .name: append(counted: set.name)
      case .orderKey: append(counted: set.z.text)
      case .text: append(counted: set.text)
      case .choice(let field): append(Double(set[field]))
      case .identifier(let field): append(set[field]?.number ?? -1)
      case .path:
        append(Double(set.path.points.count))
        append(set.path)
      case .tie(let field): append(set[field])
      case .flag(let field): append(set[field])
      case .color(let field): append(Double(set[field].packed))
      case .integer(let field, _, _): append(Double(set[field]))
      case .number(let field, _, _): append(set[field])
      case .pair(let field, _):
        append(set[field].first)
        append(set[field].second)
      }
    }
  }

  /// Appends a path: its number of points, and three numbers for each point.
  mutating func append(_ path: Path) {
    for point in path.points {
      append(Double(point.place.x))
      append(Double(point.place.y))
      append(Double(point.width))
    }
  }

  mutating func append(_ tie: Tie?) {
    append(tie?.shape.number ?? -1)
    append(Double(tie?.place.x ?? 0))
    append(Double(tie?.place.y ?? 0))
  }

  private mutating func append(counted text: Text) {
    append(Double(text.utf8Count))
    append(text)
    align()
  }
}
