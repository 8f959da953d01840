import Glibc

@testable import RoomLog

/// Simulates in one thread: a log on a `LyingDisk`, the log's owner, and other programs that use the log's files.
final class DiskHistory {
  enum Step: Hashable {
    case append(room: String, count: UInt32, bytes: Int)
    /// Submits three requests at once: two appends that together exceed the limit of the queue, and a request to stop
    /// following the room.
    case burst(room: String)
    case snapshot(room: String)
    case damageSnapshot(room: String)
    case damageRecord(room: String)
    case repair(room: String)
    case trim(room: String)
    case retain
    case delete(room: String)
    case look(room: String)
    /// Another program begins or ends reading the database.
    case beginReading, endReading
    /// Another program does what `log backup` or `log verify` does, while the log keeps running.
    case backUp, verify
    /// The disk stops failing.
    case heal
    /// The log runs one iteration of its writer, which can do background work.
    case turn
    case reopen
    /// The process is killed, and the log is opened again.
    case kill
  }

  let directory: String
  let disk: LyingDisk
  var ledger: DiskLedger
  private(set) var halves: LogHalves?
  private let told = Told()
  var guest: (database: Database, reading: Statement)?
  /// How many backups were made, and how many rooms were repaired.
  var backUps = 0
  var repairs = 0
  private var lastLife: UInt32
  private var lastId: UInt64 = 1_000
  private var milliseconds: UInt64 = 10_000

  /// `@unchecked Sendable`: only one thread uses it.
  private final class Told: @unchecked Sendable {
    var events: [LogEvent] = []
  }

  var database: String { directory + "/canvas.db" }
  var copy: String { directory + "/copy.db" }

  /// - Parameter lives: the highest `life` of a room in earlier histories on this disk.
  init(directory: String, disk: LyingDisk, ledger: DiskLedger = DiskLedger(), lives: UInt32 = 0) {
    self.directory = directory
    self.disk = disk
    self.ledger = ledger
    lastLife = lives
  }

  func end() {
    disk.isDead = true
    guest = nil
    halves = nil
    disk.remove()
  }

  var options: SQLiteOptions {
    var options = SQLiteOptions()
    options.fileSystem = disk.name
    options.files = disk.look
    options.probeMilliseconds = 0
    options.lockedMillisecondsMax = 5
    options.checkpointPages = 24
    options.queueBytesMax = 4_096
    options.clearingMicrosecondsMax = 0
    options.retention = Retention(ageMillisecondsMax: 400)
    options.random = { [unowned disk] in disk.random.next() }
    return options
  }

  var lives: UInt32 { lastLife }

  // MARK: Opening and ending

  private func open() throws(StorageFault) {
    halves = try LogHalves(directory: directory, options: options) { [told] in told.events += $0 }
    told.events = []
  }

  /// Opens the log and checks what it has. An error is allowed only if the disk failed.
  private func openIfPossible() throws {
    do { try open() } catch {
      guard !disk.faults.isEmpty else { throw DiskLedger.Failure("it doesn't start: \(error)") }
      return
    }
    do { try check() } catch is Unreadable { kill() }
  }

  private struct Unreadable: Error {
    var answer: LogEvent
  }

  func close() throws {
    guard let halves else { return }
    halves.writing.close()
    halves.reading.close()
    var turns = 0
    while halves.writer.turn() {
      turns += 1
      guard turns < DiskHistory.turnsMax else { throw DiskLedger.Failure("it doesn't end") }
    }
    halves.reader.run()
    halves.letGo()
    self.halves = nil
    try hear()
  }

  private func kill() {
    disk.isDead = true
    halves?.writer.letGo()
    halves = nil
    disk.isDead = false
  }

  // MARK: Steps

