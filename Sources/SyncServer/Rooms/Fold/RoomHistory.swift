import CanvasCRDT

/// A room as it was at some time, made by applying the records of its log up to then.
struct RoomHistory: Sendable {
  enum End: Hashable, Sendable {
    case position(UInt64)
    /// Ends at a time in Unix milliseconds, before the open room's newest record. The log can have records that this
    /// node hasn't received, and for which it has no cursors, but those are from later times.
    case time(UInt64)
  }

  let end: End
  private(set) var canvas: Canvas
  private(set) var position: UInt64 = 0
  private(set) var runs: RoomRuns
  /// Deletions from before this time, in Unix milliseconds, were forgotten sooner than usual. 0 if none were.
  private var forgottenBefore: UInt64
  /// The actor whose operations are left out. `shapesOfLeftOut` are the shapes that this actor made.
  let leftOut: Identifier?
  private(set) var shapesOfLeftOut: Set<Identifier> = []

  /// - Parameter image: a snapshot from before the end. Without one, the log is read from its beginning.
  init(end: End, image: RoomImage?, leavingOut actor: Identifier? = nil, seed: UInt64) {
    self.end = end
    leftOut = actor
    if let actor, let image {
      canvas = image.canvas.withoutShapes(of: actor, seed: seed)
      for shape in image.canvas.shapes where !canvas.contains(shape.id) { shapesOfLeftOut.insert(shape.id) }
    } else {
      canvas = image?.canvas ?? Canvas(seed: seed)
    }
    position = image?.position ?? 0
    runs = image?.runs ?? RoomRuns()
    forgottenBefore = image?.forgottenBefore ?? 0
  }

  /// Applies the next record.
  /// - Returns: false if the record is past the end. Then all later records are past the end too.
  mutating func fold(_ record: borrowing RoomRecord) throws(MissingRecord) -> Bool {
    switch end {
    case .position(let last): guard record.position <= last else { return false }
    case .time(let last): guard record.milliseconds <= last else { return false }
    }
    guard try record.isNext(after: position) else { return true }
    if let run = record.run { runs.note(run, after: position) }
    position = record.position
    forgottenBefore = max(forgottenBefore, record.forgottenBefore)
    // This canvas doesn't have the shapes that the left-out actor made. So other people's operations on those shapes
    // are left out too.
    let known = shapesOfLeftOut.isEmpty ? record.operations : record.operations.filter { !isLeftOut($0) }
    guard !canvas.hasForgotten(known, before: forgottenBefore) else { return true }
    for operation in record.operations { take(operation) }
    return true
  }

  private func isLeftOut(_ operation: borrowing Operation) -> Bool {
    operation.at.actor == leftOut || shapesOfLeftOut.contains(operation.shape)
  }

  private mutating func take(_ operation: borrowing Operation) {
    if operation.at.actor == leftOut {
      shapesOfLeftOut.insert(operation.shape)
    } else {
      canvas.apply(operation, place: position)
    }
  }

  /// Applies what has changed in the open room since this history was made.
  /// - Returns: the shapes that changed.
  mutating func follow(_ room: borrowing Canvas, to position: UInt64) -> Set<Identifier> {
    var shapes: Set<Identifier> = []
    room.forEachOperation(since: self.position) { operation in
      shapes.insert(operation.shape)
      take(operation)
    }
    self.position = position
    return shapes
  }

  /// The edits that revert everything that the left-out actor wrote.
  func takingBack(from room: Canvas, only shapes: Set<Identifier>? = nil) -> [Identifier: Properties] {
    guard let leftOut else { return [:] }
    var edits: [Identifier: Properties] = [:]
    for shape in shapes?.intersection(shapesOfLeftOut) ?? shapesOfLeftOut {
      edits[shape] = room.takingBack(leftOut, from: shape, asOn: canvas)
    }
    return edits
  }
}

extension Canvas {
  /// What keeps the ends of lines where they are drawn if edits delete shapes to which the lines are tied (S14).
  func keptEnds(through edits: [Identifier: Properties]) -> [Identifier: Properties] {
    let operations = edits.map { Operation(shape: $0.key, at: .last, set: $0.value) }
    return Dictionary(uniqueKeysWithValues: ends(ofLinesThrough: operations).map { ($0.shape, $0.set) })
  }
}

extension [Identifier: Properties] {
  /// These edits, with what keeps the ends of lines. The other values in edits of these lines stay.
  func keeping(_ ends: Self) -> Self {
    merging(ends) { edit, ends in
      var edit = edit
      edit.take(ends.assigned, from: ends)
      return edit
    }
  }
}

extension Stamp {
  /// The greatest possible stamp.
  fileprivate static var last: Stamp { Stamp(time: .max, actor: Identifier("zzz-zzz-zzz")!) }
}
