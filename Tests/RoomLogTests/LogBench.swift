import Glibc
import Testing

@testable import RoomLog

enum LogKind: String, CaseIterable, CustomTestStringConvertible {
  case memory = "in memory"
  case memoryUndecided = "in memory, where some appends are undecided"
  case sqlite = "in SQLite"
  case postgres = "in PostgreSQL"
  case cutPostgres = "in PostgreSQL, over connections that are cut"

  var isInPostgres: Bool { self == .postgres || self == .cutPostgres }

  /// The kinds of logs that this machine can run.
  static var here: [LogKind] { allCases.filter { !$0.isInPostgres || TestDatabase.isThere } }
  /// The kinds of log that several nodes can share.
  static var shared: [LogKind] { here.filter { $0 != .sqlite } }
  /// The kinds of logs whose appends can have an unknown outcome. SQLite is not among them, because it commits in this
  /// process and returns the outcome.
  static var undecided: [LogKind] { here.filter { $0.certain != $0 } }
  /// The kind of log that is the same, except that no append has an unknown outcome.
  var certain: LogKind {
    switch self {
    case .memoryUndecided: .memory
    case .cutPostgres: .postgres
    default: self
    }
  }

  var testDescription: String { rawValue }
}

/// A log of any kind, with functions that wait for the answers.
final class LogBench {
  let kind: LogKind
  let options: SQLiteOptions
  /// The directory of the log, or the URL of its database.
  let directory: String
  private(set) var events = EventCollector()
  private(set) var log: any RoomLog
  /// The storage that all nodes of a `MemoryLog` share.
  private var memory: SharedMemory
  private(set) var lastId: UInt64 = 0
  static let epoch: UInt64 = 0xE0E0

  private let keepsDirectory: Bool
  /// The proxy between the logs and their database, which cuts connections.
  let proxy: CuttingProxy?
  /// Decides which appends to a log in memory get an unknown outcome.
  let doubts: Doubts
  /// The events that each node received.
  private var collectors: [EventCollector]

  /// - Parameter commitsBetweenCuts: `.cutPostgres` cuts one in this many commits. With `nil`, the test decides which
  ///   commits are cut, and for `.memoryUndecided` which outcomes are unknown.
  init(
    _ kind: LogKind,
    options: SQLiteOptions = SQLiteOptions(),
    directory: String? = nil,
    keepsDirectory: Bool = false,
    commitsBetweenCuts: Int? = 3
  ) throws {
    self.kind = kind
    self.keepsDirectory = keepsDirectory
    self.options = options
    self.directory = try directory ?? (kind.isInPostgres ? TestDatabase.make() : temporaryDirectory())
    doubts = Doubts(comeByThemselves: kind == .memoryUndecided && commitsBetweenCuts != nil)
    memory = SharedMemory(retention: options.retention)
    proxy =
      kind == .cutPostgres ? try CuttingProxy(to: self.directory, commitsBetweenCuts: commitsBetweenCuts) : nil
    collectors = [events]
    log = try LogBench.open(kind, options, proxy?.address(of: self.directory) ?? self.directory, memory, doubts, events)
    try events.untilOpened()
  }

  deinit {
    log.close()
    _ = events.closed()
    proxy?.end()
    if kind.certain != kind { checkWhatIsStored() }
    if kind.isInPostgres { TestDatabase.drop(directory) } else if !keepsDirectory { remove(directory: directory) }
  }

  /// Opens another node of the same log.
  /// - Parameters:
  ///   - isPatient: whether the node repeats requests that fail because a connection was cut.
  ///   - isOpen: whether to wait until the node's log is open.
  func secondNode(isPatient: Bool = true, isOpen: Bool = true) throws -> Node {
    let events = EventCollector()
    collectors.append(events)
    let log = try LogBench.open(
      isPatient ? kind : kind.certain,
      options,
      proxy?.address(of: directory) ?? directory,
      memory,
      doubts,
      events
    )
    if isOpen { try events.untilOpened() }
    return Node(log, events)
  }

  /// Another node, which closes its log when the test is done with it.
  final class Node {
    let log: any RoomLog
    let events: EventCollector

    init(_ log: any RoomLog, _ events: EventCollector) {
      self.log = log
      self.events = events
    }

    deinit { log.close() }
  }

  /// Opens another node, whose first request follows a room.
  func follower(of room: String, epoch: UInt64? = epoch, after: UInt64, isPatient: Bool = true) throws -> Node {
    let node = try secondNode(isPatient: isPatient)
    node.log.submit(.follow(FollowRequest(id: 1, room: room, epoch: epoch, after: after)))
    _ = try #require(node.events.answer(to: 1))
    return node
  }

