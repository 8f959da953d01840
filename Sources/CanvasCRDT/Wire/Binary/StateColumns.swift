// A room's state in columns. All values of one property are together, because neighbouring values are alike and so take
// few bits.
//
//     version       one byte, 1
//     erasures      varint: how many; then for each its identifier (see `identifiers`) and its stamp (14 bytes)
//     shapes        varint: how many, at most 65,536
//     identifiers   varint: the first; then for each the difference from the one before
//     actors        varint: how many; then six bytes each, rising: all actors of the stamps that follow
//     times         varint: the least milliseconds of all stamps; then three bytes: how many bits each stamp has for
//                   its milliseconds beyond the least, for its counter, and for its actor's index
//     masks         varint: how many different masks; then each as a varint, rising; then packed: for each shape the
//                   index of its mask, in as few bits as the last index needs. The bit of `deleted` says that the shape
//                   has an erasure
//     stamps        packed, shape by shape, and property by property in the order of the bits: the shape's first stamp;
//                   then for each further property one bit: 0 the first stamp again, 1 another stamp follows
//     columns       for each property in any mask, in the order of the bits, the values of all shapes that have it:
//       colours     three bytes each
//       kinds, flags, choices, whole numbers   packed, each in as many bits as the greatest allowed value needs
//       names · z · texts   for each a varint, its length, and its bytes
//       numbers     (a pair is two such columns)
//         form      one byte: 0 units, 1 hundredths, 2 ten-thousandths, 3 eight bytes each (and nothing else follows)
//         least     zigzag varint: the least number; one byte: how many bits each number takes; then packed: for each
//                   number the difference from the least
//         others    varint: how many numbers don't fit the form; then for each a varint, by how many positions it comes
//                   after the one before, and eight bytes. In the packed list, the least number has its position
//
// Each packed run is filled up to a whole byte. The encoder's choices depend only on the state, so equal states are
// equal bytes.

enum StateColumns {
  static let version: UInt8 = 1

  /// An upper bound on the shapes in a part. It is needed because a few bytes of columns can describe very many shapes.
  /// A reader allocates at most 25 MB for records, plus half of that for rare properties.
  static let shapesMax = 65_536

  static let counterBitsMax = 16
  static let timeBitsMax = 48

  /// The scales of packed columns. A packed column stores each number as a multiple of 1/scale.
  static let scales: [Double] = [1, 100, 10_000]
  static let rawForm: UInt8 = 3

  /// A column is packed with a scale if at most one in eight of its numbers is not a multiple of 1/scale.
  static let othersShare = 8

  /// Whether a column of these numbers is packed as multiples of 1/scale. The check stops as soon as too many numbers
  /// are no multiples.
  static func fits(_ numbers: [Double], scale: Double) -> Bool {
    let othersMax = numbers.count / othersShare
    var others = 0
    for number in numbers where BinaryNumber.multiple(of: scale, in: number) == nil {
      others += 1
      if others > othersMax { return false }
    }
    return true
  }
}

extension PropertyForm {
  /// How many bits each value of a packed column takes: as many as the greatest allowed value needs. 0 if the column
  /// isn't packed.
  public var packedWidth: Int {
    switch self {
    case .kind: BitWriter.width(of: UInt64(ShapeKind.allCases.count - 1))
    case .flag: 1
    case .choice(let field): BitWriter.width(of: UInt64(field.words.count - 1))
    case .integer(_, let range, _): BitWriter.width(of: UInt64(range.upperBound))
    case .erasure, .name, .orderKey, .text, .identifier, .path, .tie, .color, .number, .pair: 0
    }
  }
}

/// Writes records as columns.
struct StateColumnsWriter {
  private let records: [UnsafePointer<ShapeRecord>]

  static func write(_ part: StatePart, to writer: inout ByteWriter) {
    precondition(part.recordCount <= StateColumns.shapesMax, "a part has at most shapesMax records")
    writer.append(StateColumns.version)
    writer.appendVarint(UInt64(part.erasures.count))
    var before: UInt64 = 0
    for erasure in part.erasures {
      writer.appendVarint(erasure.shape.packed - before)
      before = erasure.shape.packed
      writer.append(erasure.stamp)
    }
    writer.appendVarint(UInt64(part.recordCount))
    guard part.recordCount > 0 else { return }
    part.withRecords { records in
      StateColumnsWriter(records: records).write(to: &writer)
    }
  }

  private func write(to writer: inout ByteWriter) {
    var before: UInt64 = 0
    for record in records {
      let packed = record.pointee.shape.packed
      writer.appendVarint(packed - before)
      before = packed
    }
    writeStamps(to: &writer)
    writeColumns(to: &writer)
  }
}

