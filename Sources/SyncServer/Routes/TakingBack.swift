import CanvasCRDT

/// The edits that revert everything that an actor has written, made on other threads than the loop's.
///
/// `@unchecked Sendable`: only one job has this object, and it waits for each piece of work that uses the object.
final class TakingBack: @unchecked Sendable {
  /// How often the edits are made on another thread, in a room that changes each time.
  static let roundsMax = 4

  private var history: RoomHistory
  private var edits: [Identifier: Properties]?
  /// What keeps the ends of the lines that are tied to shapes that go.
  private var ends: [Identifier: Properties] = [:]
  /// The edits as operations. Shapes that stay come first, so that a line says where its ends are drawn before the shapes
  /// go to which it is tied. Shapes that come back are last, when the deletions have made room for them.
  private(set) var operations: [ProposedOperation] = []
  /// How many operations were taken, and the shapes that have changed between `position` and `seen`.
  private var taken = 0
  private var changed: Set<Identifier> = []
  private var seen: UInt64 = 0
  /// Whether something was left out because it has changed, or is changing. Only a newer `follow` finds what is right
  /// there.
  private(set) var hasLeftOut = false

  /// - Parameter history: the room's history without the actor's operations.
  init(_ history: RoomHistory) { self.history = history }

  /// The position of the room that the operations are for.
  var position: UInt64 { history.position }
  var shapeCount: Int { history.canvas.shapeCount }
  /// Whether the actor has written anything.
  var wasHere: Bool { !history.shapesOfLeftOut.isEmpty }

  /// Makes the operations for a room that may have changed since the history was read, or since the last call.
  func follow(_ room: RoomView) {
    _ = edit(room)
    ends = room.canvas.keptEnds(through: edits ?? [:])
    order(for: room)
  }

  /// As `follow`, but the cost grows only with the operations, and with what has changed. The ends of lines that have not
  /// changed stay where they were drawn at the last `follow`.
  func catchUp(with room: RoomView) {
    let before = edits ?? [:]
    let changed = edit(room)
    let leaving = changed.filter { before[$0]?.deleted == true }
    ends = ends.filter { line, _ in !changed.contains(line) && isTiedToLeaving(line, in: room) }
    for line in changed where isTiedToLeaving(line, in: room) {
      ends[line] = room.canvas[line].flatMap { room.canvas.ends(of: $0) }
    }
    order(for: room)
    // A shape that is only now to go stays until the next `follow`, which looks for the lines that are tied to it.
    self.changed = changed.filter { edits?[$0]?.deleted == true && !leaving.contains($0) }
  }

  /// Whether a line that stays is tied to a shape that goes, with what is taken back of the line.
  private func isTiedToLeaving(_ line: Identifier, in room: RoomView) -> Bool {
    guard var ties = room.canvas[line]?.properties, edits?[line]?.deleted != true else { return false }
    if let edit = edits?[line] { ties.take(edit.assigned, from: edit) }
    return [ties.from, ties.to].contains { $0.map { edits?[$0.shape]?.deleted == true } ?? false }
  }

  /// - Returns: the shapes that have changed.
  private func edit(_ room: RoomView) -> Set<Identifier> {
    let changed = history.follow(room.canvas, to: room.position)
    if edits == nil {
      edits = history.takingBack(from: room.canvas)
    } else {
      for shape in changed { edits?[shape] = nil }
      edits?.merge(history.takingBack(from: room.canvas, only: changed)) { $1 }
    }
    return changed
  }

  private func order(for room: RoomView) {
    operations = (edits ?? [:]).keeping(ends).map { shape, set in
      ProposedOperation(shape: shape, at: nil, set: set.takingOnlyFitNames())
    }
    let ranks = operations.map { $0.set.deleted ? 1 : room.canvas.contains($0.shape) ? 0 : 2 }
    operations = zip(ranks, operations).sorted { ($0.0, $0.1.shape) < ($1.0, $1.1.shape) }.map(\.1)
    (taken, self.changed, seen, hasLeftOut) = (0, [], room.position, false)
  }

  /// Takes the next operations for a room that may have changed since `follow`. The cost grows with their number, and
  /// with what has changed since the last call.
  /// - Parameter coming: the registers that others are writing just now. Their values are newer, so they stay.
  /// - Returns: at most `count` operations. `nil` if there are no more.
  func take(_ count: Int, for room: RoomView, sparing coming: [Identifier: PropertyMask]) -> [ProposedOperation]? {
    room.canvas.forEachOperation(since: seen) { changed.insert($0.shape) }
    seen = room.position
    while taken < operations.count {
      let next = operations[taken..<min(taken + count, operations.count)]
      taken += next.count
      let part = next.compactMap { changed.contains($0.shape) ? nil : $0.sparing(coming[$0.shape]) }
      if part != Array(next) { hasLeftOut = true }
      if !part.isEmpty { return part }
    }
    return nil
  }
}

extension ProposedOperation {
  /// The operation without the registers that are being written. `nil` if nothing is left of it, or if somebody is
  /// deleting the shape, or is making it again while this deletes it.
  fileprivate func sparing(_ coming: PropertyMask?) -> ProposedOperation? {
    guard let coming else { return self }
    guard !coming.contains(.deleted) else { return nil }
    // What else others write to a shape doesn't keep it: without the operation that made it, it is no shape.
    if set.deleted { return coming.contains(.kind) ? nil : self }
    let kept = set.keeping(set.assigned.subtracting(coming))
    return kept.assigned.isEmpty ? nil : ProposedOperation(shape: shape, at: at, set: kept)
  }
}

extension Properties {
  /// These values, without the name if the name is not allowed any more. Rooms still have names that are older than the
  /// rule about names.
  fileprivate func takingOnlyFitNames() -> Properties {
    guard assigned.contains(.name), !PropertyRules.takesName(name) else { return self }
    return keeping(assigned.subtracting([.name]))
  }
}
