/// A drawing as a set of registers that merge (a CRDT). Every replica of a room holds one.
///
/// Canvases that have applied the same operations are equal, even if the operations came in different orders or more
/// than once. Merging checks no clock and no limit, because the server has checked them before an operation enters the
/// log.
///
/// Records lie in pages. A copy of a canvas shares its pages with the original. When one of the two changes a page,
/// only that page is copied. So a snapshot in a busy room costs a few copied pages rather than a copy of the whole
/// canvas.
public struct Canvas: Sendable {
  /// The records, by slot. A free slot holds an empty record, without a register or an erasure.
  private(set) var pages: [[ShapeRecord]] = []

  /// For each page, the position in the log of its newest change. `operations(since:)` skips the pages that haven't
  /// changed since the requested position.
  private var pageChangedAt: [UInt64] = []

  private var freeSlots: [UInt32] = []
  private(set) var slotCount = 0
  private var table: SlotTable

  /// Erasures (tombstones) of shapes that have no registers left. Each stays until `forgetErasures` drops it.
  private(set) var erasures = IdentifierMap<Erasure>()

  /// The digest. `nil` until `countDigest` is called; from then on every change of a register also updates the digest.
  var countedDigest: UInt64?

  /// The number of live shapes: those that have a kind and are not deleted.
  public private(set) var liveCount = 0

  /// The bytes of the texts and paths in all registers, including the registers of shapes that are not live.
  public private(set) var longBytes = 0

  /// The position in the log of the newest forgotten erasure. A client that has not read the log up to this position
  /// needs the whole state, because a delta would lack the erasure.
  public private(set) var forgottenUpTo: UInt64 = 0

  /// All forgotten erasures were stamped before this time (`Stamp.time`). 0 if none was forgotten.
  public private(set) var forgottenBefore: UInt64 = 0

  struct Erasure: Hashable, Sendable {
    var stamp: Stamp
    var changedAt: UInt64
  }

  /// A page has 2⁵ = 32 records of 384 bytes. That is enough to make the page's header cost next to nothing, and few
  /// enough to make copying a shared page cheap.
  static let pageShift: UInt32 = 5
  static let pageLength = 1 << Int(pageShift)

  /// An empty canvas. `seed` is the seed of the hash table. It must be random if untrusted clients choose the
  /// identifiers, because such clients could otherwise choose identifiers that collide.
  public init(seed: UInt64) {
    table = SlotTable(seed: seed)
  }

  /// How many shapes have registers, including deleted shapes. A limit on shapes has to count all of these, because all
  /// take memory.
  public var shapeCount: Int { table.count }

  /// How many shapes have no registers left, only an erasure.
  public var erasureCount: Int { erasures.count }

  public var isEmpty: Bool { table.count == 0 && erasures.isEmpty }
}

// MARK: - Merging

extension Canvas {
  /// Merges one operation. `place` is the operation's position in the room's log; `operations(since:)` compares these
  /// positions.
  @discardableResult
  public mutating func apply(_ operation: borrowing Operation, place: UInt64 = 0) -> Change {
    if let slot = slot(of: operation.shape) {
      let page = Int(slot >> Canvas.pageShift)
      let row = Int(slot) & (Canvas.pageLength - 1)
      let change = pages[page][row].absorb(operation.set, at: operation.at, digest: &countedDigest)
      settle(change, slot: slot, place: place)
      return change
    }
    var record = newRecord(operation.shape)
    let change = record.absorb(operation.set, at: operation.at, digest: &countedDigest)
    enter(consume record, change: change, place: place)
    return change
  }

  /// Merges another canvas, with the same result as applying all of its operations.
  public mutating func merge(_ other: Canvas, place: UInt64 = 0) {
    for page in other.pages {
      for record in page where !record.values.assigned.isEmpty { merge(record, place: place) }
    }
    for erasure in other.orderedErasures() {
      var set = Properties()
      set.delete()
      apply(Operation(shape: erasure.shape, at: erasure.stamp, set: set), place: place)
    }
  }

  @discardableResult
  mutating func merge(_ record: borrowing ShapeRecord, place: UInt64) -> Change {
    if let slot = slot(of: record.shape) {
      let page = Int(slot >> Canvas.pageShift)
      let row = Int(slot) & (Canvas.pageLength - 1)
      let change = pages[page][row].absorb(record, digest: &countedDigest)
      settle(change, slot: slot, place: place)
      return change
    }
    if erasures.isEmpty || !erasures.contains(record.shape) { return adopt(record, place: place) }
    var merged = newRecord(record.shape)
    let change = merged.absorb(record, digest: &countedDigest)
    enter(consume merged, change: change, place: place)
    return change
  }

  /// Adds the record of a shape that this canvas doesn't have. No registers are compared.
  private mutating func adopt(_ record: borrowing ShapeRecord, place: UInt64) -> Change {
    var change = Change(shape: record.shape)
    change.changed = record.values.assigned
    change.longGrowth = record.values.longBytes(of: .long)
    change.lifecycle = record.isLive ? .appeared : .absent
    if countedDigest != nil { countedDigest? &+= record.digest() }
    assert(!record.isErasureOnly, "what has left nothing but an erasure has no record")
    count(change)
    claim(copy record, changedAt: place)
    return change
  }

