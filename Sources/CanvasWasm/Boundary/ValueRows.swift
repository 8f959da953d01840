// What is written to a shape, as it crosses between JavaScript and Swift and between the modules: doubles.
//
//     shape    its identifier; −1 for one that has none yet
//     mask     of the properties that follow, by `Property`
//     values   of each, in the order of the bits: position and size are two numbers, a colour is 0xRRGGBB, a kind is by
//              `ShapeKind`, true is 1. A text is how many bytes it has, and these with zeros up to a multiple of eight
//
// What JavaScript holds of another kind than the property's it writes as what is no value: NaN, or a text of −1 bytes.

/// Why values are refused.
struct ValueRefusal: Error {
  let words: StaticString
}

struct ValueRowReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next shape's values; nothing behind the last.
  mutating func next() throws(ValueRefusal) -> (shape: Identifier?, set: Properties)? {
    guard offset < bytes.count else { return nil }
    let named = number()
    let shape = Identifier(number: named)
    guard shape != nil || named == -1 else {
      throw ValueRefusal(words: "shape must be an identifier such as afy-kw5-t7o")
    }
    let mask = PropertyMask(rawValue: UInt16(number()))
    guard !mask.isEmpty else { throw ValueRefusal(words: "an operation must set something") }
    var set = Properties()
    for property in mask {
      guard read(property, into: &set) else { throw ValueRefusal(words: PropertyRules.expectation(of: property)) }
    }
    do throws(PropertyProblem) { try set.check() } catch {
      throw ValueRefusal(words: PropertyRules.expectation(of: error.property))
    }
    return (shape, set)
  }

  private mutating func read(_ property: Property, into set: inout Properties) -> Bool {
    switch property {
    case .position: set.position = Point(x: number(), y: number())
    case .size: set.size = Size(width: number(), height: number())
    case .rotation: set.rotation = number()
    case .strokeWidth: set.strokeWidth = number()
    case .cornerRadius: set.cornerRadius = number()
    case .innerRatio: set.innerRatio = number()
    case .fill:
      guard let color = color() else { return false }
      set.fill = color
    case .stroke:
      guard let color = color() else { return false }
      set.stroke = color
    case .kind:
      guard let raw = UInt8(exactly: number()), let kind = ShapeKind(rawValue: raw) else { return false }
      set.kind = kind
    case .alpha:
      guard let level = Int16(exactly: number()) else { return false }
      set.alpha = level
    case .points:
      guard let count = Int16(exactly: number()) else { return false }
      set.points = count
    case .visible:
      let flag = number()
      guard flag == 0 || flag == 1 else { return false }
      set.visible = flag == 1
    case .deleted:
      guard number() == 1 else { return false }
      set.delete()
    case .name:
      guard let text = text() else { return false }
      set.name = text
    case .z:
      guard let text = text(), let key = OrderKey(text) else { return false }
      set.z = key
    }
    return true
  }

  private mutating func number() -> Double {
    defer { offset += 8 }
    return bytes.load(fromByteOffset: offset, as: Double.self)
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
      switch property {
      case .position: append(set.position)
      case .size:
        append(set.size.width)
        append(set.size.height)
      case .rotation: append(set.rotation)
      case .strokeWidth: append(set.strokeWidth)
      case .cornerRadius: append(set.cornerRadius)
      case .innerRatio: append(set.innerRatio)
      case .fill: append(Double(set.fill.packed))
      case .stroke: append(Double(set.stroke.packed))
      case .kind: append(Double(set.kind.rawValue))
      case .alpha: append(Double(set.alpha))
      case .points: append(Double(set.points))
      case .visible: append(set.visible)
      case .deleted: append(true)
      case .name: append(counted: set.name)
      case .z: append(counted: set.z.text)
      }
    }
  }

  private mutating func append(counted text: Text) {
    append(Double(text.utf8Count))
    append(text)
    align()
  }
}
