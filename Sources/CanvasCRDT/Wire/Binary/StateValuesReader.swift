/// Reads the columns of values into records that already have their stamps.
struct StateValuesReader {
  private var reader: ByteReader
  /// The properties of each shape.
  private let masks: [PropertyMask]

  static func read(
    _ reader: inout ByteReader,
    into pages: inout [[ShapeRecord]],
    masks: [PropertyMask]
  ) throws(BinaryFailure) {
    var values = StateValuesReader(reader: reader, masks: masks)
    try values.readColumns(&pages)
    reader = values.reader
  }

  private mutating func readColumns(_ pages: inout [[ShapeRecord]]) throws(BinaryFailure) {
    var used = PropertyMask()
    for mask in masks { used = used.union(mask) }
    for property in used {
      switch property.form {
      case .erasure: break
      case .kind:
        try readPacked(property, into: &pages) { (set, bits) throws(BinaryFailure) in
          guard let kind = ShapeKind(rawValue: UInt8(bits)) else { throw .malformed("no kind of shape") }
          set.kind = kind
        }
      case .name:
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in set.name = try reader.countedText()
        }
      case .orderKey:
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in
          guard let key = OrderKey(try reader.countedBytes()) else { throw .malformed("no drawing order key") }
          set.z = key
        }
      case .text:
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in set.text = try reader.countedText()
        }
      case .choice(let field):
        let count = UInt64(field.words.count)
        try readPacked(property, into: &pages) { (set, bits) throws(BinaryFailure) in
          guard bits < count else { throw .malformed("no such choice") }
          set[field] = UInt8(bits)
        }
      case .identifier(let field):
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in
          set[field] = try reader.identifierOrNone()
        }
      case .path:
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in
          guard let path = Path(try reader.countedBytes()) else { throw .malformed("no path") }
          set.path = path
        }
      case .tie(let field):
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in
          guard let shape = try reader.identifierOrNone() else {
            set[field] = nil
            return
          }
          guard let place = try reader.boxPlace() else { throw .malformed("a place outside a box") }
          set[field] = Tie(shape: shape, place: place)
        }
      case .flag(let field):
        try readPacked(property, into: &pages) { (set, bits) throws(BinaryFailure) in set[field] = bits == 1 }
      case .color(let field):
        try readEach(property, of: &pages) { (set, reader) throws(BinaryFailure) in set[field] = try reader.color() }
      case .integer(let field, _, _):
        try readPacked(property, into: &pages) { (set, bits) throws(BinaryFailure) in set[field] = Int16(bits) }
      case .number(let field, _, _):
        try readNumbers(of: property, into: &pages) { $0[field] = $1 }
      case .pair(let field, _):
        try readNumbers(of: property, into: &pages) { $0[field].first = $1 }
        try readNumbers(of: property, into: &pages) { $0[field].second = $1 }
      }
    }
    for page in pages.indices {
      for row in pages[page].indices {
        do { try pages[page][row].values.check() } catch { throw .malformed("a value out of range") }
      }
    }
  }

  /// Calls `restore` for every shape that has `property`. `restore` has to read the value from the reader.
  @inline(__always)
  private mutating func readEach(
    _ property: Property,
    of pages: inout [[ShapeRecord]],
    _ restore: (inout Properties, inout ByteReader) throws(BinaryFailure) -> Void
  ) throws(BinaryFailure) {
    for page in pages.indices {
      try pages[page].withUnsafeMutableBufferPointer { (records) throws(BinaryFailure) in
        for row in records.indices where records[row].values.assigned.contains(property) {
          try records[row].restoreValues { (values) throws(BinaryFailure) in try restore(&values, &reader) }
        }
      }
    }
  }

  @inline(__always)
  private mutating func readPacked(
    _ property: Property,
    into pages: inout [[ShapeRecord]],
    _ restore: (inout Properties, UInt64) throws(BinaryFailure) -> Void
  ) throws(BinaryFailure) {
    let width = property.form.packedWidth
    var bits = BitReader()
    try readEach(property, of: &pages) { (values, reader) throws(BinaryFailure) in
      try restore(&values, try bits.read(width: width, from: &reader))
    }
    try bits.finish(&reader)
  }

  @inline(__always)
  private mutating func readNumbers(
    of property: Property,
    into pages: inout [[ShapeRecord]],
    _ restore: (inout Properties, Double) -> Void
  ) throws(BinaryFailure) {
    var count = 0
    for mask in masks where mask.contains(property) { count += 1 }
    let numbers = try readNumbers(count)
    var next = 0
    try readEach(property, of: &pages) { (values, _) throws(BinaryFailure) in
      restore(&values, numbers[next])
      next += 1
    }
  }

  /// Reads a column of `count` numbers.
  @inline(never)
  private mutating func readNumbers(_ count: Int) throws(BinaryFailure) -> [Double] {
    var numbers: [Double] = []
    numbers.reserveCapacity(count)
    let form = Int(try reader.byte())
    switch form {
    case ..<StateColumns.scales.count: try readScaledNumbers(count, scale: StateColumns.scales[form], &numbers)
    case Int(StateColumns.rawForm):
      for _ in 0..<count {
        let value = Double(bitPattern: try reader.littleEndian64())
        guard value != 0 || value.sign == .plus else { throw .malformed("minus zero") }
        numbers.append(value)
      }
    default: throw .malformed("numbers of no known form")
    }
    for scale in StateColumns.scales[..<form] where StateColumns.fits(numbers, scale: scale) {
      throw .malformed("numbers that a shorter form holds")
    }
    return numbers
  }

  private mutating func readScaledNumbers(
    _ count: Int,
    scale: Double,
    _ numbers: inout [Double]
  ) throws(BinaryFailure) {
    let least = BinaryNumber.unzigzag(try reader.varint())
    let width = Int(try reader.byte())
    // These limits keep `least` plus any difference within the range of an integer.
    guard width <= BitWriter.widthMax, least.magnitude <= 1 << 53 else { throw .malformed("numbers out of range") }
    var bits = BitReader()
    var zeroSteps = 0
    // The bitwise OR of all differences from `least`, which has as many bits as the greatest difference.
    var allSteps: UInt64 = 0
    for _ in 0..<count {
      let step = try bits.read(width: width, from: &reader)
      numbers.append(Double(least + Int64(step)) / scale)
      if step == 0 { zeroSteps += 1 }
      allSteps |= step
    }
    try bits.finish(&reader)
    let others = try reader.count(bytesEach: 9)
    guard others <= count / StateColumns.othersShare else { throw .malformed("too many numbers that did not fit") }
    let leastValue = Double(least) / scale
    var next = 0
    for _ in 0..<others {
      let step = try reader.varint()
      guard step < UInt64(count - next) else { throw .malformed("a number that has no place") }
      let place = next + Int(step)
      let value = Double(bitPattern: try reader.littleEndian64())
      guard numbers[place] == leastValue, BinaryNumber.multiple(of: scale, in: value) == nil else {
        throw .malformed("a number that fits among those that did not")
      }
      numbers[place] = value
      next = place + 1
    }
    // A correct writer chooses the greatest `least` and the smallest `width`. So the greatest difference needs all bits
    // of `width`. And at least one number equals `least`, not counting the `others`, which are packed as `least`.
    guard width == BitWriter.width(of: allSteps), zeroSteps > others else {
      throw .malformed("numbers wider than they have to be")
    }
  }
}
