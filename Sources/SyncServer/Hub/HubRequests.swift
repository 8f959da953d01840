import CanvasCRDT
import RoomLog
import WebSocketLoop

// HTTP requests to rooms. Each runs as a task that may wait for the log.

extension Hub: RoomService {
  nonisolated var limits: Limits { configuration.limits }
  nonisolated var proxies: Proxies { configuration.proxies }
  nonisolated var sites: Sites { configuration.sites }
  var isStopping: Bool { lifetime.isStopping }
  var sharesRooms: Bool { cluster != nil }
  var awaitsLog: Bool { !log.isOpen }
  var storageFault: String? {
    if awaitsLog { return log.openingFault.map { "waiting for the database: \($0)" } ?? "the rooms are being opened" }
    return (log.fault ?? log.readingFault).map { "\($0)" }
      ?? (accounts.storage.isLow ? "the disk is nearly full: only deletions are stored" : nil) ?? silence
  }

  /// What is said of a log that has not answered for long: its disk hangs, or its standbys stand still.
  private var silence: String? {
    guard let arrivedAt = log.oldestArrival else { return nil }
    let seconds = (clocks.steadyMicroseconds() - min(arrivedAt, clocks.steadyMicroseconds())) / 1_000_000
    return seconds >= Hub.silentSecondsMax ? "edits have waited for \(seconds) s to be stored" : nil
  }

  /// If an edit has waited this long to be stored, the server says that it isn't ready.
  private static let silentSecondsMax: UInt64 = 10

  func access(by token: String?) throws(TokenRefusal) -> Grant {
    try credentials.access(by: token, at: now.wallMilliseconds)
  }

  nonisolated var now: Moment { clocks.now }
  func randomness() -> RandomNumbers { generator }

  func workOut<Value: Sendable>(
    for party: String,
    _ work: @escaping @Sendable () -> Value
  ) async throws(HeavyWork.Refusal) -> Value {
    try await heavyWork.run(for: party, work)
  }

  func free(_ value: some Sendable, shapes: Int) {
    guard shapes >= HeavyWork.shapesWorthAThread else { return }
    let value = Handover(value)
    job { await free(value) }
  }

  nonisolated func withdraw(turn number: UInt64, of turns: RequestBook.Turns) {
    job { await self.giveUp(turn: number, of: turns) }
  }

  private func giveUp(turn number: UInt64, of turns: RequestBook.Turns) { requestBook[keyPath: turns].giveUp(number) }

  func begin(_ exchange: any ServerRequest) {
    let answering = job { await answer(exchange) }
    exchange.whenGone { answering.cancel() }
  }

  private func answer(_ exchange: any ServerRequest) async {
    let response = await response(to: exchange.request, body: exchange.body)
    guard exchange.answer(response) else { return }
    noteAnswer(response, to: exchange.request)
  }

  /// Counts an answer, and logs it if it is a refusal.
  func noteAnswer(_ response: Response, to request: Request) {
    noteAnswer(
      response.status,
      Refusal(
        code: "http_\(response.status)",
        address: address(of: request),
        reason: response.reason ?? "",
        request: "\(request.method) \(request.path)",
        room: request.room,
        token: response.status == 401 ? nil : grant(of: request.token)?.label
      )
    )
  }

  /// Counts an answer. The statuses 404 and 405 don't count as refusals.
  func noteAnswer(_ status: Int, _ refusal: @autoclosure () -> Refusal) {
    counts.noteRequest(status: status)
    guard status >= 400, status != 404, status != 405 else { return }
    noteRefusal(refusal())
  }

  func noteRefusal(_ refusal: Refusal) {
    counts.noteRefusal(refusal.code)
    journal.write(refusal)
  }

  // MARK: One room

  func take(_ name: String, mayCreate: Bool, for party: String) async -> Opening<OpenRoom> {
    let opening = await opened(name, mayCreate: mayCreate, for: party)
    if case .open(let open) = opening { open.hold() }
    return opening
  }

  func giveBack(_ open: OpenRoom) { open.letLoose() }

  func view(of open: OpenRoom) -> RoomView? {
    guard !open.isGone else { return nil }
    let room = open.room
    return RoomView(name: room.name, places: room.places, position: room.position, canvas: room.canvas)
  }

  func changedMilliseconds(of open: OpenRoom) -> UInt64 { open.room.fold.changedMilliseconds }