// MARK: - Masks and stamps

extension StateColumnsWriter {
  private func writeStamps(to writer: inout ByteWriter) {
    var seen = StampStatistics()
    for record in records { seen.enter(record) }
    let actors = seen.actors.list.sorted()
    // For each actor in the order of first occurrence, its index in the order of identifiers.
    let places = seen.actors.list.map { actor in UInt64(StateColumnsWriter.place(of: actor, in: actors)) }
    writer.appendVarint(UInt64(actors.count))
    for actor in actors { writer.append(actor) }
    let timeBits = BitWriter.width(of: seen.millisecondsMax - seen.millisecondsMin)
    let counterBits = BitWriter.width(of: seen.counterMax)
    let actorBits = BitWriter.width(of: UInt64(actors.count - 1))
    writer.appendVarint(seen.millisecondsMin)
    writer.append(UInt8(timeBits))
    writer.append(UInt8(counterBits))
    writer.append(UInt8(actorBits))
    writeMasks(to: &writer)

    // A stamp and the bit before it are written together if they fit into one write, which they do in nearly all
    // states.
    let actorShift = UInt64(timeBits + counterBits)
    let stampBits = timeBits + counterBits + actorBits
    let fitsOneWrite = stampBits + 1 <= BitWriter.widthMax
    var bits = BitWriter()
    for record in records {
      var first: Stamp?
      for property in record.pointee.values.assigned {
        let stamp = record.stamp(of: property)
        if let first, stamp == first {
          bits.write(0, width: 1, to: &writer)
          continue
        }
        let flagBits = first == nil ? 0 : 1
        if first == nil { first = stamp }
        let time = stamp.milliseconds - seen.millisecondsMin
        let place = places[seen.actors.place(of: stamp.actor)]
        if fitsOneWrite {
          let word = time | stamp.counter << UInt64(timeBits) | place << actorShift
          bits.write(word << UInt64(flagBits) | UInt64(flagBits), width: stampBits + flagBits, to: &writer)
        } else {
          if flagBits > 0 { bits.write(1, width: 1, to: &writer) }
          bits.write(time, width: timeBits, to: &writer)
          bits.write(stamp.counter, width: counterBits, to: &writer)
          bits.write(place, width: actorBits, to: &writer)
        }
      }
    }
    bits.finish(to: &writer)
  }

  private func writeMasks(to writer: inout ByteWriter) {
    var masks: [UInt32] = []
    for record in records {
      let mask = record.pointee.values.assigned.rawValue
      if masks.last != mask, !masks.contains(mask) { masks.append(mask) }
    }
    masks.sort()
    writer.appendVarint(UInt64(masks.count))
    for mask in masks { writer.appendVarint(UInt64(mask)) }
    let width = BitWriter.width(of: UInt64(masks.count - 1))
    guard width > 0 else { return }
    var bits = BitWriter()
    for record in records {
      let place = StateColumnsWriter.place(of: record.pointee.values.assigned.rawValue, in: masks)
      bits.write(UInt64(place), width: width, to: &writer)
    }
    bits.finish(to: &writer)
  }

