/// Reads columns back into records. Whatever the bytes are: records or a named failure, and never more than
/// `StateColumns.shapesMax` records.
///
/// What the writer would have written otherwise is refused, so that one state has one encoding here too. Each such
/// check is a comparison beside what is read anyway.
struct StateColumnsReader {
  private var reader: ByteReader
  /// The numbers of the column at hand, for judging its form.
  private var numbers: [Double] = []
  private(set) var records: [ShapeRecord] = []
  private(set) var erasures: [(shape: Identifier, stamp: Stamp)] = []

  /// Reads columns up to their end and returns what follows them.
  static func read(
    _ bytes: ByteReader
  ) throws(BinaryFailure) -> (records: [ShapeRecord], erasures: [(shape: Identifier, stamp: Stamp)], rest: ByteReader) {
    var columns = StateColumnsReader(reader: bytes)
    try columns.readAll()
    return (columns.records, columns.erasures, columns.reader)
  }

  private init(reader: ByteReader) { self.reader = reader }

  private mutating func readAll() throws(BinaryFailure) {
    guard try reader.byte() == StateColumns.version else { throw .malformed("columns of another version") }
    let erasureCount = try reader.count(bytesEach: 15)
    erasures.reserveCapacity(erasureCount)
    var before: Identifier?
    for _ in 0..<erasureCount {
      let shape = try readIdentifier(after: before)
      before = shape
      erasures.append((shape, try reader.stamp()))
    }
    let count = try reader.count(bytesEach: 1)
    guard count <= StateColumns.shapesMax else { throw .malformed("more shapes than columns may have") }
    guard count > 0 else { return }
    var records: [ShapeRecord] = []
    records.reserveCapacity(count)
    before = nil
    for _ in 0..<count {
      let shape = try readIdentifier(after: before)
      before = shape
      records.append(ShapeRecord(shape: shape))
    }
    try refuseErasedTwice(records)
    var span = records.mutableSpan
    try readStamps(&span)
    try readColumns(&span)
    self.records = records
  }

  /// A shape with registers has its erasure beside them.
  private func refuseErasedTwice(_ records: [ShapeRecord]) throws(BinaryFailure) {
    var next = 0
    for erasure in erasures {
      while next < records.count, records[next].shape < erasure.shape { next += 1 }
      guard next < records.count else { return }
      guard records[next].shape != erasure.shape else { throw .malformed("a shape both erased and present") }
    }
  }

  /// Identifiers rise: each is a step from the one before.
  private mutating func readIdentifier(after before: Identifier?) throws(BinaryFailure) -> Identifier {
    let step = try reader.varint()
    guard before == nil || step > 0, step < Identifier.packedLimit,
      let identifier = Identifier(packed: (before?.packed ?? 0) + step)
    else { throw .malformed("an identifier out of order or past zzz-zzz-zzz") }
    return identifier
  }
}

// MARK: - Masks and stamps

extension StateColumnsReader {
  private mutating func readStamps(_ records: inout MutableSpan<ShapeRecord>) throws(BinaryFailure) {
    let actorCount = try reader.count(bytesEach: 6)
    var actors: [Identifier] = []
    actors.reserveCapacity(actorCount)
    for _ in 0..<actorCount {
      let actor = try reader.identifier()
      if let last = actors.last, last >= actor { throw .malformed("actors out of order") }
      actors.append(actor)
    }
    guard !actors.isEmpty else { throw .malformed("stamps of nobody") }
    let base = try reader.varint()
    let timeBits = Int(try reader.byte())
    let counterBits = Int(try reader.byte())
    let actorBits = Int(try reader.byte())
    guard base <= Stamp.millisecondsMax, timeBits <= StateColumns.timeBitsMax,
      counterBits <= StateColumns.counterBitsMax, actorBits == BitWriter.width(of: UInt64(actorCount - 1))
    else { throw .malformed("stamps of an impossible width") }
    let masks = try readMasks(count: records.count)

    var used = [Bool](repeating: false, count: actorCount)
    var leastTime = UInt64.max
    // As wide as their widest.
    var allTimes: UInt64 = 0
    var allCounters: UInt64 = 0
    // Nearly always a stamp is one read.
    let stampBits = timeBits + counterBits + actorBits
    let isOneRead = stampBits <= BitWriter.widthMax
    var bits = BitReader()
    for index in records.indices {
      var first: Stamp?
      for property in masks[index] {
        if let first, try bits.read(width: 1, from: &reader) == 0 {
          records[index].restore(property, at: first)
          continue
        }
        let time: UInt64
        let counter: UInt64
        let place: UInt64
        if isOneRead {
          let word = try bits.read(width: stampBits, from: &reader)
          time = word & ((1 << UInt64(timeBits)) &- 1)
          counter = word >> UInt64(timeBits) & ((1 << UInt64(counterBits)) &- 1)
          place = word >> UInt64(timeBits + counterBits)
        } else {
          time = try bits.read(width: timeBits, from: &reader)
          counter = try bits.read(width: counterBits, from: &reader)
          place = try bits.read(width: actorBits, from: &reader)
        }
        let milliseconds = base + time
        guard milliseconds <= Stamp.millisecondsMax, place < UInt64(actorCount) else {
          throw .malformed("a stamp out of range")
        }
        let stamp = Stamp(time: milliseconds << 16 | counter, actor: actors[Int(place)])
        guard stamp != first else { throw .malformed("a stamp said again") }
        records[index].restore(property, at: stamp)
        if first == nil { first = stamp }
        used[Int(place)] = true
        leastTime = min(leastTime, time)
        allTimes |= time
        allCounters |= counter
      }
      guard records[index].survivesItsErasure else { throw .malformed("a register older than its shape's erasure") }
    }
    try bits.finish(&reader)
    guard leastTime == 0, timeBits == BitWriter.width(of: allTimes), counterBits == BitWriter.width(of: allCounters)
    else { throw .malformed("stamps wider than they have to be") }
    guard used.allSatisfy({ $0 }) else { throw .malformed("an actor listed that no stamp names") }
  }

