import CanvasCRDT
import WebSocketLoop

/// The server as HTTP requests see it. The routes are extensions of this protocol, so they run on the actor that has
/// the rooms. Requests and answers are values, so the routes know no socket.
protocol RoomService: HeavyWorker {
  /// A room that is open. Only the service knows what is in it.
  associatedtype OpenedRoom: Sendable
  associatedtype Randomness: RandomNumberGenerator & Sendable

  // MARK: The server

  nonisolated var limits: Limits { get }
  /// The proxies whose `X-Forwarded-For` is believed.
  nonisolated var proxies: Proxies { get }
  /// The names of the server, and the sites whose pages may use it.
  nonisolated var sites: Sites { get }
  nonisolated var files: StaticFiles { get }
  /// The book in which the routes count requests. Nothing else changes it.
  var requestBook: RequestBook { get set }
  /// Whether the server is stopping and accepts nothing more.
  var isStopping: Bool { get }
  /// Whether the log isn't open yet, so that there are no rooms.
  var awaitsLog: Bool { get }
  /// Why changes can't be stored now, or rooms can't be read. `nil` if all is well.
  var storageFault: String? { get }
  /// The metrics, as Prometheus reads them.
  func exposition() -> String
  /// The grant of a token.
  func access(by token: String?) throws(TokenRefusal) -> Grant
  /// The time by the server's clocks.
  var now: Moment { get }
  /// The keys by which the server makes and recognises actors.
  var keys: ActorKeys { get }
  /// Random numbers for a job of its own.
  func randomness() -> Randomness

  // MARK: Rooms

  /// All rooms that somebody has written to and that `grant` covers, by name.
  /// - Parameter party: the party in whose turn the list is gathered.
  func list(of grant: Grant, for party: String) async -> Result<RoomList, HistoryError>
  /// A room, opened if it was not open. It stays open until it is given back.
  /// - Parameter mayCreate: whether a room that nobody has written to may be made.
  func take(_ name: String, mayCreate: Bool) async -> Opening<OpenedRoom>
  func giveBack(_ room: OpenedRoom)
  /// Takes in everything that other nodes have shown to anyone by now.
  /// - Returns: the reason for a failure, or `nil`.
  func catchUp(_ room: OpenedRoom) async -> String?
  /// The room as it is now. `nil` if it has been deleted.
  func view(of room: OpenedRoom) -> RoomView?
  /// Which shapes overlap now. `nil` if the room has been deleted.
  func overlapIndex(of room: OpenedRoom) async -> SettledOverlaps?
  /// A room as it was.
  /// - Parameters:
  ///   - actor: an actor whose operations are left out, as far as records go back.
  ///   - party: the party in whose turn the work is done.
  func history(
    of room: OpenedRoom,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    for party: String
  ) async -> Result<RoomHistory, HistoryError>
  /// The time for which a room can be looked at.
  func span(of room: OpenedRoom) async -> RoomSpan?
  /// The room's steps in that time.
  /// - Parameter party: the party in whose turn the work is done.
  func steps(of room: OpenedRoom, for party: String) async -> Result<RoomSteps, HistoryError>
  /// Writes operations without a connection. Returns when they are durable, or with the reason why they can't be.
  /// - Parameter actor: the writer of operations without a stamp.
  func submit(
    _ operations: [ProposedOperation],
    to room: OpenedRoom,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal>
  /// Writes a layout in the same way.
  func submit(_ layout: LayoutEdits, to room: OpenedRoom, by writer: Writer) async -> Result<Cursor, WritingRefusal>
  func delete(_ name: String) async -> Deletion

  // MARK: What operators do

  /// The deletions that the room remembers. `nil` if the room has been deleted.
  func memory(of room: OpenedRoom) -> RoomMemory?
  /// Forgets deletions from before a time, in Unix milliseconds. Returns when that is durable, or with the reason why
  /// it can't be.
  func forgetErasures(
    of room: OpenedRoom,
    before milliseconds: UInt64,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal>

  /// Everyone who is in a room, at any node.
  func people(in room: String) -> [Person]
  func remove(_ actor: Identifier, from room: String, by request: Request) async -> Removal
  /// Whether only operators may write to a room.
  func isLocked(_ room: String) -> Bool
  func setLock(_ room: String, isLocked: Bool, by request: Request) async -> Result<Void, LockFault>
  /// Writes a line about an act to the audit log.
  func record(_ event: String, _ request: Request, room: String, actor: String?)
  /// Counts writing for the audit log.
  func recordWriting(_ event: String, _ request: Request, room: String, as actor: Identifier, operations: Int)
}

/// Why a room can't be locked or unlocked.
enum LockFault: Error {
  case unstored(StateFileFault)
  /// Too many of the client's requests are waiting.
  case refused(HeavyWork.Refusal)
}

/// A room at one moment.
struct RoomView: Sendable {
  let name: Text
  let places: RoomPlaces
  let position: UInt64
  let canvas: Canvas

  var cursor: Cursor { places.cursor(at: position) }
}

/// The deletions that a room remembers.
struct RoomMemory: Sendable {
  let erasures: Int
  /// Deletions from before this time are forgotten early, in Unix milliseconds. 0 if none are.
  let forgottenBefore: UInt64
}

/// Which shapes of a room overlap, at a place in its log.
struct SettledOverlaps: Sendable {
  let index: OverlapIndex
  let cursor: Cursor
}

/// The time during which a room was written to, in Unix milliseconds.
struct RoomSpan: Sendable {
  let createdMilliseconds: UInt64
  let changedMilliseconds: UInt64
  let operations: UInt64
}

/// The outcome of opening a room.
enum Opening<Room: Sendable>: Sendable {
  case open(Room)
  /// Nobody has written to it.
  case absent
  /// The limit of open rooms is reached.
  case full
  case failed(String)
}

/// Why the log can't give an answer.
enum HistoryError: Error {
  case trimmed
  case unreadable(String)
  /// The log has answered, but the client has too much work waiting.
  case refused(HeavyWork.Refusal)
}

/// The outcome of deleting a room.
enum Deletion: Sendable {
  case done
  case absent
  case failed(String)
}