  /// The index of `value` in a sorted list. The list must contain it.
  private static func place<Value: Comparable>(of value: Value, in list: [Value]) -> Int {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Finds how many bits a stamp takes.
  private struct StampStatistics {
    var actors = ActorList()
    var millisecondsMin = Stamp.millisecondsMax
    var millisecondsMax: UInt64 = 0
    var counterMax: UInt64 = 0

    mutating func enter(_ record: UnsafePointer<ShapeRecord>) {
      var last: Stamp?
      for property in record.pointee.values.assigned {
        let stamp = record.stamp(of: property)
        if stamp != last { enter(stamp) }
        last = stamp
      }
    }

    @inline(__always)
    private mutating func enter(_ stamp: Stamp) {
      millisecondsMin = min(millisecondsMin, stamp.milliseconds)
      millisecondsMax = max(millisecondsMax, stamp.milliseconds)
      counterMax = max(counterMax, stamp.counter)
      actors.enter(stamp.actor)
    }
  }
}

extension UnsafePointer<ShapeRecord> {
  /// The stamp of an assigned property. This indexes the list of stamps directly, because the record's own method would
  /// first copy the list.
  @inline(__always)
  fileprivate func stamp(of property: Property) -> Stamp {
    let place = Int(property.rawValue)
    let common = pointee.commonStamps.count
    return place < common ? pointee.commonStamps[place] : pointee.rareStamps[place &- common]
  }
}

// MARK: - Values

extension StateColumnsWriter {
  private func writeColumns(to writer: inout ByteWriter) {
    var used = PropertyMask()
    for record in records { used = used.union(record.pointee.values.assigned) }
    var numbers: [Double] = []
    numbers.reserveCapacity(records.count)
    for property in used {
      switch property.form {
      case .erasure: break
      case .kind:
        writePacked(property, to: &writer) { UInt64($0.pointee.values.kind.rawValue) }
      case .name: forEachRecord(with: property) { writer.appendCounted($0.pointee.values.name) }
      case .orderKey: forEachRecord(with: property) { writer.appendCounted($0.pointee.values.z.text) }
      case .text: forEachRecord(with: property) { writer.appendCounted($0.pointee.values.text) }
      case .choice(let field):
        writePacked(property, to: &writer) { UInt64($0.pointee.values[field]) }
      case .identifier(let field): forEachRecord(with: property) { writer.append(orNone: $0.pointee.values[field]) }
      case .path: forEachRecord(with: property) { writer.appendCounted($0.pointee.values.path.bytes) }
      case .tie(let field): forEachRecord(with: property) { writer.append(orNone: $0.pointee.values[field]) }
      case .flag(let field):
        writePacked(property, to: &writer) { $0.pointee.values[field] ? 1 : 0 }
      case .color(let field):
        forEachRecord(with: property) { writer.append($0.pointee.values[field]) }
      case .integer(let field, _, _):
        writePacked(property, to: &writer) { UInt64($0.pointee.values[field]) }
      case .number(let field, _, _):
        writeNumbers(of: property, &numbers, to: &writer) { $0.pointee.values[field] }
      case .pair(let field, _):
        writeNumbers(of: property, &numbers, to: &writer) { $0.pointee.values[field].first }
        writeNumbers(of: property, &numbers, to: &writer) { $0.pointee.values[field].second }
      }
    }
  }

  @inline(__always)
  private func forEachRecord(with property: Property, _ body: (UnsafePointer<ShapeRecord>) -> Void) {
    for record in records where record.pointee.values.assigned.contains(property) { body(record) }
  }

  @inline(__always)
  private func writePacked(
    _ property: Property,
    to writer: inout ByteWriter,
    _ value: (UnsafePointer<ShapeRecord>) -> UInt64
  ) {
    let width = property.form.packedWidth
    var bits = BitWriter()
    forEachRecord(with: property) { bits.write(value($0), width: width, to: &writer) }
    bits.finish(to: &writer)
  }

  @inline(__always)
  private func writeNumbers(
    of property: Property,
    _ numbers: inout [Double],
    to writer: inout ByteWriter,
    _ value: (UnsafePointer<ShapeRecord>) -> Double
  ) {
    numbers.removeAll(keepingCapacity: true)
    forEachRecord(with: property) { record in
      let number = value(record)
      // Minus zero is written as zero. The two are equal, and equal states must have equal bytes.
      numbers.append(number == 0 ? 0 : number)
    }
    StateColumnsWriter.write(numbers, to: &writer)
  }

  private static func write(_ numbers: [Double], to writer: inout ByteWriter) {
    var integers: [Int64] = []
    integers.reserveCapacity(numbers.count)
    for (form, scale) in StateColumns.scales.enumerated() {
      var others: [Int] = []
      let othersMax = numbers.count / StateColumns.othersShare
      var least = Int64.max
      var greatest = Int64.min
      integers.removeAll(keepingCapacity: true)
      for index in numbers.indices {
        if let integer = BinaryNumber.multiple(of: scale, in: numbers[index]) {
          least = min(least, integer)
          greatest = max(greatest, integer)
          integers.append(integer)
        } else {
          others.append(index)
          if others.count > othersMax { break }
          integers.append(Int64.min)
        }
      }
      // A column is written unpacked if too many of its numbers are no multiples of 1/scale, or if a difference doesn't
      // fit into one write.
      guard others.count <= othersMax, BitWriter.width(of: UInt64(greatest - least)) <= BitWriter.widthMax else {
        continue
      }
      let width = BitWriter.width(of: UInt64(greatest - least))
      writer.append(UInt8(form))
      writer.appendSignedVarint(least)
      writer.append(UInt8(width))
      if width > 0 {
        var bits = BitWriter()
        for integer in integers {
          bits.write(integer == Int64.min ? 0 : UInt64(integer - least), width: width, to: &writer)
        }
        bits.finish(to: &writer)
      }
      writer.appendVarint(UInt64(others.count))
      var next = 0
      for index in others {
        writer.appendVarint(UInt64(index - next))
        next = index + 1
        writer.appendLittleEndian(numbers[index].bitPattern)
      }
      return
    }
    writer.append(StateColumns.rawForm)
    for number in numbers { writer.appendLittleEndian(number.bitPattern) }
  }
}
