import RoomLog

/// An open room's state in the log: whether the log has the room, and in which epoch.
///
/// What always holds: until the log has reported anything of the room, the room's epoch is a proposal. From then on it is the
/// log's, and no append may create the room: an append must not bring it back after it was deleted.
struct RoomInLog {
  private(set) var isStored: Bool
  /// Whether the log has been sent an append that may create the room.
  private var hasProposed = false

  init(isStored: Bool) { self.isStored = isStored }

  /// The epoch for the next append. Each append that may create the room proposes an epoch of its own: if another node
  /// deletes the room between two such appends, the second must begin a new life of the room.
  /// - Parameter new: an epoch that no append has proposed yet.
  mutating func epochToAppend(to room: borrowing Room, _ new: () -> UInt64) -> UInt64 {
    guard !isStored else { return room.epoch }
    defer { hasProposed = true }
    return hasProposed ? new() : room.epoch
  }

  /// The log has reported something about the room.
  /// - Parameter epoch: the life of the room that it belongs to.
  /// - Returns: false if that is another life of the room than this one.
  mutating func begin(_ room: inout Room, epoch: UInt64) -> Bool {
    if !isStored {
      isStored = true
      // Another node may have created the room at the same time, and its epoch is the one that counts.
      room.begin(epoch: epoch)
    }
    return room.epoch == epoch
  }

  /// Whether an append was refused because the log no longer has this life of the room.
  static func isGone(by error: LogError) -> Bool {
    switch error {
    case .otherEpoch, .noSuchRoom: true
    default: false
    }
  }
}
