import CanvasCRDT
import WebSocketLoop

/// All that requests over HTTP see of the server behind them. The routes are extensions of it, so they run on the actor that
/// has the rooms.
protocol RoomService: Actor {
  /// A room that is open. What is in it the service alone knows.
  associatedtype OpenedRoom: Sendable

  // MARK: The server

  nonisolated var loop: EventLoop { get }
  nonisolated var limits: Limits { get }
  /// Whose word is taken for where a request came from.
  nonisolated var proxies: Proxies { get }
  nonisolated var files: StaticFiles { get }
  /// What the routes remember of requests; nobody else touches it.
  var requestBook: RequestBook { get set }
  /// No more is taken in.
  var isStopping: Bool { get }
  /// Why changes can't be stored now, where that is so.
  var storageFault: String? { get }
  /// The metrics, as Prometheus reads them.
  func exposition() -> String
  /// What a token allows; nothing where it is not known.
  func grant(of token: String?) -> Grant?
  /// Counts an answer, and logs it where it is a refusal.
  func noteAnswer(_ status: Int, address: String, reason: String)

  // MARK: Rooms

  /// All rooms that anyone has written to and `grant` is for, by name.
  func list(of grant: Grant) async -> Result<[RoomListing], HistoryError>
  /// A room, opened if it was not, that stays open until it is given back.
  /// - Parameter mayCreate: whether one that nobody has written to is made.
  func take(_ name: String, mayCreate: Bool) async -> Opening<OpenedRoom>
  func giveBack(_ room: OpenedRoom)
  /// The room as it is now; nothing where it has been deleted.
  func view(of room: OpenedRoom) -> RoomView?
  /// Which shapes overlap now.
  func overlapIndex(of room: OpenedRoom) -> OverlapIndex
  /// A room as it was.
  func history(of room: OpenedRoom, at end: RoomHistory.End) async -> Result<RoomHistory, HistoryError>
  /// From when to when a room can be looked at.
  func span(of room: OpenedRoom) async -> RoomSpan?
  /// Operations without a connection: durable, or why not.
  func submit(_ operations: [ProposedOperation], to room: OpenedRoom) async -> Result<Cursor, Rejection>
  func delete(_ name: String) async -> Deletion
}

/// A room at one moment.
struct RoomView: Sendable {
  let name: Text
  let epoch: UInt64
  let position: UInt64
  let canvas: Canvas

  var cursor: Cursor { cursor(at: position) }
  func cursor(at position: UInt64) -> Cursor { RoomCursor(epoch: epoch, position: position).cursor }
}

/// How long a room has been written to, in Unix milliseconds.
struct RoomSpan: Sendable {
  let createdMilliseconds: UInt64
  let changedMilliseconds: UInt64
  let operations: UInt64
}

/// What came of opening a room.
enum Opening<Room: Sendable>: Sendable {
  case open(Room)
  /// Nobody has written to it.
  case absent
  /// As many are open as may be.
  case full
  case failed(String)
}

/// Why the log doesn't tell.
enum HistoryError: Error {
  case trimmed
  case unreadable(String)
}

/// What came of deleting a room.
enum Deletion: Sendable {
  case done
  case absent
  case failed(String)
}
