import CanvasCRDT

// What a room has room for: so many shapes, and the memory of so many deleted ones.

/// What a message would bring that the room does not have yet.
struct Newcomers: Sendable {
  var shapes: [Identifier] = []
  /// Deletions of what never was.
  var erasures: [Identifier] = []
}

/// Newcomers on their way to the log, each with the number of batches that bring it.
struct PendingNewcomers: Sendable {
  private(set) var shapes: [Identifier: Int] = [:]
  private(set) var erasures: [Identifier: Int] = [:]

  var isEmpty: Bool { shapes.isEmpty && erasures.isEmpty }

  mutating func add(_ newcomers: Newcomers) {
    for shape in newcomers.shapes { shapes[shape, default: 0] += 1 }
    for shape in newcomers.erasures { erasures[shape, default: 0] += 1 }
  }

  mutating func remove(_ newcomers: Newcomers) {
    for shape in newcomers.shapes { shapes.countDown(shape) }
    for shape in newcomers.erasures { erasures.countDown(shape) }
  }

  mutating func shapeArrived(_ shape: Identifier) { shapes[shape] = nil }
  mutating func erasureArrived(_ shape: Identifier) { erasures[shape] = nil }
}

extension [Identifier: Int] {
  fileprivate mutating func countDown(_ shape: Identifier) {
    guard let count = self[shape] else { return }
    self[shape] = count > 1 ? count - 1 : nil
  }
}

extension Room {
  /// What `proposed` would bring; refused where the room has no room for it.
  ///
  /// A message that was taken before and comes again brings nothing: its shapes are there, or have been deleted since.
  func newcomers(in proposed: [ProposedOperation]) throws(Rejection) -> Newcomers {
    var newcomers = Newcomers()
    var known: Set<Identifier> = []
    // New records, and among them and those that were dead, new shapes.
    var arriving = 0
    var forgotten = 0
    let leaving = leavers(in: proposed)
    for (index, operation) in proposed.enumerated() {
      let shape = operation.shape
      guard !known.contains(shape) else { continue }
      let standing = canvas.registers(of: shape)
      // A dead shape that is written anew comes to life, and is one more.
      guard standing.isEmpty || !standing.contains(.kind) && operation.set.assigned.contains(.kind) else { continue }
      let erasure = canvas.stamp(of: .deleted, in: shape)
      if operation.set.deleted, operation.set.assigned.count == 1 {
        guard erasure == nil else { continue }
        known.insert(shape)
        newcomers.erasures.append(shape)
      } else {
        // What was deleted since it was sent for the first time takes no room.
        if let at = operation.at, let erasure, at <= erasure { continue }
        known.insert(shape)
        newcomers.shapes.append(shape)
        if pending.shapes[shape] == nil { arriving += 1 }
      }
      // Every new shape will be deleted some day.
      if erasure == nil, pending.shapes[shape] == nil, pending.erasures[shape] == nil { forgotten += 1 }
      guard fits(canvas.liveCount - leaving, pending.shapes.count, arriving, limits.shapes) else {
        throw refusal(
          at: index,
          isSure: !fits(canvas.liveCount - leaving, 0, arriving, limits.shapes),
          Text("the room has \(limits.shapes) shapes, as many as it may")
        )
      }
      guard fits(canvas.shapeCount - leaving, pending.shapes.count, arriving, remnantsMax) else {
        throw refusal(
          at: index,
          isSure: !fits(canvas.shapeCount - leaving, 0, arriving, remnantsMax),
          "the room keeps as many late edits of deleted shapes as it can: delete those shapes again"
        )
      }
      guard fits(canvas.erasureCount, pending.erasures.count, forgotten, limits.erasures) else {
        throw refusal(
          at: index,
          isSure: !fits(canvas.erasureCount, 0, forgotten, limits.erasures),
          "the room remembers as many deleted shapes as it can"
        )
      }
    }
    return newcomers
  }

  /// How many shapes a message takes away: those that its last word on them erases whole.
  private func leavers(in proposed: [ProposedOperation]) -> Int {
    guard proposed.contains(where: { $0.set.deleted }) else { return 0 }
    var lastWords: [Identifier: Int] = [:]
    for (index, operation) in proposed.enumerated() { lastWords[operation.shape] = index }
    return lastWords.count { shape, index in
      let operation = proposed[index]
      guard operation.set.deleted, canvas.registers(of: shape).contains(.kind) else { return false }
      // The server's own stamp is later than all that the room has.
      guard let at = operation.at else { return true }
      return canvas.registers(of: shape).allSatisfy { canvas.stamp(of: $0, in: shape).map { $0 <= at } ?? true }
    }
  }

  /// Edits that cross a deletion leave what is no shape and takes memory all the same.
  private var remnantsMax: UInt64 { limits.shapes.addingReportingOverflow(limits.shapes).partialValue }

  /// What is on the canvas counts there, even if another copy of it is still on its way.
  mutating func settlePending(_ shape: Identifier) {
    if !canvas.registers(of: shape).isEmpty { pending.shapeArrived(shape) }
    if canvas.stamp(of: .deleted, in: shape) != nil { pending.erasureArrived(shape) }
  }

  private func fits(_ standing: Int, _ pending: Int, _ arriving: Int, _ most: UInt64) -> Bool {
    arriving == 0 || UInt64(standing + pending + arriving) <= most
  }

  /// `room_full` is final, so it is not said on the word of what the log, being down, will not take, while the very
  /// message that asks may turn out to have been stored the first time.
  private func refusal(at index: Int, isSure: Bool, _ words: Text) -> Rejection {
    isSure || !isLogDoubtful
      ? Rejection(operation: index, code: .roomFull, message: words)
      : Rejection(operation: index, code: .unavailable, message: Room.unavailable)
  }
}
