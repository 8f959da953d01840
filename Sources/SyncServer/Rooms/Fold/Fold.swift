import CanvasCRDT

/// What a room's log adds up to.
///
/// What always holds:
/// - The canvas is the merge of every record up to `position`, each taken once, in the log's order. Nothing else changes it.
/// - `operationCount` counts the operations of those records, whether or not they changed anything.
/// - The clock is behind no stamp of the canvas, and behind none that the room has given out: what the room stamps next is
///   later than both.
/// - `recent` knows every register that was written after the place where its memory begins.
struct Fold: Sendable {
  /// Which life of the room this is: cursors of another are not honoured.
  let epoch: UInt64
  private(set) var canvas: Canvas
  /// The newest place in the log.
  private(set) var position: UInt64 = 0
  /// How many operations the log has had in all.
  private(set) var operationCount: UInt64 = 0
  private var clockTime: UInt64 = 0
  private var recent = RecentChanges()

  /// Of an empty log.
  init(epoch: UInt64, seed: UInt64) {
    self.epoch = epoch
    canvas = Canvas(seed: seed)
    // Any client may ask for the digest at any time, on the thread that answers for all rooms.
    canvas.countDigest()
  }

  /// Up to the place that a snapshot is of.
  init(epoch: UInt64, image: RoomImage) {
    self.epoch = epoch
    canvas = image.canvas
    position = image.position
    operationCount = image.operationCount
    clockTime = image.clockTime
    recent = RecentChanges(after: image.position)
  }

  // MARK: Reading

  var cursor: Cursor { RoomCursor(epoch: epoch, position: position).cursor }

  /// The place in this log that a cursor names; nothing where the cursor is of another life of the room, of the future, or
  /// no cursor of ours.
  func place(of cursor: Cursor) -> UInt64? {
    guard let cursor = RoomCursor(cursor), cursor.epoch == epoch, cursor.position <= position else { return nil }
    return cursor.position
  }

  /// The room as it is now, to be stored beside the log.
  func image() -> RoomImage {
    RoomImage(position: position, canvas: canvas, operationCount: operationCount, clockTime: clockTime)
  }

  /// Where a difference can begin for a reader that has come as far as `place`; nothing where it needs the whole state,
  /// because deletions since then have been forgotten.
  func differenceStart(_ place: UInt64?) -> UInt64? {
    guard let place, place >= canvas.forgottenUpTo else { return nil }
    return place
  }

  /// The newest values of what was written after a place, or of everything.
  func parts(since place: UInt64?, shapesMax: Int) -> [StatePart] {
    guard let place, let registers = recent.registers(since: place) else {
      return canvas.stateParts(since: place, shapesMax: shapesMax)
    }
    return canvas.stateParts(since: place, shapesMax: shapesMax) { registers[$0] ?? [] }
  }

  // MARK: Changing

  /// Takes in a record of the log.
  /// - Parameter follow: is told of each change, with the canvas as it is after it.
  /// - Returns: where losses are wanted, the values that had already lost; nothing at all where the record has come before.
  mutating func take(
    _ record: borrowing RoomRecord,
    wantsLosses: Bool,
    _ follow: (_ change: Change, _ canvas: borrowing Canvas) -> Void
  ) -> [Superseded]? {
    guard record.position > position else { return nil }
    position = record.position
    operationCount += UInt64(record.operations.count)
    var losses: [Superseded] = []
    for (index, operation) in record.operations.enumerated() {
      let change = canvas.apply(operation, place: position)
      recent.note(change, place: position)
      if operation.at.time > clockTime { clockTime = operation.at.time }
      follow(change, canvas)
      guard wantsLosses, !change.superseded.isEmpty else { continue }
      for property in change.superseded {
        guard let by = canvas.winner(of: property, in: operation.shape) else { continue }
        losses.append(Superseded(operation: index, property: property, by: by))
      }
    }
    return losses
  }

  /// Stamps what its writer has not, later than anything that the room or the message has.
  mutating func stamp(_ proposed: [ProposedOperation], actor: Identifier, now: Moment) -> [Operation] {
    var clock = Clock(actor: actor, time: clockTime)
    var operations: [Operation] = []
    operations.reserveCapacity(proposed.count)
    for operation in proposed {
      let at = operation.at ?? clock.tick(milliseconds: now.wallMilliseconds)
      clock.observe(at)
      operations.append(Operation(shape: operation.shape, at: at, set: operation.set))
    }
    clockTime = max(clockTime, clock.time)
    return operations
  }

  /// Forgets deletions older than a time in Unix milliseconds.
  mutating func forgetErasures(before milliseconds: UInt64) { canvas.forgetErasures(before: milliseconds) }
}