  /// Merges pages of records. A page is taken over whole if this canvas has none of its shapes. Otherwise its records
  /// are merged one by one.
  mutating func merge(_ arriving: [[ShapeRecord]], place: UInt64) {
    if arriving.count >= StatePart.shapesMax / Canvas.pageLength {
      let pages = pages
      table.reserve(arriving.count * Canvas.pageLength) {
        pages[Int($0 >> Canvas.pageShift)][Int($0) & (Canvas.pageLength - 1)].shape
      }
    }
    for page in arriving where !adopt(page, place: place) {
      for row in page.indices { merge(page[row], place: place) }
    }
  }

  /// Takes over a page of records if this canvas has none of the page's shapes and its own pages are all full. No
  /// record is copied.
  /// - Returns: whether the page was taken over.
  private mutating func adopt(_ page: [ShapeRecord], place: UInt64) -> Bool {
    guard slotCount & (Canvas.pageLength - 1) == 0 else { return false }
    for row in page.indices {
      let shape = page[row].shape
      guard slot(of: shape) == nil, erasures.isEmpty || !erasures.contains(shape) else { return false }
    }
    var page = page
    if place > 0 {
      for row in page.indices { page[row].changedAt = place }
    }
    let first = UInt32(slotCount)
    slotCount += page.count
    pages.append(page)
    pageChangedAt.append(place)
    let pages = pages
    for row in page.indices {
      if page[row].isLive { liveCount += 1 }
      if countedDigest != nil { countedDigest? &+= page[row].digest() }
      longBytes += page[row].values.longBytes(of: .long)
      table.insert(page[row].shape, slot: first + UInt32(row)) {
        pages[Int($0 >> Canvas.pageShift)][Int($0) & (Canvas.pageLength - 1)].shape
      }
    }
    return true
  }

  /// Forgets the erasures that were stamped before `milliseconds`, and returns how many it has forgotten. The caller
  /// must refuse operations that were stamped before `milliseconds`, because they could bring a deleted shape back.
  /// - Parameter most: an upper bound on how many erasures of shapes without registers are forgotten. It bounds the
  ///   time: forgetting a million takes a third of a second.
  @discardableResult
  public mutating func forgetErasures(before milliseconds: UInt64, atMost most: Int = .max) -> Int {
    let countBefore = erasures.count
    var newestPlace = forgottenUpTo
    var newestTime = forgottenBefore
    erasures.removeAll(atMost: most) { _, erasure in
      if erasure.stamp.milliseconds >= milliseconds { return false }
      newestPlace = max(newestPlace, erasure.changedAt)
      newestTime = max(newestTime, erasure.stamp.time + 1)
      return true
    }
    var forgotten = countBefore - erasures.count
    for page in pages.indices {
      for row in pages[page].indices {
        if let erasure = pages[page][row].erasure, erasure.milliseconds < milliseconds,
          pages[page][row].forgetErasure(before: milliseconds)
        {
          // A record stores only the log position of its newest change, which may be later than its erasure. That is
          // harmless: at worst, a client gets the whole state although a delta would have been enough.
          newestPlace = max(newestPlace, pages[page][row].changedAt)
          newestTime = max(newestTime, erasure.time + 1)
          forgotten += 1
        }
      }
    }
    (forgottenUpTo, forgottenBefore) = (newestPlace, newestTime)
    return forgotten
  }

  /// Sets what was forgotten, in a canvas that is rebuilt from a store.
  public mutating func restore(forgottenUpTo place: UInt64, before time: UInt64) {
    forgottenUpTo = max(forgottenUpTo, place)
    forgottenBefore = max(forgottenBefore, time)
  }

  /// Drops all registers and the erasure of one shape, as if no operation on the shape had ever come.
  mutating func forget(_ shape: Identifier) {
    erasures[shape] = nil
    guard let slot = slot(of: shape) else { return }
    let record = record(at: slot)
    if countedDigest != nil { countedDigest? &-= record.digest() }
    longBytes -= record.values.longBytes(of: .long)
    if record.isLive { liveCount -= 1 }
    release(slot, of: shape)
  }
}

// MARK: - Counts and slots

extension Canvas {
  /// A record for a shape that has none. If the canvas has an erasure of the shape, the erasure moves into the record.
  private func newRecord(_ shape: Identifier) -> ShapeRecord {
    var record = ShapeRecord(shape: shape)
    if !erasures.isEmpty, let erasure = erasures[shape] {
      record.restore(.deleted, at: erasure.stamp)
      record.changedAt = erasure.changedAt
    }
    return record
  }

  /// Updates the counts after a change to the record in `slot`.
  private mutating func settle(_ change: Change, slot: UInt32, place: UInt64) {
    guard !change.isEmpty else { return }
    count(change)
    let page = Int(slot >> Canvas.pageShift)
    let row = Int(slot) & (Canvas.pageLength - 1)
    guard !change.erased.isEmpty, pages[page][row].isErasureOnly else {
      touch(page, row, place: place)
      return
    }
    if let erasure = pages[page][row].erasure {
      erasures[change.shape] = Erasure(stamp: erasure, changedAt: max(pages[page][row].changedAt, place))
    }
    release(slot, of: change.shape)
  }

