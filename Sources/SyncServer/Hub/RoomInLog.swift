import RoomLog

/// What the log has of an open room: whether it has the room, and in which epoch.
///
/// What always holds: until the log has reported anything of the room, the room's epoch is a proposal. From then on the
/// epoch is the log's, and no append may create the room. Otherwise an append that was under way could bring the room
/// back after it was deleted.
struct RoomInLog {
  private(set) var isStored: Bool
  /// Whether the log has been sent an append that may create the room.
  private var hasProposed = false

  init(isStored: Bool) { self.isStored = isStored }

  /// The epoch for the next append. Each append that may create the room proposes an epoch of its own. If another node
  /// deletes the room between two such appends, the second has to create a new room, with another epoch.
  /// - Parameter new: makes an epoch that no append has proposed yet.
  mutating func epochToAppend(to room: borrowing Room, _ new: () -> UInt64) -> UInt64 {
    guard !isStored else { return room.epoch }
    defer { hasProposed = true }
    return hasProposed ? new() : room.epoch
  }

  /// The log has reported something about the room.
  /// - Parameter epoch: the epoch of the room that the report is about.
  /// - Returns: false if the report is about an earlier or later room of the same name.
  mutating func begin(_ room: inout Room, epoch: UInt64) -> Bool {
    if !isStored {
      isStored = true
      // Another node may have created the room at the same time. Then the epoch of that node's room counts, not the
      // proposal.
      room.begin(epoch: epoch)
    }
    return room.epoch == epoch
  }

  /// Whether an append was refused because the log has no room with this epoch any more.
  static func isGone(by error: LogError) -> Bool {
    switch error {
    case .otherEpoch, .noSuchRoom: true
    default: false
    }
  }
}