  func perform(_ step: Step) throws {
    milliseconds += 100
    guard halves != nil else {
      if case .endReading = step { guest = nil }
      if case .heal = step { disk.faults = [] }
      return try openIfPossible()
    }
    switch step {
    case .append(let room, let count, let bytes): _ = try append(room, count, bytes)
    case .burst(let room): try burst(room)
    case .snapshot(let room): try snapshot(room)
    case .trim(let room):
      guard let known = ledger.rooms[room] else { return }
      _ = try ask { .trim(TrimRequest(id: $0, room: room, epoch: UInt64(known.life), through: known.last)) }
    case .damageSnapshot(let room): damageSnapshot(of: room)
    case .damageRecord(let room): damageRecord(of: room)
    case .repair(let room): try repair(room)
    case .retain: _ = try ask { .retain(id: $0, milliseconds: milliseconds) }
    case .delete(let room): try delete(room)
    case .look(let room): _ = read(.load(LoadRequest(id: 0, room: room)))
    case .beginReading: beginReading()
    case .endReading: guest = nil
    case .backUp: try backUp()
    case .verify: try verify()
    case .heal: disk.faults = []
    case .turn: try turn()
    case .reopen:
      try close()
      try openIfPossible()
    case .kill:
      kill()
      try openIfPossible()
    }
  }

  private static func isUnavailable(_ error: LogError) -> Bool { if case .unavailable = error { true } else { false } }

  func append(_ name: String, _ count: UInt32, _ bytes: Int) throws -> LogEvent? {
    let isNew = ledger.rooms[name] == nil
    if isNew { lastLife += 1 }
    let life = ledger.rooms[name]?.life ?? lastLife
    let answer = try ask(appending(to: name, life, mayCreate: isNew, number: lastId + 1, count, bytes))
    settle(answer, number: lastId, in: name)
    return answer
  }

  private func burst(_ name: String) throws {
    guard let life = ledger.rooms[name]?.life else { return }
    let first = lastId + 1
    let appends = [first, first + 1].map { appending(to: name, life, mayCreate: false, number: $0, 1, 3_000) }
    let answers = try askAll(appends + [{ .unfollow(id: $0, room: name) }])
    for number in [first, first + 1] { settle(answers[number], number: number, in: name) }
  }

  /// - Parameter number: identifies both the request and the append.
  private func appending(
    to name: String,
    _ life: UInt32,
    mayCreate: Bool,
    number: UInt64,
    _ count: UInt32,
    _ bytes: Int
  ) -> (UInt64) -> LogRequest {
    let append = UInt32(number)
    let records = (0..<count).map { DiskLedger.record(life: life, append: append, index: $0, of: count, bytes: bytes) }
    ledger.submit(append, records, to: name, life: life)
    return { [milliseconds] id in
      .append(
        AppendRequest(
          id: id,
          room: name,
          epoch: UInt64(life),
          mayCreate: mayCreate,
          milliseconds: milliseconds,
          records: records.map { NewRecord(bytes: $0, operations: 1) }
        )
      )
    }
  }

  private func settle(_ answer: LogEvent?, number: UInt64, in name: String) {
    guard case .failed(_, _, let error) = answer, !DiskHistory.isUnavailable(error) else { return }
    ledger.refuse(UInt32(number), in: name)
  }

  private func snapshot(_ room: String) throws {
    guard let known = ledger.rooms[room], known.last > 0 else { return }
    let bytes = DiskLedger.snapshot(life: known.life, position: known.last)
    _ = try ask {
      .snapshot(
        SnapshotRequest(id: $0, room: room, epoch: UInt64(known.life), position: known.last, shapes: 1, bytes: bytes)
      )
    }
  }

  private func delete(_ room: String) throws {
    guard ledger.rooms[room] != nil else { return }
    ledger.rooms[room]?.mayBeGone = true
    let answer = try ask { .delete(id: $0, room: room) }
    if case .failed(_, _, let error) = answer, !DiskHistory.isUnavailable(error) {
      ledger.rooms[room]?.mayBeGone = false
    }
  }

  func turn() throws {
    guard let writer = halves?.writer, !writer.isIdle else { return }
    _ = writer.turn()
    try hear()
  }

  private static let turnsMax = 200

  func ask(_ make: (UInt64) -> LogRequest) throws -> LogEvent? {
    try withoutActuallyEscaping(make) { make in try askAll([make])[lastId] }
  }

