import CanvasCRDT
import RoomLog

/// A room that is open, with what the hub has to know about it beside.
///
/// `@unchecked Sendable`: as `Client`.
final class OpenRoom: @unchecked Sendable {
  let name: String
  var room: Room
  /// By the index of the member in the room.
  var clients: [Client?] = []
  /// Whether the log has the room: an append that comes later must not bring back one that was deleted.
  var isStored: Bool
  /// Whether the hub looks at it at the end of the turn.
  var isDirty = false
  /// Deleted, or closed for want of anyone: to be opened anew.
  var isGone = false
  /// Since when nobody has been here, on the monotonic clock.
  var idleSince: UInt64?
  /// Jobs that hold on to it across a wait.
  var holds = 0
  /// When the operations arrived that the next beat brings, in microseconds.
  var arrivals: [UInt64] = []
  /// The beats that are in the metrics, and what they had gathered.
  var beatsNoted: UInt64 = 0
  var beatOperationsNoted: UInt64 = 0

  var snapshotPosition: UInt64
  var snapshotOperations: UInt64
  var isSnapshotting = false

  init(name: String, room: Room, isStored: Bool, snapshotPosition: UInt64 = 0, snapshotOperations: UInt64 = 0) {
    self.name = name
    self.room = room
    self.isStored = isStored
    self.snapshotPosition = snapshotPosition
    self.snapshotOperations = snapshotOperations
  }

  func client(_ id: MemberID) -> Client? {
    guard clients.indices.contains(Int(id.index)), let client = clients[Int(id.index)] else { return nil }
    guard case .joined(_, id) = client.stage else { return nil }
    return client
  }

  func seat(_ client: Client, _ id: MemberID) {
    while clients.count <= Int(id.index) { clients.append(nil) }
    clients[Int(id.index)] = client
  }

  func unseat(_ id: MemberID) {
    guard client(id) != nil else { return }
    clients[Int(id.index)] = nil
  }
}
