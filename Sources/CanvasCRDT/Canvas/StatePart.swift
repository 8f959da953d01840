/// A part of a canvas on its way to another: some shapes' records and some erasures, each in the order of identifiers.
///
/// It shares the pages of the canvas that it was taken from, and no record is copied.
public struct StatePart: Sendable {
  private let pages: [[ShapeRecord]]
  private let slots: [UInt32]
  private let pageShift: UInt32
  let erasures: [(shape: Identifier, stamp: Stamp)]

  /// Records of a canvas, by slot.
  init(pages: [[ShapeRecord]], slots: [UInt32], erasures: [(shape: Identifier, stamp: Stamp)]) {
    self.pages = pages
    self.slots = slots
    self.erasures = erasures
    pageShift = Canvas.pageShift
  }

  /// Records of no canvas yet, in order.
  init(records: [ShapeRecord], erasures: [(shape: Identifier, stamp: Stamp)]) {
    pages = [records]
    slots = Array(0..<UInt32(records.count))
    self.erasures = erasures
    // All of them in the one page.
    pageShift = 31
  }

  var recordCount: Int { slots.count }

  /// The record at `index`, copied.
  func record(_ index: Int) -> ShapeRecord {
    let slot = slots[index]
    return pages[Int(slot >> pageShift)][Int(slot & (1 << pageShift &- 1))]
  }

  /// All records in place, for as long as `body` runs: reading one property of many is not worth copying each.
  func withRecords<Result, Failure: Error>(
    _ body: ([UnsafePointer<ShapeRecord>]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The part holds its pages and nothing changes an array that two hold, so they stay where they are until the end.
    defer { withExtendedLifetime(pages) {} }
    let bases = pages.map { page in page.withUnsafeBufferPointer { $0.baseAddress } }
    var pointers: [UnsafePointer<ShapeRecord>] = []
    pointers.reserveCapacity(slots.count)
    for slot in slots {
      guard let base = bases[Int(slot >> pageShift)] else { preconditionFailure("a slot on an empty page") }
      pointers.append(base + Int(slot & (1 << pageShift &- 1)))
    }
    return try body(pointers)
  }

  /// How many shapes and erasures it has.
  public var count: Int { slots.count + erasures.count }

  /// The fewest operations that say the same.
  public func forEachOperation<Failure: Error>(
    _ body: (borrowing Operation) throws(Failure) -> Void
  ) throws(Failure) {
    for erasure in erasures {
      var set = Properties()
      set.delete()
      try body(Operation(shape: erasure.shape, at: erasure.stamp, set: set))
    }
    for index in slots.indices { try record(index).forEachOperation(body) }
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
  /// The state, or what of it has changed after `place`, in parts of at most so many shapes and as many erasures.
  /// There is always one, if an empty one.
  public func stateParts(since place: UInt64? = nil, shapesMax: Int = StatePart.shapesMax) -> [StatePart] {
    let slots = orderedSlots(since: place)
    let erasures = orderedErasures(since: place)
    var parts: [StatePart] = []
    var shapesTaken = 0
    var erasuresTaken = 0
    repeat {
      let shapesEnd = min(slots.count, shapesTaken + shapesMax)
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

  /// What has changed after `place`, and of each shape no more than what `wanted` says that was.
  public func stateParts(
    since place: UInt64,
    shapesMax: Int = StatePart.shapesMax,
    keeping wanted: (Identifier) -> PropertyMask
  ) -> [StatePart] {
    stateParts(since: place, shapesMax: shapesMax).map { part in
      var records: [ShapeRecord] = []
      records.reserveCapacity(part.recordCount)
      var erasures = part.erasures
      for index in 0..<part.recordCount {
        var record = part.record(index)
        record.keep(wanted(record.shape))
        if !record.isErasureOnly {
          records.append(record)
        } else if let erasure = record.erasure {
          erasures.append((record.shape, erasure))
        }
      }
      if erasures.count > part.erasures.count { erasures.sort { $0.shape < $1.shape } }
      return StatePart(records: records, erasures: erasures)
    }
  }

  /// Merges a part: the same as applying its operations, and many times as fast where the shapes are new.
  public mutating func merge(_ part: StatePart, place: UInt64 = 0) {
    for erasure in part.erasures {
      var set = Properties()
      set.delete()
      apply(Operation(shape: erasure.shape, at: erasure.stamp, set: set), place: place)
    }
    part.withRecords { records in
      for record in records { merge(record.pointee, place: place) }
    }
  }
}

extension StatePart {
  /// So many that what a part costs in common is nothing, and so few that the longest stays under a message's bound:
  /// 1,024 shapes with every property and the longest names take 400 KB as columns.
  public static let shapesMax = 1_024
}
