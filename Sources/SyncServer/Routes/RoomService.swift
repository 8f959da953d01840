import CanvasCRDT
import WebSocketLoop

/// What HTTP requests can ask of the server. The routes are extensions of this protocol, so they run on the actor that
/// owns the rooms. Requests and answers are values, so the routes don't depend on sockets.
protocol RoomService: HeavyWorker {
  /// An open room. Only the service knows its content.
  associatedtype OpenedRoom: Sendable
  associatedtype Randomness: RandomNumberGenerator & Sendable

  // MARK: The server

  /// All routes: `Route.table`, made once.
  nonisolated var routes: [Route<Self>] { get }
  nonisolated var limits: Limits { get }
  /// The proxies whose `X-Forwarded-For` header is believed.
  nonisolated var proxies: Proxies { get }
  /// The names of the server, and the sites whose pages may use it.
  nonisolated var sites: Sites { get }
  nonisolated var files: StaticFiles { get }
  /// The counts of requests, which only the routes change.
  var requestBook: RequestBook { get set }
  /// Ends a job's wait for a turn, because its client has left. May be called on any thread.
  nonisolated func withdraw(turn number: UInt64, of turns: RequestBook.Turns)
  /// Whether the server is stopping and accepts nothing more.
  var isStopping: Bool { get }
  /// Whether the log isn't open yet, so that no room can be opened.
  var awaitsLog: Bool { get }
  /// Why changes can't be stored now, or rooms can't be read. `nil` if all is well.
  var storageFault: String? { get }
  /// The metrics, as Prometheus reads them.
  func exposition() -> [UInt8]
  func access(by token: String?) throws(TokenRefusal) -> Grant
  var now: Moment { get }
  /// The keys by which clients prove which actor they are.
  var keys: ActorKeys { get }
  /// A generator of random numbers for one job.
  func randomness() -> Randomness

  // MARK: Rooms

  /// All rooms that somebody has written to and that `grant` covers, by name.
  /// - Parameter party: the client's address. Work for different addresses is done round-robin.
  func list(of grant: Grant, for party: String) async throws(HistoryError) -> RoomList
  /// The room, opened if it was closed. It stays open until it is given back.
  /// - Parameters:
  ///   - mayCreate: whether to create the room if nobody has written to it.
  ///   - party: the client's address. Work for different addresses is done round-robin.
  func take(_ name: String, mayCreate: Bool, for party: String) async -> Opening<OpenedRoom>
  func giveBack(_ room: OpenedRoom)
  /// Waits until the room has applied everything that other nodes have stored by now.
  /// - Returns: the reason for a failure, or `nil`.
  func catchUp(_ room: OpenedRoom) async -> String?
  /// The room as it is now. `nil` if it has been deleted.
  func view(of room: OpenedRoom) -> RoomView?
  /// When the log stored the newest record that the room has applied, in Unix milliseconds.
  func changedMilliseconds(of room: OpenedRoom) -> UInt64
  /// Which shapes overlap now. `nil` if the room has been deleted.
  /// - Parameter party: the client's address. Work for different addresses is done round-robin.
  func overlapIndex(of room: OpenedRoom, for party: String) async -> SettledOverlaps?
  /// The room's state at an earlier time.
  /// - Parameters:
  ///   - actor: an actor whose operations are left out. Operations older than the oldest kept record can't be left out.
  ///   - party: the client's address. Work for different addresses is done round-robin.
  func history(
    of room: OpenedRoom,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    for party: String
  ) async throws(HistoryError) -> RoomHistory
  /// The period for which a room's history can be read.
  func span(of room: OpenedRoom) async throws(HistoryError) -> RoomSpan
  /// The room's history as steps.
  /// - Parameter party: the client's address. Work for different addresses is done round-robin.
  func steps(of room: OpenedRoom, for party: String) async throws(HistoryError) -> RoomSteps
  /// What is being stored in the room: the registers of each shape. The room's canvas doesn't have these values yet.
  func registersBeingStored(in room: OpenedRoom) -> [Identifier: PropertyMask]
  /// Waits until everything that is being stored in the room now has been applied or refused.
  func settle(_ room: OpenedRoom) async
  /// Writes operations that came by HTTP. Returns when they are durable or refused.
  /// - Parameter actor: counts as the writer of operations that have no stamp.
  func submit(
    _ operations: [ProposedOperation],
    to room: OpenedRoom,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal>
  /// Writes the shapes (layout) of an HTTP request. Returns when they are durable or refused.
  func submit(_ layout: LayoutEdits, to room: OpenedRoom, by writer: Writer) async -> Result<Cursor, WritingRefusal>
  func delete(_ name: String) async -> Deletion

  // MARK: What operators do

  /// The deletions that the room remembers. `nil` if the room has been deleted.
  func memory(of room: OpenedRoom) -> RoomMemory?
  /// Forgets deletions from before a time, in Unix milliseconds. Returns when that is durable or refused.
  func forgetErasures(
    of room: OpenedRoom,
    before milliseconds: UInt64,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal>

  /// Whether other nodes have the same rooms.
  var sharesRooms: Bool { get }
  /// Everyone who is in a room, at any node.
  func people(in room: String) -> [Person]
  func remove(_ actor: Identifier, from room: String, by request: Request) async -> Removal
  /// Whether only operators may write to a room.
  func isLocked(_ room: String) -> Bool
  func setLock(_ room: String, isLocked: Bool, by request: Request) async -> Result<Void, LockFault>
  /// Writes a line to the audit log about what an operator did.
  func record(_ event: String, _ request: Request, room: String, actor: String?)
  /// Counts a write over HTTP for the audit log.
  func recordWriting(_ event: String, _ request: Request, room: String, as actor: Identifier, operations: Int)
}

/// Why a room can't be locked or unlocked.
enum LockFault: Error {
  case noSuchRoom
  case unstored(StateFileFault)
  /// Too many requests of the client are waiting.
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
  /// Deletions from before this time, in Unix milliseconds, were forgotten sooner than usual. 0 if none were.
  let forgottenBefore: UInt64
}

/// Which shapes of a room overlap, at a log position.
struct SettledOverlaps: Sendable {
  let index: OverlapIndex
  let cursor: Cursor
}

/// The period for which a room's history can be read, in Unix milliseconds.
struct RoomSpan: Sendable {
  /// When the room was made, or the oldest time that is kept.
  let fromMilliseconds: UInt64
  let toMilliseconds: UInt64
  /// How many operations were written in that period.
  let operations: UInt64
}

/// The outcome of opening a room.
enum Opening<Room: Sendable>: Sendable {
  case open(Room)
  /// Nobody has written to the room.
  case absent
  /// The limit of open rooms is reached.
  case full
  case failed(String)
}

/// Why history can't be read.
enum HistoryError: Error {
  case trimmed
  /// The room was deleted meanwhile, and another made of its name.
  case roomIsGone
  case unreadable(String)
  /// The log has answered, but this client already has too many waiting jobs.
  case refused(HeavyWork.Refusal)
}

/// The outcome of deleting a room.
enum Deletion: Sendable {
  case done
  case absent
  case failed(String)
}
