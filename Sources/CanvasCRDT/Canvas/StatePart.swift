/// A part of a canvas that is sent to another canvas: the records of some shapes and some erasures, both in the order
/// of identifiers.
///
/// A part shares the pages of the canvas that it was taken from, so no record is copied.
public struct StatePart: Sendable {
  private let pages: [[ShapeRecord]]
  /// The slots of the part's records. `nil` means every record in `pages`.
  private let slots: [UInt32]?
  let recordCount: Int
  let erasures: [(shape: Identifier, stamp: Stamp)]

  /// A part of an existing canvas, with the records in `slots`.
  init(pages: [[ShapeRecord]], slots: [UInt32], erasures: [(shape: Identifier, stamp: Stamp)]) {
    self.pages = pages
    self.slots = slots
    self.erasures = erasures
    recordCount = slots.count
  }

  /// A part that belongs to no canvas yet. The records are in the order of identifiers, in pages of
  /// `Canvas.pageLength`; only the last page can be shorter.
  init(pages: [[ShapeRecord]], erasures: [(shape: Identifier, stamp: Stamp)]) {
    self.pages = pages
    slots = nil
    self.erasures = erasures
    recordCount = pages.reduce(0) { $0 + $1.count }
  }

  /// The part's pages. `nil` if some of the records in the pages don't belong to the part.
  var wholePages: [[ShapeRecord]]? { slots == nil ? pages : nil }

  func record(_ index: Int) -> ShapeRecord {
    let slot = slots?[index] ?? UInt32(index)
    return pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)]
  }

  /// Calls `body` with each record in order, without copying it.
  func forEachRecord<Failure: Error>(_ body: (borrowing ShapeRecord) throws(Failure) -> Void) throws(Failure) {
    for index in 0..<recordCount {
      let slot = slots?[index] ?? UInt32(index)
      try body(pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)])
    }
  }

  /// Gives `body` all records without copying them. Copying a record would cost more than reading one property.
  func withRecords<Result, Failure: Error>(
    _ body: ([UnsafePointer<ShapeRecord>]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // This keeps a second reference to the pages. If the canvas changes a page meanwhile, it changes a copy, so the
    // records that `body` reads stay valid.
    defer { withExtendedLifetime(pages) {} }
    let bases = pages.map { page in page.withUnsafeBufferPointer { $0.baseAddress } }
    var pointers: [UnsafePointer<ShapeRecord>] = []
    pointers.reserveCapacity(recordCount)
    for index in 0..<recordCount {
      let slot = slots?[index] ?? UInt32(index)
      guard let base = bases[Int(slot >> Canvas.pageShift)] else { preconditionFailure("a slot on an empty page") }
      pointers.append(base + (Int(slot) & (Canvas.pageLength - 1)))
    }
    return try body(pointers)
  }

  /// The part with `change` applied to each record. A record that becomes empty is dropped. If only its erasure is
  /// left, the erasure moves to `erasures`.
  func changingRecords(_ change: (inout ShapeRecord) -> Void) -> StatePart {
    var pages: [[ShapeRecord]] = []
    var erasures = erasures
    for index in 0..<recordCount {
      var record = record(index)
      change(&record)
      if !record.isErasureOnly {
        if pages.last?.count ?? Canvas.pageLength == Canvas.pageLength { pages.append([]) }
        pages[pages.count - 1].append(record)
      } else if let erasure = record.erasure {
        erasures.append((record.shape, erasure))
      }
    }
    if erasures.count > self.erasures.count { erasures.sort { $0.shape < $1.shape } }
    return StatePart(pages: pages, erasures: erasures)
  }

  public var count: Int { recordCount + erasures.count }

  /// Calls `body` with the fewest operations that rebuild the part.
  public func forEachOperation<Failure: Error>(
    _ body: (borrowing Operation) throws(Failure) -> Void
  ) throws(Failure) {
    for erasure in erasures {
      var set = Properties()
      set.delete()
      try body(Operation(shape: erasure.shape, at: erasure.stamp, set: set))
    }
    try forEachRecord { (record) throws(Failure) in try record.forEachOperation(body) }
  }

  public var operations: [Operation] {
    var operations: [Operation] = []
    forEachOperation { operations.append(copy $0) }
    return operations
  }
}

extension StatePart: Equatable {
  public static func == (left: StatePart, right: StatePart) -> Bool { left.operations == right.operations }
}

