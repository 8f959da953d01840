import CanvasCRDT

/// The edits that revert everything that an actor has written, made on other threads than the loop's.
///
/// `@unchecked Sendable`: only one job has this object, and it waits for each piece of work that uses the object.
final class TakingBack: @unchecked Sendable {
  /// How often the edits are made on another thread, in a room that changes each time.
  static let roundsMax = 4

  private var history: RoomHistory
  private var edits: [Identifier: Properties]?
  /// The edits as operations, in the order of their shapes.
  private(set) var operations: [ProposedOperation] = []

  /// - Parameter history: the room's history without the actor's operations.
  init(_ history: RoomHistory) { self.history = history }

  /// The position of the room that the operations are for.
  var position: UInt64 { history.position }
  var shapeCount: Int { history.canvas.shapeCount }
  /// Whether the actor has written anything.
  var wasHere: Bool { !history.shapesOfLeftOut.isEmpty }

  /// Makes the operations for a room that may have changed since the history was read, or since the last call.
  func follow(_ room: RoomView) {
    let changed = history.follow(room.canvas, to: room.position)
    if edits == nil {
      edits = history.takingBack(from: room.canvas)
    } else {
      for shape in changed { edits?[shape] = nil }
      edits?.merge(history.takingBack(from: room.canvas, only: changed)) { $1 }
    }
    operations = room.canvas.keepingEnds(edits ?? [:]).sorted { $0.key < $1.key }.map { shape, set in
      ProposedOperation(shape: shape, at: nil, set: set.takingOnlyFitNames())
    }
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
