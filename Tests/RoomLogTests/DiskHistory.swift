import Glibc

@testable import RoomLog

/// A log on a `LyingDisk`, its owner, and another program that reads beside it, all on one thread.
final class DiskHistory {
  enum Step: Hashable {
    case append(room: String, count: UInt32, bytes: Int)
    case snapshot(room: String)
    case damageSnapshot(room: String)
    case trim(room: String)
    case retain
    case delete(room: String)
    case look(room: String)
    /// Another program begins to read, and ends.
    case beginReading, endReading
    /// The disk works again.
    case heal
    /// The log's own work between two commits.
    case turn
    case reopen
    /// The process is killed, and started anew.
    case kill
  }

  let directory: String
  let disk: LyingDisk
  private(set) var ledger: DiskLedger
  private var halves: LogHalves?
  private let told = Told()
  private var guest: (database: Database, reading: Statement)?
  private var lastLife: UInt32
  private var lastId: UInt64 = 1_000
  private var milliseconds: UInt64 = 10_000

  /// `@unchecked Sendable`: one thread uses it.
  private final class Told: @unchecked Sendable {
    var events: [LogEvent] = []
  }

  static let path = "canvas.db"

  /// - Parameter lives: no room had a higher number before.
  init(directory: String, disk: LyingDisk, ledger: DiskLedger = DiskLedger(), lives: UInt32 = 0) {
    self.directory = directory
    self.disk = disk
    self.ledger = ledger
    lastLife = lives
  }

  /// To be called at the end.
  func end() {
    disk.isDead = true
    guest = nil
    halves = nil
    disk.remove()
  }

  private var options: SQLiteOptions {
    var options = SQLiteOptions()
    options.fileSystem = disk.name
    options.files = disk.look
    options.probeMilliseconds = 0
    options.lockedMillisecondsMax = 5
    options.checkpointPages = 24
    options.clearingMicrosecondsMax = 0
    options.retention = Retention(ageMillisecondsMax: 400)
    options.random = { [unowned disk] in disk.random.next() }
    return options
  }

  private var database: String { directory + "/" + DiskHistory.path }

  // MARK: Opening and ending

  private func open() throws(StorageFault) {
    halves = try LogHalves(directory: directory, options: options) { [told] in told.events += $0 }
    told.events = []
  }

  /// Opens the log and looks what it has, if the disk lets it.
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

  func close() {
    guard let halves else { return }
    halves.writing.close()
    halves.reading.close()
    var turns = 0
    while turns < 100, halves.writer.turn() { turns += 1 }
    halves.reader.run()
    halves.letGo()
    self.halves = nil
    try? hear()
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
    guard let halves else {
      if case .endReading = step { guest = nil }
      if case .heal = step { disk.faults = [] }
      return try openIfPossible()
    }
    switch step {
    case .append(let room, let count, let bytes): try append(room, count, bytes)
    case .snapshot(let room):
      guard let known = ledger.rooms[room], known.last > 0 else { return }
      let bytes = DiskLedger.snapshot(life: known.life, position: known.last)
      _ = try ask {
        .snapshot(
          SnapshotRequest(id: $0, room: room, epoch: UInt64(known.life), position: known.last, shapes: 1, bytes: bytes)
        )
      }
    case .trim(let room):
      guard let known = ledger.rooms[room] else { return }
      _ = try ask { .trim(TrimRequest(id: $0, room: room, epoch: UInt64(known.life), through: known.last)) }
    case .damageSnapshot(let room): try damage(room)
    case .retain: _ = try ask { .retain(id: $0, milliseconds: milliseconds) }
    case .delete(let room):
      guard ledger.rooms[room] != nil else { return }
      ledger.rooms[room]?.mayBeGone = true
      let answer = try ask { .delete(id: $0, room: room) }
      if case .failed(_, _, let error) = answer, !DiskHistory.isUnavailable(error) {
        ledger.rooms[room]?.mayBeGone = false
      }
    case .look(let room): _ = halves.reader.answer(.load(LoadRequest(id: 0, room: room)))
    case .beginReading: beginReading()
    case .endReading: guest = nil
    case .heal: disk.faults = []
    case .turn: try turn()
    case .reopen:
      close()
      try openIfPossible()
    case .kill:
      kill()
      try openIfPossible()
    }
  }

  private static func isUnavailable(_ error: LogError) -> Bool { if case .unavailable = error { true } else { false } }

  private func append(_ name: String, _ count: UInt32, _ bytes: Int) throws {
    let isNew = ledger.rooms[name] == nil
    if isNew { lastLife += 1 }
    let life = ledger.rooms[name]?.life ?? lastLife
    let append = UInt32(lastId + 1)
    let records = (0..<count).map { DiskLedger.record(life: life, append: append, index: $0, of: count, bytes: bytes) }
    ledger.submit(append, records, to: name, life: life)
    let answer = try ask { id in
      .append(
        AppendRequest(
          id: id,
          room: name,
          epoch: UInt64(life),
          mayCreate: isNew,
          milliseconds: milliseconds,
          records: records.map { NewRecord(bytes: $0, operations: 1) }
        )
      )
    }
    if case .failed(_, _, let error) = answer, !DiskHistory.isUnavailable(error) { ledger.refuse(append, in: name) }
  }

