import CanvasCRDT

/// The state that a room's log adds up to.
///
/// What always holds:
/// - The canvas is the merge of all records up to `position`, each applied once and in the log's order, with none
///   missing. Nothing else changes the canvas.
/// - A record is left out if it might conflict with a forgotten deletion. Such a record has a value that the canvas
///   lacks, and that is older than the time before which the room has forgotten all deletions.
/// - Only the records decide whether a record is left out, and what the shapes are. It makes no difference whether a
///   forgotten deletion is still in memory.
/// - `operationCount` counts the operations of the applied records, whether or not they changed anything.
/// - The clock is not behind any stamp in the canvas or any stamp that the room has given out. So the room's next stamp
///   is later than all of them.
/// - `recent` knows every register that was written after the position where `recent` begins.
struct Fold: Sendable {
  /// Makes and reads the room's cursors.
  private(set) var places: RoomPlaces
  private(set) var canvas: Canvas
  /// The position of the last record that was applied.
  private(set) var position: UInt64 = 0
  /// When the log stored that record, in Unix milliseconds. 0 without a record.
  private(set) var changedMilliseconds: UInt64 = 0
  /// How many operations the log has had in all, including those in trimmed records.
  private(set) var operationCount: UInt64 = 0
  /// Not less than the time (`Stamp.time`) of any stamp that the room has or has given out.
  private(set) var clockTime: UInt64 = 0
  /// Deletions from before this time, in Unix milliseconds, were forgotten early. 0 if none were.
  private(set) var forgottenBefore: UInt64 = 0
  /// Deletions from before this time, in Unix milliseconds, are being dropped from memory. 0 when all have been
  /// dropped.
  private var forgettingBefore: UInt64 = 0
  private var recent = RecentChanges()

  /// The state of an empty log.
  init(epoch: UInt64, seed: UInt64) {
    places = RoomPlaces(epoch: epoch)
    canvas = Canvas(seed: seed)
    // The digest is kept up to date with each change, because any client may ask for it at any time. Computing it from
    // the whole canvas for each request would hold up all rooms of the loop.
    canvas.countDigest()
  }

  /// The state at the position of a snapshot.
  /// - Parameter changedMilliseconds: when the log stored the record at that position.
  init(epoch: UInt64, image: RoomImage, changedMilliseconds: UInt64) {
    places = RoomPlaces(epoch: epoch, runs: image.runs)
    canvas = image.canvas
    position = image.position
    self.changedMilliseconds = changedMilliseconds
    operationCount = image.operationCount
    clockTime = image.clockTime
    forgottenBefore = image.forgottenBefore
    forgettingBefore = forgottenBefore
    recent = RecentChanges(after: image.position)
    passForgotten()
  }

  /// Moves the clock on, so that the room takes the stamps that it gives.
  private mutating func passForgotten() {
    clockTime = max(clockTime, min(forgottenBefore, Stamp.millisecondsMax) << 16)
  }

  // MARK: Reading

  var cursor: Cursor { places.cursor(at: position) }
  /// The message with the digest, for a client with this vocabulary.
  func digest(for vocabulary: Vocabulary) -> ServerMessage {
    .digest(cursor: cursor, hash: canvas.digest(for: vocabulary))
  }

  /// The log position of a cursor. `nil` if the cursor is malformed or ahead of this room, or belongs to another room
  /// with this name or to records that were lost in a restore.
  func place(of cursor: Cursor) -> UInt64? {
    RoomCursor(cursor).flatMap { places.position(of: $0, upTo: position) }
  }

  /// The room as it is now, for a snapshot.
  func image() -> RoomImage {
    RoomImage(
      position: position,
      canvas: canvas,
      operationCount: operationCount,
      clockTime: clockTime,
      forgottenBefore: forgottenBefore,
      runs: places.runs
    )
  }

  /// The log position after which all changes have to be sent to a reader that has read up to `place`. `nil` if the
  /// reader needs the whole state, because deletions since then have been forgotten.
  func differenceStart(_ place: UInt64?) -> UInt64? {
    guard let place, place >= canvas.forgottenUpTo else { return nil }
    return place
  }

  /// The newest values of everything that was written after the log position `place`, in parts. If `place` is `nil`,
  /// the newest values of the whole room.
  func parts(since place: UInt64?, shapesMax: Int) -> [StatePart] {
    guard let place else { return canvas.statePartsLargestFirst(shapesMax: shapesMax) }
    guard let registers = recent.registers(since: place) else {
      return canvas.stateParts(since: place, shapesMax: shapesMax)
    }
    return canvas.stateParts(since: place, shapesMax: shapesMax) { registers[$0] ?? [] }
  }

  /// Whether few values were written after the log position `place`, so that they probably fit into one part. If
  /// `place` is `nil`, all values of the room count.
  func hasLittle(since place: UInt64?) -> Bool {
    guard let place else { return canvas.shapeCount <= Fold.fewEntries }
    return recent.hasAtMost(Fold.fewEntries, after: place)
  }

  private static let fewEntries = 256

  /// The newest values of what was written after a log position, as the operations that wrote them.
  /// - Returns: `nil` if gathering the values for one reader would take long, or if the room no longer knows which
  ///   registers were written.
  func newest(since place: UInt64) -> [Operation]? {
    guard place >= canvas.forgottenUpTo, recent.hasAtMost(Fold.newestEntriesMax, after: place),
      let registers = recent.registers(since: place)
    else { return nil }
    return canvas.operations(of: registers)
  }

