import RoomLog

/// An open room's state in the log: whether the log has the room, and in which epoch.
///
/// What always holds: until the log has reported anything of the room, the room's epoch is a proposal. From then on it is the
/// log's, and no append may create the room: an append must not bring it back after it was deleted.
struct RoomInLog {
  private(set) var isStored: Bool
  /// Whether an append that may create the room has gone to the log.
  private var hasProposed = false

  init(isStored: Bool) { self.isStored = isStored }

  /// The epoch for the next append. Appends that may create the room propose one each: if another node deletes the room
  /// between two of them, the later one must not begin the same life anew.
  /// - Parameter new: an epoch that no append has proposed yet.
  mutating func epochToAppend(to room: borrowing Room, _ new: () -> UInt64) -> UInt64 {
    guard !isStored else { return room.epoch }
    defer { hasProposed = true }
    return hasProposed ? new() : room.epoch
  }

  /// The log has reported something of the room.
  /// - Parameter epoch: the life of the room that it belongs to.
  /// - Returns: false if that is another life than this room's.
  mutating func begin(_ room: inout Room, epoch: UInt64) -> Bool {
    if !isStored {
      isStored = true
      // Another node may have created the room at the same time, and its epoch is the one that counts.
      room.begin(epoch: epoch)
    }
    return room.epoch == epoch
  }

  /// Whether an append was refused because the log doesn't have this life of the room any more.
  static func isGone(by error: LogError) -> Bool {
    switch error {
    case .otherEpoch, .noSuchRoom: true
    default: false
    }
  }
}