  /// Makes the outcome of the next append unknown until `decide()`.
  func leaveNextUndecided(_ fate: UndecidedAppend.Fate) {
    doubts.leaveNext(fate)
    // All later requests for the append's outcome are cut off too. Otherwise the node would reconnect and learn whether
    // the append is stored.
    let again = Cut(statement: "evict", way: .request, place: 0)
    let cut = Cut(way: fate == .stored ? .answer : .request, place: 0)
    proxy?.cut([cut] + [Cut](repeating: again, count: 9_999))
  }

  func decide() {
    doubts.decide()
    proxy?.cut([])
  }

  private static func open(
    _ kind: LogKind,
    _ options: SQLiteOptions,
    _ directory: String,
    _ memory: SharedMemory,
    _ doubts: Doubts,
    _ events: EventCollector
  ) throws -> any RoomLog {
    switch kind {
    case .memory: DoubtfulLog(sharing: memory, doubts) { events.take($0) }
    case .memoryUndecided:
      PatientLog({ events.take($0) }) { sink in
        DoubtfulLog(sharing: memory, doubts) { told in
          sink(told)
          // The log learns the outcome of an append only after it has reported that the outcome is unknown.
          if told.contains(where: { if case .availability(nil, _?) = $0 { true } else { false } }) { doubts.decide() }
        }
      }
    case .sqlite: try SQLiteLog(directory: directory, options: options) { events.take($0) }
    case .postgres:
      try PostgresLog(directory, retention: options.retention, heard: { events.hear($0) }) { events.take($0) }
    case .cutPostgres:
      try PatientLog({ events.take($0) }) { sink in
        try PostgresLog(directory, retention: options.retention, heard: { events.hear($0) }, sink: sink)
      }
    }
  }

  func close() {
    log.close()
    #expect(events.closed())
  }

  /// Closes the log, and opens another one on the same storage.
  func reopen() throws {
    close()
    memory = SharedMemory(store: memory.store, retention: options.retention)
    try open(kind, proxy?.address(of: directory) ?? directory)
  }

  private func open(_ kind: LogKind, _ directory: String) throws {
    let anew = EventCollector()
    log = try LogBench.open(kind, options, directory, memory, doubts, anew)
    events = anew
    collectors.append(anew)
    try anew.untilOpened()
  }

  private struct RoomOfEpoch: Hashable {
    var room: String
    var epoch: UInt64
  }

  /// Checks that exactly the acknowledged records are stored, each once and at its position.
  private func checkWhatIsStored() {
    var acknowledged: [RoomOfEpoch: [LogRecord]] = [:]
    for event in collectors.flatMap(\.all) {
      switch event {
      case .appended(let appended) where appended.id != nil:
        acknowledged[RoomOfEpoch(room: appended.room, epoch: appended.epoch), default: []] += appended.records
      case .deleted(_, let room, let epoch): acknowledged[RoomOfEpoch(room: room, epoch: epoch)] = nil
      default: break
      }
    }
    do {
      try open(kind.certain, directory)
      defer { close() }
      for summary in try summaries() {
        let expected = acknowledged.removeValue(forKey: RoomOfEpoch(room: summary.room, epoch: summary.epoch)) ?? []
        let kept = expected.filter { $0.position > summary.trimmed }.sorted { $0.position < $1.position }
        #expect(try records(summary.room, after: summary.trimmed) == kept)
      }
      #expect(acknowledged.isEmpty, "rooms are gone that nobody has deleted")
    } catch {
      Issue.record(error)
    }
  }

  func nextId() -> UInt64 {
    lastId += 1
    return lastId
  }

  func ask(_ make: (UInt64) -> LogRequest) throws -> LogEvent {
    let id = nextId()
    log.submit(make(id))
    return try #require(events.answer(to: id), "the log gave no answer within ten seconds")
  }

  // MARK: Requests

  @discardableResult
  func append(
    _ room: String,
    _ records: [[UInt8]],
    epoch: UInt64 = epoch,
    mayCreate: Bool = true,
    at milliseconds: UInt64 = 1_000,
    timeline: UInt64 = 0
  ) throws -> LogEvent {
    try ask { id in
      var append = LogBench.append(id, room, records, epoch: epoch, mayCreate: mayCreate, at: milliseconds)
      append.timeline = timeline
      return .append(append)
    }
  }

  /// - Parameter isCopy: copies keep their made-up time.
  static func append(
    _ id: UInt64,
    _ room: String,
    _ records: [[UInt8]],
    epoch: UInt64 = epoch,
    mayCreate: Bool = true,
    at milliseconds: UInt64 = 1_000,
    isCopy: Bool = true
  ) -> AppendRequest {
    AppendRequest(
      id: id,
      room: room,
      epoch: epoch,
      mayCreate: mayCreate,
      milliseconds: milliseconds,
      records: records.map { NewRecord(bytes: $0, operations: 1) },
      isCopy: isCopy
    )
  }