  private func beginReading() {
    guard guest == nil else { return }
    do throws(SQLiteFailure) {
      let other = try Database(path: database, mayCreate: false, mayWrite: false, fileSystem: disk.name)
      let reading = try other.statement("SELECT name FROM rooms UNION ALL SELECT 'a' UNION ALL SELECT 'b'")
      _ = try reading.step()
      guest = (other, reading)
    } catch {
      // The disk didn't let it.
    }
  }

  /// A disk changes a snapshot and doesn't notice. It is one that isn't the last resort of its room.
  private func damage(_ name: String) throws {
    guard let room = ledger.rooms[name], let loaded = load(name), let place = loaded.snapshot?.place,
      place.position > loaded.summary.trimmed
    else { return }
    do throws(SQLiteFailure) {
      let other = try Database(path: database, mayCreate: false, fileSystem: disk.name)
      let number = try other.number("SELECT number FROM rooms WHERE name='\(name)'")
      ledger.rooms[name]?.damaged = room.damaged.union([place.position])
      try other.run(
        "UPDATE snapshot_parts SET bytes=CAST('another' AS BLOB) WHERE room=\(number) AND position=\(place.position) AND part=1"
      )
    } catch {
      // The disk didn't let it, perhaps after it was done.
    }
  }

  private func load(_ room: String) -> LoadedRoom? {
    if case .loaded(_, let loaded)? = halves?.reader.answer(.load(LoadRequest(id: 0, room: room))) {
      loaded
    } else {
      nil
    }
  }

  private func turn() throws {
    guard let writer = halves?.writer, !writer.isIdle else { return }
    _ = writer.turn()
    try hear()
  }

  private static let turnsMax = 200

  private func ask(_ make: (UInt64) -> LogRequest) throws -> LogEvent? {
    guard let halves else { return nil }
    lastId += 1
    let id = lastId
    halves.writing.add([make(id)])
    for _ in 0..<DiskHistory.turnsMax {
      _ = halves.writer.turn()
      let answer = told.events.first { $0.id == id }
      try hear()
      if let answer { return answer }
    }
    throw DiskLedger.Failure("request \(id) is never answered")
  }

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

  // MARK: In the end

  /// The disk works again, and the log goes on: what it has acknowledged is there, and it takes more.
  func recover() throws {
    disk.faults = []
    guest = nil
    if halves == nil {
      do throws(StorageFault) { try open() } catch { throw DiskLedger.Failure("it doesn't start: \(error)") }
    }
    for _ in 0..<DiskHistory.turnsMax where halves?.shared.isAvailable == false { try turn() }
    if let fault = halves?.shared.statistics.fault { throw DiskLedger.Failure("it doesn't go on: \(fault)") }
    try check()
    try goOn()
  }

  /// After a power cut or the end of a process, the log on what is left has what was acknowledged.
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
      var loaded: LoadedRoom?
      var records: [LogRecord] = []
      if summaries.contains(where: { $0.room == name }) {
        let answer = halves.reader.answer(.load(LoadRequest(id: 0, room: name)))
        guard case .loaded(_, let room) = answer else { throw failure(answer) }
        loaded = room
        let page = halves.reader.answer(
          .read(ReadRequest(id: 0, room: name, after: room.summary.trimmed, bytesMax: .max))
        )
        guard case .read(_, let read) = page else { throw failure(page) }
        records = read.records
      }
      known[name] = try ledger.check(name, loaded, records)
      guard let room = known[name] else { continue }
      switch halves.reader.answer(.verify(id: 0, room: name)) {
      case .verified: break
      case .failed(_, _, .damagedSnapshot(_, let position)) where room.damaged.contains(position): break
      case let answer: throw failure(answer)
      }
    }
    ledger.rooms = known
    ledger.undecided = [:]
  }

  private func failure(_ answer: LogEvent) -> any Error {
    answer.isUnavailable ? Unreadable(answer: answer) : DiskLedger.Failure("\(answer)")
  }

  private func checkFile() throws {
    let words = try Database(path: database, mayCreate: false, fileSystem: disk.name).text("PRAGMA integrity_check")
    guard words == "ok" else { throw DiskLedger.Failure("the file: \(words)") }
  }

  /// Rooms that there are take records, and so do new ones.
  private func goOn() throws {
    for name in ["new"] + ledger.rooms.keys.sorted().prefix(1) {
      let before = ledger.rooms[name]?.last ?? 0
      try append(name, 2, 10)
      guard let room = ledger.rooms[name], room.last == before + 2 else {
        throw DiskLedger.Failure(
          "room \(name) takes no records: \(String(describing: halves?.shared.statistics.fault))"
        )
      }
    }
    try check()
    try checkFile()
  }

  var lives: UInt32 { lastLife }
}