  /// - Returns: the answers, by the numbers of their requests.
  private func askAll(_ makes: [(UInt64) -> LogRequest]) throws -> [UInt64: LogEvent] {
    guard let halves else { return [:] }
    let ids = lastId + 1...lastId + UInt64(makes.count)
    lastId = ids.upperBound
    halves.writing.add(zip(ids, makes).map { $1($0) })
    var answers: [UInt64: LogEvent] = [:]
    for turn in 0..<DiskHistory.turnsMax {
      // If there is no work left, the next iteration would block until another request comes.
      guard turn == 0 || !halves.writer.isIdle else { break }
      _ = halves.writer.turn()
      for event in told.events { if let id = event.id { answers[id] = event } }
      try hear()
      if ids.allSatisfy({ answers[$0] != nil }) { return answers }
    }
    throw DiskLedger.Failure("requests \(ids.filter { answers[$0] == nil }) are never answered")
  }

  func read(_ request: LogRequest) -> LogEvent? { halves?.reader.answer(request) }

  private func hear() throws {
    let events = told.events
    told.events = []
    for event in events {
      switch event {
      case .appended(let appended): try ledger.acknowledge(appended)
      case .deleted(_, let room, _): ledger.delete(room)
      case .snapshotted(_, let room, let position):
        let known = ledger.rooms[room]?.snapshotted ?? 0
        ledger.rooms[room]?.snapshotted = max(known, position)
      default: break
      }
    }
    if events.contains(.availability(room: nil, nil)) { ledger.decide() }
  }

  // MARK: At the end

  /// Stops the disk's failures, and checks that the log has everything it acknowledged and accepts new appends.
  func recover() throws {
    disk.faults = []
    guest = nil
    if halves == nil {
      do throws(StorageFault) { try open() } catch { throw DiskLedger.Failure("it doesn't start: \(error)") }
    }
    for _ in 0..<DiskHistory.turnsMax where halves.map({ $0.shared.statistics.fault != nil }) == true { try turn() }
    if let fault = halves?.shared.statistics.fault { throw DiskLedger.Failure("it doesn't go on: \(fault)") }
    try check()
    try goOn()
  }

  /// Opens the log on files that a power cut or a killed process has left. Checks that the log has everything that it
  /// acknowledged.
  func start() throws {
    do throws(StorageFault) { try open() } catch { throw DiskLedger.Failure("it doesn't start: \(error)") }
    try check()
    try goOn()
  }

  private func check() throws {
    guard let halves else { return }
    let list = halves.reader.answer(.list(id: 0))
    guard case .rooms(_, let summaries) = list else { throw failure(list) }
    var known: [String: DiskLedger.Room] = [:]
    for name in Set(summaries.map(\.room)).union(ledger.rooms.keys).union(ledger.undecided.keys).sorted() {
      var found: DiskLedger.Found?
      if summaries.contains(where: { $0.room == name }) {
        let answer = halves.reader.answer(.load(LoadRequest(id: 0, room: name)))
        guard case .loaded(_, let loaded) = answer else { throw failure(answer) }
        var after = loaded.summary.trimmed
        var page = records(of: name, after: after)
        if case .failed(_, _, .damaged(_, let position)) = page, ledger.mayBeDamaged(name, at: position),
          let place = loaded.snapshot?.place.position
        {
          after = place
          page = records(of: name, after: after)
        }
        guard case .read(_, let read) = page else { throw failure(page) }
        found = DiskLedger.Found(loaded: loaded, after: after, records: read.records)
      }
      known[name] = try ledger.check(name, found)
    }
    ledger.rooms = known
    ledger.undecided = [:]
  }

  private func records(of room: String, after position: UInt64) -> LogEvent {
    let request = ReadRequest(id: 0, room: room, after: position, bytesMax: .max)
    return halves?.reader.answer(.read(request)) ?? .failed(id: 0, room: room, .noRecords)
  }

  private func failure(_ answer: LogEvent) -> any Error {
    answer.isUnavailable ? Unreadable(answer: answer) : DiskLedger.Failure("\(answer)")
  }

  /// Checks that a new room and an old one accept records, and that `log verify` finds exactly the damage that the test
  /// has made.
  private func goOn() throws {
    for name in ["new"] + ledger.rooms.keys.sorted().prefix(1) {
      let before = ledger.rooms[name]?.last ?? 0
      let answer = try append(name, 2, 10)
      guard let room = ledger.rooms[name], room.last == before + 2 else {
        throw DiskLedger.Failure("room \(name) takes no records: \(String(describing: answer))")
      }
    }
    try check()
    try inspect(database)
    try checkCopy()
  }
}
