import CanvasCRDT

/// What a message would bring that the room does not have yet.
struct Newcomers: Sendable {
  fileprivate var shapes: [Identifier] = []
  /// Deletions of shapes that never were.
  fileprivate var erasures: [Identifier] = []
}

/// Whether a room has room for more: so many shapes, and the memory of so many deleted ones.
///
/// What always holds: each newcomer on its way to the log is counted with the number of batches that bring it, until it is
/// on the canvas or the last of those batches has been answered for. What is on the canvas counts there alone.
struct Fullness: Sendable {
  private let limits: Limits
  private var shapes: [Identifier: Int] = [:]
  private var erasures: [Identifier: Int] = [:]

  init(limits: Limits) { self.limits = limits }

  /// Whether anything is on its way.
  var isWaiting: Bool { !shapes.isEmpty || !erasures.isEmpty }

  mutating func add(_ newcomers: Newcomers) {
    for shape in newcomers.shapes { shapes[shape, default: 0] += 1 }
    for shape in newcomers.erasures { erasures[shape, default: 0] += 1 }
  }

  mutating func remove(_ newcomers: Newcomers) {
    for shape in newcomers.shapes { shapes.countDown(shape) }
    for shape in newcomers.erasures { erasures.countDown(shape) }
  }

  /// What is on the canvas counts there, even if another copy of it is still on its way.
  mutating func arrived(_ shape: Identifier, on canvas: borrowing Canvas) {
    if !canvas.registers(of: shape).isEmpty { shapes[shape] = nil }
    if canvas.stamp(of: .deleted, in: shape) != nil { erasures[shape] = nil }
  }

  /// What a message would bring; refused where the room has no room for it.
  ///
  /// A message that was taken before and comes again brings nothing: its shapes are there, or have been deleted since.
  func newcomers(
    in proposed: [ProposedOperation],
    on canvas: borrowing Canvas,
    isLogInDoubt: Bool
  ) throws(Rejection) -> Newcomers {
    var newcomers = Newcomers()
    var known: Set<Identifier> = []
    // New records, and among them and those that were dead, new shapes.
    var arriving = 0
    var forgotten = 0
    let leaving = Fullness.leavers(in: proposed, on: canvas)
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
        if shapes[shape] == nil { arriving += 1 }
      }
      // Every new shape will be deleted some day.
      if erasure == nil, shapes[shape] == nil, erasures[shape] == nil { forgotten += 1 }
      try check(
        Load(standing: canvas.liveCount - leaving, waiting: shapes.count, arriving: arriving, most: limits.shapes),
        at: index,
        isLogInDoubt,
        Text("the room is full: it has \(limits.shapes) shapes, the most it may have")
      )
      try check(
        Load(standing: canvas.shapeCount - leaving, waiting: shapes.count, arriving: arriving, most: remnantsMax),
        at: index,
        isLogInDoubt,
        "the room is full of late edits to deleted shapes; delete those shapes again"
      )
      try check(
        Load(standing: canvas.erasureCount, waiting: erasures.count, arriving: forgotten, most: limits.erasures),
        at: index,
        isLogInDoubt,
        "the room can't remember more deleted shapes"
      )
    }
    return newcomers
  }

  /// How many of a kind there are, are on their way, and would come.
  private struct Load {
    let standing: Int
    let waiting: Int
    let arriving: Int
    let most: UInt64

    var fits: Bool { arriving == 0 || UInt64(standing + waiting + arriving) <= most }
    /// Even if nothing that is on its way arrives.
    var fitsWithoutWaiting: Bool { arriving == 0 || UInt64(standing + arriving) <= most }
  }

  /// `room_full` is final. While the log is down, don't count batches that it may never store: the refused message may turn
  /// out to be among them.
  private func check(_ load: Load, at index: Int, _ isLogInDoubt: Bool, _ words: @autoclosure () -> Text)
    throws(Rejection)
  {
    if load.fits { return }
    throw isLogInDoubt && load.fitsWithoutWaiting
      ? Rejection(operation: index, code: .unavailable, message: Door.unavailable)
      : Rejection(operation: index, code: .roomFull, message: words())
  }

  /// How many shapes a message takes away: those whose last operation in it erases them whole.
  private static func leavers(in proposed: [ProposedOperation], on canvas: borrowing Canvas) -> Int {
    guard proposed.contains(where: { $0.set.deleted }) else { return 0 }
    var last: [Identifier: Int] = [:]
    for (index, operation) in proposed.enumerated() { last[operation.shape] = index }
    var count = 0
    for (shape, index) in last {
      let operation = proposed[index]
      let registers = canvas.registers(of: shape)
      guard operation.set.deleted, registers.contains(.kind) else { continue }
      // Without a stamp of its own it gets the server's, which is later than all that the room has.
      guard let at = operation.at else {
        count += 1
        continue
      }
      var isWhole = true
      for property in registers {
        if let stamp = canvas.stamp(of: property, in: shape), stamp > at { isWhole = false }
      }
      if isWhole { count += 1 }
    }
    return count
  }

  /// Edits that cross a deletion leave what is no shape and takes memory all the same.
  private var remnantsMax: UInt64 { limits.shapes.addingReportingOverflow(limits.shapes).partialValue }
}

extension [Identifier: Int] {
  fileprivate mutating func countDown(_ shape: Identifier) {
    guard let count = self[shape] else { return }
    self[shape] = count > 1 ? count - 1 : nil
  }
}