extension Canvas {
  /// The state in parts of at most `shapesMax` shapes and at most `shapesMax` erasures. With `place`, only the changes
  /// after that position in the log. A long text counts as several shapes. The result has at least one part, which can
  /// be empty.
  public func stateParts(since place: UInt64? = nil, shapesMax: Int = StatePart.shapesMax) -> [StatePart] {
    let slots = orderedSlots(since: place)
    let erasures = orderedErasures(since: place)
    var parts: [StatePart] = []
    var shapesTaken = 0
    var erasuresTaken = 0
    repeat {
      let shapesEnd = end(of: slots, from: shapesTaken, shapesMax: shapesMax)
      let erasuresEnd = min(erasures.count, erasuresTaken + shapesMax)
      parts.append(
        StatePart(
          pages: pages,
          slots: Array(slots[shapesTaken..<shapesEnd]),
          erasures: Array(erasures[erasuresTaken..<erasuresEnd])
        )
      )
      shapesTaken = shapesEnd
      erasuresTaken = erasuresEnd
    } while shapesTaken < slots.count || erasuresTaken < erasures.count
    return parts
  }

  /// The whole state in parts of at most `shapesMax` shapes, for a person who watches the state load. The shapes with
  /// the longest sides come first, because they make up most of the drawing. Hidden shapes follow them, and erasures
  /// are at the end.
  public func statePartsLargestFirst(shapesMax: Int = StatePart.shapesMax) -> [StatePart] {
    let byIdentifier = orderedSlots()
    let erasures = orderedErasures()
    let isOnePart =
      erasures.count <= shapesMax && end(of: byIdentifier, from: 0, shapesMax: shapesMax) == byIdentifier.count
    guard !isOnePart else { return stateParts(shapesMax: shapesMax) }
    var bySize = byIdentifier.map { RadixOrder.Entry(packed: smallness(at: $0), slot: $0) }
    RadixOrder.sort(&bySize)
    let slots = bySize.map { $0.slot }
    var parts: [StatePart] = []
    var taken = 0
    while taken < slots.count {
      let end = end(of: slots, from: taken, shapesMax: shapesMax)
      var part = slots[taken..<end].map { RadixOrder.Entry(packed: shape(at: $0).packed, slot: $0) }
      RadixOrder.sort(&part)
      parts.append(StatePart(pages: pages, slots: part.map { $0.slot }, erasures: []))
      taken = end
    }
    for start in stride(from: 0, to: erasures.count, by: shapesMax) {
      let some = erasures[start..<min(erasures.count, start + shapesMax)]
      parts.append(StatePart(pages: pages, slots: [], erasures: Array(some)))
    }
    return parts
  }

  private func shape(at slot: UInt32) -> Identifier {
    pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)].shape
  }

  /// A sort key: the shorter a shape's longer side, the greater the key. A hidden shape has a greater key than any
  /// visible one.
  private func smallness(at slot: UInt32) -> UInt64 {
    let page = Int(slot >> Canvas.pageShift)
    let row = Int(slot) & (Canvas.pageLength - 1)
    guard pages[page][row].values.visible else { return UInt64(PropertyRules.sides.upperBound * 1_000) }
    return UInt64((PropertyRules.sides.upperBound - pages[page][row].values.longerSide) * 1_000)
  }

  /// The end of the part that begins at `start`, as an index in `slots`. The part has at least one shape if any are
  /// left.
  private func end(of slots: [UInt32], from start: Int, shapesMax: Int) -> Int {
    let most = min(slots.count, start + shapesMax)
    guard longBytes > 0 else { return most }
    var left = shapesMax
    for index in start..<most {
      let page = Int(slots[index] >> Canvas.pageShift)
      let bytes = pages[page][Int(slots[index]) & (Canvas.pageLength - 1)].values.longBytesSaid
      left -= 1 + (bytes + StatePart.longBytesOfOneShape - 1) / StatePart.longBytesOfOneShape
      if left < 0, index > start { return index }
    }
    return most
  }

  /// The changes after `place`, limited to the properties that `wanted` returns for each shape.
  public func stateParts(
    since place: UInt64,
    shapesMax: Int = StatePart.shapesMax,
    keeping wanted: (Identifier) -> PropertyMask
  ) -> [StatePart] {
    stateParts(since: place, shapesMax: shapesMax).map { part in
      part.changingRecords { $0.keep(wanted($0.shape)) }
    }
  }

  /// Merges a part, with the same result as applying the part's operations. If the shapes are new, this is many times
  /// faster.
  public mutating func merge(_ part: StatePart, place: UInt64 = 0) {
    for erasure in part.erasures {
      var set = Properties()
      set.delete()
      apply(Operation(shape: erasure.shape, at: erasure.stamp, set: set), place: place)
    }
    if let pages = part.wholePages { return merge(pages, place: place) }
    part.forEachRecord { merge($0, place: place) }
  }
}

extension StatePart {
  /// An upper bound on the shapes in a part. With 1,024 shapes, a part's fixed costs don't matter. The longest possible
  /// part, with every property and the longest names, takes 400 KB as columns. That is below the limit on a message.
  public static let shapesMax = 1_024

  /// How many bytes of text count as one shape. In JSON and in the binary encoding, a text of this length takes no more
  /// space than the largest shape.
  static let longBytesOfOneShape = 768
}