  /// Appends records that are these texts.
  /// - Returns: the records as they are stored.
  func add(
    _ room: String,
    _ texts: [String],
    epoch: UInt64 = epoch,
    mayCreate: Bool = true,
    at milliseconds: UInt64 = 1_000
  ) throws -> [LogRecord] {
    let answer = try append(room, texts.map(bytes), epoch: epoch, mayCreate: mayCreate, at: milliseconds)
    return try #require(answer.appended, "\(answer)").records
  }

  func read(_ room: String, after: UInt64 = 0, through: LogBound = .end) throws -> LogEvent {
    try ask { .read(ReadRequest(id: $0, room: room, after: after, through: through)) }
  }

  @discardableResult
  func delete(_ room: String) throws -> LogEvent { try ask { .delete(id: $0, room: room) } }

  @discardableResult
  func trim(_ room: String, epoch: UInt64 = epoch, through: UInt64) throws -> LogEvent {
    try ask { .trim(TrimRequest(id: $0, room: room, epoch: epoch, through: through)) }
  }

  func verify(_ room: String) throws -> LogEvent { try ask { .verify(id: $0, room: room) } }

  /// Verifies all rooms, or a part of them.
  func verifyPart(
    from start: VerifyPlace? = nil,
    bytesMax: Int = .max,
    microsecondsMax: UInt64 = 60_000_000
  ) throws -> VerifiedPart {
    let answer = try ask {
      .verifyPart(VerifyRequest(id: $0, start: start, bytesMax: bytesMax, microsecondsMax: microsecondsMax))
    }
    return try #require(answer.part, "\(answer)")
  }

  func repair(_ room: String, _ means: RepairRequest.Means) throws -> LogEvent {
    try ask { .repair(RepairRequest(id: $0, room: room, means: means)) }
  }

  /// All records of a room up to a position, read page by page.
  func records(
    _ room: String,
    after: UInt64 = 0,
    through: LogBound = .end,
    bytesMax: Int = 262_144
  ) throws -> [LogRecord] {
    var records: [LogRecord] = []
    var after = after
    while true {
      let answer = try ask {
        .read(ReadRequest(id: $0, room: room, after: after, through: through, bytesMax: bytesMax))
      }
      let page = try #require(answer.page, "\(answer)")
      records += page.records
      after = page.through
      if page.isLast { return records }
    }
  }

  func load(_ room: String, through: LogBound = .end) throws -> LogEvent {
    try ask { .load(LoadRequest(id: $0, room: room, through: through)) }
  }

  @discardableResult
  func snapshot(
    _ room: String,
    at position: UInt64,
    _ bytes: [UInt8],
    shapes: UInt64 = 0,
    epoch: UInt64 = epoch,
    isCopy: Bool = true
  ) throws -> LogEvent {
    try ask { id in
      .snapshot(
        SnapshotRequest(
          id: id,
          room: room,
          epoch: epoch,
          position: position,
          shapes: shapes,
          bytes: bytes,
          isCopy: isCopy
        )
      )
    }
  }

  func summaries() throws -> [RoomSummary] {
    try #require(try ask { .list(id: $0) }.summaries)
  }

  /// Flips one bit wherever the database file contains the bytes `wanted`.
  func damageInFile(_ wanted: [UInt8]) throws {
    let path = directory + "/canvas.db"
    let file = Glibc.open(path, O_RDWR)
    defer { Glibc.close(file) }
    var content = [UInt8](repeating: 0, count: SystemCalls.file(at: path)?.bytes ?? 0)
    try #require(pread(file, &content, content.count, 0) == content.count)
    let places = (0..<content.count - wanted.count).filter { content[$0...].starts(with: wanted) }
    try #require(!places.isEmpty)
    for place in places {
      var flipped = content[place] ^ 0x10
      try #require(pwrite(file, &flipped, 1, place) == 1)
    }
  }
}

extension SnapshotRequest {
  /// Asks for a snapshot of a room of the bench.
  init(_ id: UInt64, of room: String = "demo", at position: UInt64, _ bytes: [UInt8]) {
    self.init(id: id, room: room, epoch: LogBench.epoch, position: position, shapes: 0, bytes: bytes)
  }
}

extension SQLiteOptions {
  init(_ change: (inout SQLiteOptions) -> Void) {
    self.init()
    change(&self)
  }
}

/// The path of a new temporary directory.
func temporaryDirectory() -> String {
  var template = Array("/tmp/room-log-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { return "/tmp" }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func remove(directory: String) {
  guard directory.hasPrefix("/tmp/room-log-"), let listing = opendir(directory) else { return }
  while let entry = readdir(listing) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { unlink("\(directory)/\(name)") }
  }
  closedir(listing)
  rmdir(directory)
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