  private mutating func readMasks(count: Int) throws(BinaryFailure) -> [PropertyMask] {
    let maskCount = try reader.count(bytesEach: 1)
    var distinct: [PropertyMask] = []
    distinct.reserveCapacity(maskCount)
    for _ in 0..<maskCount {
      let word = try reader.varint()
      guard word <= UInt64(PropertyMask.all.rawValue) else { throw .malformed("a property that there is not") }
      let mask = PropertyMask(rawValue: UInt16(word))
      guard !mask.intersection(.registers).isEmpty, distinct.last.map({ $0.rawValue < mask.rawValue }) ?? true else {
        throw .malformed("a mask that is empty or out of order")
      }
      distinct.append(mask)
    }
    guard !distinct.isEmpty else { throw .malformed("shapes without a mask") }
    let width = BitWriter.width(of: UInt64(maskCount - 1))
    guard width > 0 else { return [PropertyMask](repeating: distinct[0], count: count) }
    var masks: [PropertyMask] = []
    masks.reserveCapacity(count)
    var used = [Bool](repeating: false, count: maskCount)
    var bits = BitReader()
    for _ in 0..<count {
      let place = try bits.read(width: width, from: &reader)
      guard place < UInt64(maskCount) else { throw .malformed("a mask that is not in the list") }
      masks.append(distinct[Int(place)])
      used[Int(place)] = true
    }
    try bits.finish(&reader)
    guard used.allSatisfy({ $0 }) else { throw .malformed("a mask listed that no shape has") }
    return masks
  }
}

extension ShapeRecord {
  /// Whether every register is newer than the erasure, as merging leaves them.
  fileprivate var survivesItsErasure: Bool {
    guard let erasure else { return true }
    for property in registers where stamps[Int(property.rawValue)] <= erasure { return false }
    return true
  }
}

// MARK: - Values

extension StateColumnsReader {
  private mutating func readColumns(_ records: inout MutableSpan<ShapeRecord>) throws(BinaryFailure) {
    var used = PropertyMask()
    for index in records.indices { used = used.union(records[index].values.assigned) }
    for property in used {
      switch property {
      case .position:
        try readNumbers(of: property, in: &records) { $0.position.x = $1 }
        try readNumbers(of: property, in: &records) { $0.position.y = $1 }
      case .size:
        try readNumbers(of: property, in: &records) { $0.size.width = $1 }
        try readNumbers(of: property, in: &records) { $0.size.height = $1 }
      case .rotation: try readNumbers(of: property, in: &records) { $0.rotation = $1 }
      case .strokeWidth: try readNumbers(of: property, in: &records) { $0.strokeWidth = $1 }
      case .cornerRadius: try readNumbers(of: property, in: &records) { $0.cornerRadius = $1 }
      case .innerRatio: try readNumbers(of: property, in: &records) { $0.innerRatio = $1 }
      case .fill: try readColors(of: property, in: &records) { $0.fill = $1 }
      case .stroke: try readColors(of: property, in: &records) { $0.stroke = $1 }
      case .name:
        for index in records.indices where records[index].values.assigned.contains(property) {
          let name = try reader.countedText()
          records[index].restoreValues { $0.name = name }
        }
      case .z:
        for index in records.indices where records[index].values.assigned.contains(property) {
          guard let key = OrderKey(try reader.countedBytes()) else { throw .malformed("no drawing order key") }
          records[index].restoreValues { $0.z = key }
        }
      case .kind:
        try readPacked(property, in: &records, width: StateColumns.kindBits) { (set, bits) throws(BinaryFailure) in
          guard let kind = ShapeKind(rawValue: UInt8(bits)) else { throw .malformed("no kind of shape") }
          set.kind = kind
        }
      case .alpha:
        try readPacked(property, in: &records, width: StateColumns.alphaBits) { (set, bits) throws(BinaryFailure) in
          set.alpha = Int16(bits)
        }
      case .visible:
        try readPacked(property, in: &records, width: StateColumns.visibleBits) { (set, bits) throws(BinaryFailure) in
          set.visible = bits == 1
        }
      case .points:
        try readPacked(property, in: &records, width: StateColumns.pointsBits) { (set, bits) throws(BinaryFailure) in
          set.points = Int16(bits)
        }
      case .deleted: break
      }
    }
    for index in records.indices {
      do { try records[index].values.check() } catch { throw .malformed("a value out of range") }
    }
  }

