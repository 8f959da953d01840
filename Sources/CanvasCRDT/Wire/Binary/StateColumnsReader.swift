/// Reads columns back into records. The records lie in pages like those of a canvas, so that a canvas can take over the
/// pages. Whatever the bytes are, the reader returns at most `StateColumns.shapesMax` records or throws an error.
///
/// Bytes that the writer would have written differently are rejected, so that a state has only one encoding. Each such
/// check costs one comparison.
struct StateColumnsReader {
  private var reader: ByteReader
  private var pages: [[ShapeRecord]] = []
  private var count = 0
  private var erasures: [(shape: Identifier, stamp: Stamp)] = []

  /// Reads columns up to their end. Returns them, and the bytes that follow.
  static func read(_ bytes: ByteReader) throws(BinaryFailure) -> (part: StatePart, rest: ByteReader) {
    var columns = StateColumnsReader(reader: bytes)
    try columns.readAll()
    return (StatePart(pages: columns.pages, erasures: columns.erasures), columns.reader)
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
    count = try reader.count(bytesEach: 1)
    guard count <= StateColumns.shapesMax else { throw .malformed("more shapes than columns may have") }
    guard count > 0 else { return }
    var pages = try readIdentifiers()
    try refuseErasedTwice(pages)
    let masks = try readStamps(&pages)
    try StateValuesReader.read(&reader, into: &pages, masks: masks)
    self.pages = pages
  }

  private mutating func readIdentifiers() throws(BinaryFailure) -> [[ShapeRecord]] {
    var pages: [[ShapeRecord]] = []
    var page: [ShapeRecord] = []
    var before: Identifier?
    for _ in 0..<count {
      let shape = try readIdentifier(after: before)
      before = shape
      if page.isEmpty { page.reserveCapacity(Canvas.pageLength) }
      page.append(ShapeRecord(shape: shape))
      if page.count == Canvas.pageLength {
        pages.append(page)
        page = []
      }
    }
    if !page.isEmpty { pages.append(page) }
    return pages
  }

  /// Rejects an erasure of a shape that has registers, because such an erasure belongs in the shape's record.
  private func refuseErasedTwice(_ pages: [[ShapeRecord]]) throws(BinaryFailure) {
    guard !erasures.isEmpty else { return }
    var next = 0
    for page in pages {
      for row in page.indices {
        while next < erasures.count, erasures[next].shape < page[row].shape { next += 1 }
        guard next < erasures.count else { return }
        guard erasures[next].shape != page[row].shape else { throw .malformed("a shape both erased and present") }
      }
    }
  }

  /// Reads an identifier as the difference from the previous identifier.
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
  private mutating func readStamps(_ pages: inout [[ShapeRecord]]) throws(BinaryFailure) -> [PropertyMask] {
    let actorCount = try reader.count(bytesEach: 6)
    var actors: [Identifier] = []
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
    let masks = try readMasks()

    var used = [Bool](repeating: false, count: actorCount)
    var leastTime = UInt64.max
    // The bitwise OR of all times, which has as many bits as the greatest time.
    var allTimes: UInt64 = 0
    var allCounters: UInt64 = 0
    var bits = BitReader()
    for page in pages.indices {
      try pages[page].withUnsafeMutableBufferPointer { (records) throws(BinaryFailure) in
        for row in records.indices {
          let mask = masks[page * Canvas.pageLength + row]
          var left = mask.count
          var first = Stamp.never
          var isFirst = true
          // How many more properties have the shape's first stamp. Each of them has a 0 bit.
          var same = 0
          for property in mask {
            left -= 1
            var stamp = first
            if same > 0 {
              same -= 1
            } else {
              // Skips the bit 1 that ends the run of 0 bits.
              if !isFirst { _ = try bits.read(width: 1, from: &reader) }
              let time = try bits.read(width: timeBits, from: &reader)
              let counter = try bits.read(width: counterBits, from: &reader)
              let place = try bits.read(width: actorBits, from: &reader)
              let milliseconds = base + time
              guard milliseconds <= Stamp.millisecondsMax, place < UInt64(actorCount) else {
                throw .malformed("a stamp out of range")
              }
              stamp = Stamp(time: milliseconds << 16 | counter, actor: actors[Int(place)])
              guard isFirst || stamp != first else { throw .malformed("a stamp said again") }
              if isFirst { first = stamp }
              isFirst = false
              used[Int(place)] = true
              leastTime = min(leastTime, time)
              allTimes |= time
              allCounters |= counter
              same = bits.readZeros(atMost: left, from: &reader)
            }
            records[row].restore(property, at: stamp)
          }
          guard records[row].survivesItsErasure else {
            throw .malformed("a register older than its shape's erasure")
          }
        }
      }
    }
    try bits.finish(&reader)
    guard leastTime == 0, timeBits == BitWriter.width(of: allTimes), counterBits == BitWriter.width(of: allCounters)
    else { throw .malformed("stamps wider than they have to be") }
    guard !used.contains(false) else { throw .malformed("an actor listed that no stamp names") }
    return masks
  }

  private mutating func readMasks() throws(BinaryFailure) -> [PropertyMask] {
    let maskCount = try reader.count(bytesEach: 1)
    var distinct: [PropertyMask] = []
    for _ in 0..<maskCount {
      let word = try reader.varint()
      guard word <= UInt64(PropertyMask.all.rawValue) else { throw .malformed("a property that there is not") }
      let mask = PropertyMask(rawValue: UInt32(word))
      guard !mask.intersection(.registers).isEmpty,
        distinct.isEmpty || distinct[distinct.count - 1].rawValue < mask.rawValue
      else { throw .malformed("a mask that is empty or out of order") }
      distinct.append(mask)
    }
    guard !distinct.isEmpty else { throw .malformed("shapes without a mask") }
    let width = BitWriter.width(of: UInt64(maskCount - 1))
    guard width > 0 else { return [PropertyMask](repeating: distinct[0], count: count) }
    var masks: [PropertyMask] = []
    var used = [Bool](repeating: false, count: maskCount)
    var bits = BitReader()
    for _ in 0..<count {
      let place = try bits.read(width: width, from: &reader)
      guard place < UInt64(maskCount) else { throw .malformed("a mask that is not in the list") }
      masks.append(distinct[Int(place)])
      used[Int(place)] = true
    }
    try bits.finish(&reader)
    guard !used.contains(false) else { throw .malformed("a mask listed that no shape has") }
    return masks
  }
}

extension ShapeRecord {
  /// Whether every register is newer than the erasure. A merge guarantees this, but nothing guarantees it for received
  /// bytes.
  fileprivate var survivesItsErasure: Bool {
    guard let erasure else { return true }
    for property in registers where assignedStamp(of: property) <= erasure { return false }
    return true
  }
}