  /// Gives a slot to a new record, after the record's first change.
  private mutating func enter(_ record: consuming ShapeRecord, change: Change, place: UInt64) {
    guard !change.isEmpty else { return }
    count(change)
    if record.isErasureOnly {
      guard let erasure = record.erasure else { return }
      erasures[record.shape] = Erasure(stamp: erasure, changedAt: max(record.changedAt, place))
      return
    }
    if !erasures.isEmpty { erasures[record.shape] = nil }
    let changedAt = max(record.changedAt, place)
    claim(record, changedAt: changedAt)
  }

  private mutating func count(_ change: Change) {
    longBytes += change.longGrowth
    switch change.lifecycle {
    case .appeared: liveCount += 1
    case .vanished: liveCount -= 1
    case .absent, .present: break
    }
  }

  @inline(__always)
  private mutating func touch(_ page: Int, _ row: Int, place: UInt64) {
    if place > pages[page][row].changedAt { pages[page][row].changedAt = place }
    if pages[page][row].changedAt > pageChangedAt[page] { pageChangedAt[page] = pages[page][row].changedAt }
  }

  @inline(__always)
  func slot(of shape: Identifier) -> UInt32? {
    table.slot(of: shape) { slot in
      pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)].shape == shape
    }
  }

  @inline(__always)
  func record(at slot: UInt32) -> ShapeRecord {
    pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)]
  }

  /// Moves a record to a free slot.
  private mutating func claim(_ record: consuming ShapeRecord, changedAt place: UInt64) {
    let shape = record.shape
    let slot: UInt32
    if let free = freeSlots.popLast() {
      slot = free
      pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)] = record
    } else {
      slot = UInt32(slotCount)
      slotCount += 1
      if Int(slot) & (Canvas.pageLength - 1) == 0 {
        var page: [ShapeRecord] = []
        page.reserveCapacity(Canvas.pageLength)
        pages.append(page)
        pageChangedAt.append(0)
      }
      pages[pages.count - 1].append(record)
    }
    let page = Int(slot >> Canvas.pageShift)
    pages[page][Int(slot) & (Canvas.pageLength - 1)].changedAt = place
    if place > pageChangedAt[page] { pageChangedAt[page] = place }
    let pages = pages
    table.insert(shape, slot: slot) {
      pages[Int($0 >> Canvas.pageShift)][Int($0) & (Canvas.pageLength - 1)].shape
    }
  }

  private mutating func release(_ slot: UInt32, of shape: Identifier) {
    let pages = pages
    table.remove(shape, slot: slot) { pages[Int($0 >> Canvas.pageShift)][Int($0) & (Canvas.pageLength - 1)].shape }
    self.pages[Int(slot >> Canvas.pageShift)][Int(slot) & (Canvas.pageLength - 1)] = ShapeRecord(shape: shape)
    freeSlots.append(slot)
  }
}

// MARK: - Reading

extension Canvas {
  /// The stamp under which a register was written. For `deleted`, the stamp of the shape's erasure.
  public func stamp(of property: Property, in shape: Identifier) -> Stamp? {
    if let slot = slot(of: shape) { return record(at: slot).stamp(of: property) }
    return property == .deleted ? erasures[shape]?.stamp : nil
  }

  /// The occupied slots, in the order of their shapes' identifiers. With `place`, only the slots whose records changed
  /// after that position in the log.
  func orderedSlots(since place: UInt64? = nil) -> [UInt32] {
    var keyed: [RadixOrder.Entry] = []
    if place == nil { keyed.reserveCapacity(table.count) }
    for page in pages.indices {
      if let place, pageChangedAt[page] <= place { continue }
      for row in pages[page].indices {
        if let place, pages[page][row].changedAt <= place { continue }
        guard !pages[page][row].values.assigned.isEmpty else { continue }
        keyed.append(
          RadixOrder.Entry(
            packed: pages[page][row].shape.packed,
            slot: UInt32(page << Int(Canvas.pageShift) | row)
          )
        )
      }
    }
    RadixOrder.sort(&keyed)
    return keyed.map { $0.slot }
  }

  /// The erasures of shapes without registers, in the order of the shapes' identifiers. With `place`, only the erasures
  /// that came after that position in the log.
  func orderedErasures(since place: UInt64? = nil) -> [(shape: Identifier, stamp: Stamp)] {
    var keyed: [RadixOrder.Entry] = []
    for (index, shape) in erasures.keys.enumerated() {
      if let place, erasures.values[index].changedAt <= place { continue }
      keyed.append(RadixOrder.Entry(packed: shape.packed, slot: UInt32(index)))
    }
    RadixOrder.sort(&keyed)
    return keyed.map { (erasures.keys[Int($0.slot)], erasures.values[Int($0.slot)].stamp) }
  }
}