  #if hasFeature(Embedded)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private mutating func readPacked(
    _ property: Property,
    in records: inout MutableSpan<ShapeRecord>,
    width: Int,
    _ restore: (inout Properties, UInt64) throws(BinaryFailure) -> Void
  ) throws(BinaryFailure) {
    var bits = BitReader()
    for index in records.indices where records[index].values.assigned.contains(property) {
      let value = try bits.read(width: width, from: &reader)
      try records[index].restoreValues { (values) throws(BinaryFailure) in try restore(&values, value) }
    }
    try bits.finish(&reader)
  }

  #if hasFeature(Embedded)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private mutating func readColors(
    of property: Property,
    in records: inout MutableSpan<ShapeRecord>,
    _ restore: (inout Properties, Color) -> Void
  ) throws(BinaryFailure) {
    for index in records.indices where records[index].values.assigned.contains(property) {
      let bytes = try reader.slice(3)
      let color = Color(red: bytes[0], green: bytes[1], blue: bytes[2])
      records[index].restoreValues { restore(&$0, color) }
    }
  }

  #if hasFeature(Embedded)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private mutating func readNumbers(
    of property: Property,
    in records: inout MutableSpan<ShapeRecord>,
    _ restore: (inout Properties, Double) -> Void
  ) throws(BinaryFailure) {
    numbers.removeAll(keepingCapacity: true)
    numbers.reserveCapacity(records.count)
    let form = Int(try reader.byte())
    switch form {
    case ..<StateColumns.scales.count:
      try readScaledNumbers(of: property, in: &records, scale: StateColumns.scales[form], restore)
    case Int(StateColumns.rawForm):
      for index in records.indices where records[index].values.assigned.contains(property) {
        let value = Double(bitPattern: try reader.littleEndian64())
        guard value != 0 || value.sign == .plus else { throw .malformed("minus zero") }
        records[index].restoreValues { restore(&$0, value) }
        numbers.append(value)
      }
    default: throw .malformed("numbers of no known form")
    }
    for scale in StateColumns.scales[..<form] where StateColumns.fits(numbers, scale: scale) {
      throw .malformed("numbers that a shorter form holds")
    }
  }

  #if hasFeature(Embedded)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private mutating func readScaledNumbers(
    of property: Property,
    in records: inout MutableSpan<ShapeRecord>,
    scale: Double,
    _ restore: (inout Properties, Double) -> Void
  ) throws(BinaryFailure) {
    let least = BinaryNumber.unzigzag(try reader.varint())
    let width = Int(try reader.byte())
    // Both bounds keep the sum within an integer.
    guard width <= BitWriter.widthMax, least.magnitude <= 1 << 53 else { throw .malformed("numbers out of range") }
    var bits = BitReader()
    var zeroSteps = 0
    // As wide as their widest.
    var allSteps: UInt64 = 0
    for index in records.indices where records[index].values.assigned.contains(property) {
      let step = width == 0 ? 0 : try bits.read(width: width, from: &reader)
      let value = Double(least + Int64(step)) / scale
      records[index].restoreValues { restore(&$0, value) }
      numbers.append(value)
      if step == 0 { zeroSteps += 1 }
      allSteps |= step
    }
    try bits.finish(&reader)
    let others = try reader.count(bytesEach: 9)
    guard others <= numbers.count / StateColumns.othersShare else {
      throw .malformed("too many numbers that did not fit")
    }
    let leastValue = Double(least) / scale
    var places: [Int] = []
    if others > 0 {
      for index in records.indices where records[index].values.assigned.contains(property) { places.append(index) }
    }
    var next = 0
    for _ in 0..<others {
      let step = try reader.varint()
      guard step < UInt64(numbers.count - next) else { throw .malformed("a number that has no place") }
      let place = next + Int(step)
      let value = Double(bitPattern: try reader.littleEndian64())
      guard numbers[place] == leastValue, BinaryNumber.multiple(of: scale, in: value) == nil else {
        throw .malformed("a number that fits among those that did not")
      }
      records[places[place]].restoreValues { restore(&$0, value) }
      numbers[place] = value
      next = place + 1
    }
    // One of those that did fit is the least.
    guard width == BitWriter.width(of: allSteps), zeroSteps > others else {
      throw .malformed("numbers wider than they have to be")
    }
  }
}