  /// The upper bound on the registers that are gathered. Gathering this many takes less than a millisecond.
  private static let newestEntriesMax = 4_096

  // MARK: Changing

  /// The log has created the room with this epoch, which may differ from the one proposed before.
  mutating func begin(epoch: UInt64) {
    precondition(position == 0)
    places = RoomPlaces(epoch: epoch)
  }

  /// Applies a record of the log, unless a record before it is missing.
  /// - Parameter follow: is called for each change, with the canvas as it is after the change.
  mutating func take(
    _ record: borrowing RoomRecord,
    wantsLosses: Bool,
    _ follow: (_ change: Change, _ canvas: borrowing Canvas) -> Void
  ) throws(MissingRecord) -> Taking {
    guard try record.isNext(after: position) else { return .known }
    if let run = record.run { places.note(run: run, after: position) }
    position = record.position
    changedMilliseconds = record.milliseconds
    operationCount += UInt64(record.operations.count)
    if record.forgottenBefore > forgottenBefore {
      forgottenBefore = record.forgottenBefore
      forgettingBefore = max(forgettingBefore, forgottenBefore)
      passForgotten()
    }
    guard !canvas.hasForgotten(record.operations, before: forgottenBefore) else { return .leftOut }
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
    return .taken(losses)
  }

  /// The values of these operations that have lost to newer ones.
  func losses(of operations: [ProposedOperation]) -> [Superseded] {
    var losses: [Superseded] = []
    for (index, operation) in operations.enumerated() {
      for property in operation.set.assigned {
        guard let at = operation.at, let by = canvas.winner(of: property, in: operation.shape), by > at else {
          continue
        }
        losses.append(Superseded(operation: index, property: property, by: by))
      }
    }
    return losses
  }

  /// What `take` did with a record.
  enum Taking: Equatable {
    /// The record was applied before.
    case known
    case leftOut
    /// The record was applied. The values that lost to newer ones are listed only if the caller wants to know them.
    case taken([Superseded])
  }

  /// Gives stamps to the operations without one. These stamps are later than any other in the room or in the message.
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

  /// Reserves stamps for operations that are stamped on another thread.
  /// - Returns: a clock that gives these stamps. It must always be given the wall time of `now`.
  mutating func reserveStamps(_ count: Int, actor: Identifier, now: Moment) -> Clock {
    let clock = Clock(actor: actor, time: clockTime)
    guard count > 0 else { return clock }
    var last = clock
    let first = last.tick(milliseconds: now.wallMilliseconds).time
    let (time, isPastTheEnd) = first.addingReportingOverflow(UInt64(count - 1))
    clockTime = isPastTheEnd ? .max : time
    return clock
  }

  /// Forgets deletions that are so old that every edit that could conflict with them would be refused.
  mutating func forgetErasures(now: Moment, horizonMilliseconds: UInt64) {
    // A stamp may be as old as the horizon when it enters the room, and clocks of other nodes differ. So deletions are
    // kept for twice the horizon.
    let age = horizonMilliseconds.multipliedReportingOverflow(by: 2)
    guard !age.overflow, now.wallMilliseconds > age.partialValue else { return }
    forgettingBefore = max(forgettingBefore, now.wallMilliseconds - age.partialValue)
    forgetMore()
  }

  /// Frees the memory of some deletions that are to be forgotten. To be called now and then, because freeing all of it
  /// in one call could hold up others for long.
  mutating func forgetMore(atMost most: Int = Fold.forgottenAtOnce) {
    guard forgettingBefore > 0 else { return }
    let count = canvas.forgetErasures(before: forgettingBefore, atMost: most)
    // All deletions from before `forgettingBefore` have been dropped, so this time is reset. Otherwise deletions that
    // are made after a clock was set back would be dropped too.
    if count < most { forgettingBefore = 0 }
  }

  /// Whether an operation might conflict with a forgotten deletion, so that it must not be stored. Deletions that were
  /// forgotten for their age count too, because the clock might have been far ahead then. If the room still has a value
  /// or the deletion of the operation, it was accepted before.
  func mightConflict(_ properties: PropertyMask, in shape: Identifier, at stamp: Stamp) -> Bool {
    if canvas.hasForgotten(properties, in: shape, at: stamp, before: forgottenBefore) { return true }
    return stamp.time < canvas.forgottenBefore && !canvas.holdsAny(of: properties, in: shape, at: stamp)
  }

  /// The upper bound on the deletions that are dropped in one call. Dropping this many takes some milliseconds.
  private static let forgottenAtOnce = 50_000
}

extension Canvas {
  /// Whether any of these operations is from before `milliseconds` and not in the canvas. Such an operation might
  /// conflict with a deletion that was forgotten.
  func hasForgotten(_ operations: [Operation], before milliseconds: UInt64) -> Bool {
    guard milliseconds > 0 else { return false }
    return operations.contains { hasForgotten($0.set.assigned, in: $0.shape, at: $0.at, before: milliseconds) }
  }

  /// Whether this operation is older than `milliseconds`, and none of its values are in the canvas. Deletions in memory
  /// don't count: nodes keep them for different times, but must all decide alike.
  func hasForgotten(
    _ properties: PropertyMask,
    in shape: Identifier,
    at stamp: Stamp,
    before milliseconds: UInt64
  ) -> Bool {
    stamp.milliseconds < milliseconds && !holdsAny(of: properties.subtracting([.deleted]), in: shape, at: stamp)
  }
}