  func submit(
    _ operations: [ProposedOperation],
    to open: OpenRoom,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal> {
    await submitting(to: open, by: writer) { room, number, allowance in
      room.submit(operations, request: number, actor: writer.actor, allowance: allowance, now: now)
    }
  }

  func submit(_ layout: LayoutEdits, to open: OpenRoom, by writer: Writer) async -> Result<Cursor, WritingRefusal> {
    await submitting(to: open, by: writer) { room, number, allowance in
      room.submit(layout, request: number, actor: writer.actor, allowance: allowance, now: now)
    }
  }

  private func submitting(
    to open: OpenRoom,
    by writer: Writer,
    _ submit: (inout Room, _ number: UInt64, Allowance) -> Void
  ) async -> Result<Cursor, WritingRefusal> {
    func ask() async -> Result<Cursor, WritingRefusal> {
      await asking(open, for: writer) { room, number in
        submit(&room, number, allowance(of: writer.payer, in: open, now: now))
      }
    }
    let answer = await ask()
    // The room might seem full only because this node lacks what another node has stored, for instance a deletion. So
    // the request is tried once more with the newest state.
    guard sharesRooms, case .failure(.rejected(let rejection)) = answer, rejection.code == .roomFull,
      await catchUp(open) == nil
    else { return answer }
    return await ask()
  }

  /// Asks a room to store something, and waits until it is stored. All writes over HTTP go this way. The writer's right
  /// is checked again, because the request might have waited before.
  func asking(
    _ open: OpenRoom,
    for writer: Writer,
    _ ask: (inout Room, _ number: UInt64) -> Void
  ) async -> Result<Cursor, WritingRefusal> {
    if let refusal = refusal(of: writer, writingTo: open.name) { return .failure(.forbidden(refusal)) }
    let number = log.nextNumber()
    open.writers[number] = writer
    defer { open.writers[number] = nil }
    let answer = await withCheckedContinuation { waiter in
      open.storing.owe(OwedAnswer(to: waiter, otherwise: .failure(.roomIsGone)), number: number)
      changeAtOnce(open) { ask(&$0, number) }
    }
    return answer.mapError { rejection in
      // If the writer has lost the right to write meanwhile, the answer says why.
      if [.readOnly, .unavailable].contains(rejection.code), let refusal = refusal(of: writer, writingTo: open.name) {
        return .forbidden(refusal)
      }
      return .rejected(rejection)
    }
  }

  func delete(_ name: String) async -> Deletion {
    // Without other nodes, a room that isn't stored doesn't exist. With other nodes, one of them might just have
    // created it.
    if !sharesRooms, let open = rooms[name], !open.isStored, open.room.isUnwritten { return .absent }
    do throws(LogError) {
      try await ask(.delete(name))
      return .done
    } catch .noSuchRoom {
      return .absent
    } catch {
      return .failed("\(error)")
    }
  }

  /// The rooms that `grant` covers, sorted by name. Rooms without any record are left out.
  ///
  /// After a crash, a closed room's newest snapshot can be missing or old. Then the room has to be opened to count its
  /// shapes. Each call opens only a few such rooms, so that it never takes long.
  func list(of grant: Grant, for party: String) async throws(HistoryError) -> RoomList {
    let stored = Handover(try await read(.rooms))
    let open = await listings()
    let elsewhere = cluster?.neighbours.counts ?? [:]
    var (list, uncounted) = try await workOutPast(for: party) {
      RoomList.gather(
        stored.take() ?? [],
        open: open,
        elsewhere: elsewhere,
        grant,
        uncountedMax: Hub.openingsForListMax
      )
    }
    let patientUntil = clocks.steadyMicroseconds() + Hub.openingsForListMicroseconds
    for room in uncounted where clocks.steadyMicroseconds() < patientUntil {
      switch await opened(room.name, mayCreate: false, for: party) {
      case .open(let open): list.correct(room, .counted(listing(of: open)))
      case .failed(let words): list.correct(room, .faulty(Text(words)))
      case .absent: list.correct(room, .deleted)
      case .full: break
      }
    }
    return list
  }

  private func listings() async -> [RoomListing] {
    var listings: [RoomListing] = []
    for (index, open) in rooms.all.enumerated() {
      // A long list is made in several iterations of the event loop.
      if index % Hub.listedInATurn == Hub.listedInATurn - 1 { await letOthersGoFirst() }
      if !open.isGone { listings.append(listing(of: open)) }
    }
    return listings
  }

  private static let listedInATurn = 128
  private static let openingsForListMax = 64
  private static let openingsForListMicroseconds: UInt64 = 500_000
}
