import RoomLog

/// What is known of an open room in the log: whether it exists there, and with which epoch.
///
/// What always holds: the room's epoch is a proposal until the log has reported anything about the room. From then on
/// the epoch is the log's, and no append may create the room. Otherwise a pending append could bring the room back
/// after it was deleted.
struct RoomInLog {
  private(set) var isStored: Bool
  /// Whether an append that may create the room has been sent to the log.
  private var hasProposed = false

  init(isStored: Bool) { self.isStored = isStored }

  /// The epoch for the next append. As long as the room isn't known to be stored, each append proposes a new epoch.
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
      // Another node may have created the room at the same time. Then that node's epoch counts, rather than the
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
