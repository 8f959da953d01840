import RoomLog
import WebSocketLoop

@testable import CanvasCRDT
@testable import SyncServer

/// Stands in for the room and the log when the server's HTTP routes run in the simulation.
///
/// The simulated world owns the room, and runs the routes' jobs between its own steps. The routes' requests to the log
/// wait here until the simulated disk answers.
actor SimulatedService: RoomService, LogQuestions {
  nonisolated let executor = HandTurnedExecutor()
  nonisolated let routes = Route<SimulatedService>.table
  nonisolated let limits: Limits
  nonisolated let proxies = Proxies("10.0.0.9")!
  nonisolated let files = StaticFiles(directory: "")
  nonisolated let sites = Sites()
  private let tokens = SimulatedService.tokens
  let keys = ActorKeys(secret: [UInt8](repeating: 7, count: ActorKeys.secretBytes))

  // The properties below are `nonisolated(unsafe)`, because the simulation reads and writes them only between jobs.
  nonisolated(unsafe) var room: Room?
  /// The number of the current room. It grows when the room is closed or deleted, and when the server ends.
  nonisolated(unsafe) var life = 0
  nonisolated(unsafe) var now = Moment(wallMilliseconds: 0, monotonicMilliseconds: 0)
  nonisolated(unsafe) var storageFault: String?
  let awaitsLog = false
  nonisolated(unsafe) var requestBook: RequestBook
  /// The routes' requests to the log, in order.
  nonisolated(unsafe) var questions:
    [(at: UInt64?, request: LogRequest, waiter: CheckedContinuation<LogEvent, Never>)] =
      []
  /// Jobs that wait until the room is open. `mayCreate` tells whether the job may create the room.
  nonisolated(unsafe) var openings: [(mayCreate: Bool, waiter: CheckedContinuation<Bool, Never>)] = []
  /// Jobs that wait for the list of overlapping shapes.
  nonisolated(unsafe) var settling = OwedAnswers<SettledOverlaps?>()
  /// Jobs that wait until their write is stored.
  nonisolated(unsafe) var storing = OwedAnswers<Result<Cursor, Rejection>>()
  nonisolated(unsafe) var answers: [(number: UInt64, response: Response)] = []
  /// How many jobs keep the room from being closed.
  nonisolated(unsafe) var holds = 0
  nonisolated(unsafe) var random: SeededGenerator
  private var lastNumber: UInt64 = 0

  init(limits: Limits, seed: UInt64) {
    self.limits = limits
    random = SeededGenerator(seed: seed)
    requestBook = RequestBook(limits: limits)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated func take(_ request: Request, body: [UInt8], number: UInt64) {
    Task(executorPreference: executor) { await self.answer(request, body, number) }
  }

  private func answer(_ request: Request, _ body: [UInt8], _ number: UInt64) async {
    answers.append((number, await response(to: request, body: body)))
  }

  // MARK: The server

  static let tokens = try! Tokens(
    """
    \(Token.viewer.rawValue) viewer demo
    \(Token.editor.rawValue) editor demo
    \(Token.operator.rawValue) operator *
    \(Token.stranger.rawValue) operator other-*
    """
  )

  enum Token: String, CaseIterable {
    case viewer = "token-of-a-viewer"
    case editor = "token-of-an-editor"
    case `operator` = "token-of-an-operator"
    /// A token that gives access to other rooms only.
    case stranger = "token-of-a-stranger"
  }

  var isStopping: Bool { false }
  func exposition() -> [UInt8] { [] }
  func access(by token: String?) throws(TokenRefusal) -> Grant {
    guard let token else { throw .missing }
    guard let grant = tokens.grant(of: token) else { throw .unknown }
    return grant
  }
  func randomness() -> SeededGenerator { SeededGenerator(seed: random.next()) }

  func ask(_ request: (_ id: UInt64) -> LogRequest) async -> LogEvent {
    lastNumber += 1
    let request = request(lastNumber)
    return await withCheckedContinuation { questions.append((nil, request, $0)) }
  }

  /// Queues the work behind all waiting jobs. A real server does such work on another thread.
  func workOut<Value: Sendable>(
    for party: String,
    _ work: @escaping @Sendable () -> Value
  ) async throws(HeavyWork.Refusal) -> Value {
    await Task.yield()
    return work()
  }

  func free(_ value: some Sendable, shapes: Int) {}

  nonisolated func withdraw(historyTurn number: UInt64) {
    Task(executorPreference: executor) { await self.giveUp(historyTurn: number) }
  }

  private func giveUp(historyTurn number: UInt64) { requestBook.historyTurns.giveUp(number) }

  /// Refuses all waiting jobs, because the room is gone. Another room may be opened later.
  nonisolated func roomIsGone() {
    settling.end()
    storing.end()
    settling = OwedAnswers()
    storing = OwedAnswers()
  }

  // MARK: Rooms

  func take(_ name: String, mayCreate: Bool, for party: String) async -> Opening<Int> {
    // The simulation has one room. A request for another room is refused as if too many rooms were open.
    guard name == Disk.roomName else { return mayCreate ? .full : .absent }
    while room == nil {
      guard await withCheckedContinuation({ openings.append((mayCreate, $0)) }) else { return .absent }
    }
    holds += 1
    return .open(life)
  }

  func giveBack(_ room: Int) { holds -= 1 }

  func catchUp(_ open: Int) async -> String? {
    let position = room?.position ?? 0
    let event = await ask { .follow(FollowRequest(id: $0, room: Disk.roomName, epoch: nil, after: position)) }
    if case .following = event { return nil }
    return event.words
  }

  func view(of open: Int) -> RoomView? {
    guard open == life, let room else { return nil }
    return RoomView(name: room.name, places: room.places, position: room.position, canvas: room.canvas)
  }

  func overlapIndex(of open: Int) async -> SettledOverlaps? {
    guard open == life else { return nil }
    lastNumber += 1
    let number = lastNumber
    return await withCheckedContinuation { asker in
      settling.owe(OwedAnswer(to: asker, otherwise: nil), number: number)
      room?.askOverlaps(request: number, now: now)
    }
  }

  func history(
    of open: Int,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    for party: String
  ) async -> Result<RoomHistory, HistoryError> {
    await history(of: Disk.roomName, at: end, leavingOut: actor, for: party, seed: random.next())
  }

  func span(of open: Int) async -> RoomSpan? { await span(of: Disk.roomName) }

  func steps(of open: Int, for party: String) async -> Result<RoomSteps, HistoryError> {
    await steps(of: Disk.roomName, for: party)
  }

  func submit(
    _ operations: [ProposedOperation],
    to open: Int,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal> {
    await submitting(to: open, by: writer) { room, number, now in
      room.submit(operations, request: number, actor: writer.actor, now: now)
    }
  }

  func submit(_ layout: LayoutEdits, to open: Int, by writer: Writer) async -> Result<Cursor, WritingRefusal> {
    await submitting(to: open, by: writer) { room, number, now in
      room.submit(layout, request: number, actor: writer.actor, now: now)
    }
  }

  private func submitting(
    to open: Int,
    by writer: Writer,
    _ submit: (inout Room, _ number: UInt64, Moment) -> Void
  ) async -> Result<Cursor, WritingRefusal> {
    if let refusal = refusal(of: writer, writingTo: Disk.roomName) { return .failure(.forbidden(refusal)) }
    lastNumber += 1
    let number = lastNumber
    let answer = await withCheckedContinuation { waiter in
      let owed = OwedAnswer(to: waiter, otherwise: Result<Cursor, Rejection>.failure(.roomIsGone))
      // The room that the job asks about has perhaps been closed since then. The job must not get an answer about
      // another room.
      guard open == life, room != nil else { return }
      storing.owe(owed, number: number)
      submit(&room!, number, now)
    }
    return answer.mapError { .rejected($0) }
  }

  func delete(_ name: String) async -> Deletion {
    if room?.isUnwritten ?? false { return .absent }
    switch await ask({ .delete(id: $0, room: name) }) {
    case .deleted: return .done
    case .failed(_, _, .noSuchRoom): return .absent
    case let event: return .failed(event.words)
    }
  }

  func list(of grant: Grant, for party: String) async -> Result<RoomList, HistoryError> {
    guard case .rooms(_, let stored) = await ask({ .list(id: $0) }) else { return .success(RoomList([])) }
    let open = room.map { [$0.listing] } ?? []
    return .success(RoomList.gather(stored, open: open, elsewhere: [:], grant, uncountedMax: 0).list)
  }

  // MARK: Operators (the histories have none)

  func memory(of open: Int) -> RoomMemory? {
    room.map { RoomMemory(erasures: $0.canvas.erasureCount, forgottenBefore: $0.forgottenBefore) }
  }

  func forgetErasures(
    of open: Int,
    before milliseconds: UInt64,
    by writer: Writer
  ) -> Result<Cursor, WritingRefusal> {
    .failure(.rejected(Rejection(code: .unavailable, message: "nobody asks for it")))
  }

  func people(in room: String) -> [Person] { [] }
  func remove(_ actor: Identifier, from room: String, by request: Request) -> Removal { .absent }
  func isLocked(_ room: String) -> Bool { false }
  func setLock(_ room: String, isLocked: Bool, by request: Request) -> Result<Void, LockFault> { .success(()) }
  func record(_ event: String, _ request: Request, room: String, actor: String?) {}
  func recordWriting(_ event: String, _ request: Request, room: String, as actor: Identifier, operations: Int) {}
}
