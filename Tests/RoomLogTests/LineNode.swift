import Basics
import TestSupport
import Testing

@testable import RoomLog

/// What was reported to all nodes of one database.
final class LineLedger: CustomStringConvertible {
  struct Place: Hashable {
    var room: String
    var epoch: UInt64
    var position: UInt64
  }

  /// The acknowledged record at each position.
  private(set) var acknowledged: [Place: UInt64] = [:]
  private(set) var appends: [[UInt64]] = []
  /// The epochs of rooms whose deletion was reported.
  private(set) var ended: Set<UInt64> = []
  private(set) var happened: [String: Int] = [:]
  private var lastRecord: UInt64 = 0
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  /// How every failure message begins.
  var description: String { "seed \(seed)" }

  func count(_ happening: String) { note(1, happening) }
  func note(_ times: Int, _ happening: String) { happened[happening, default: 0] += times }

  /// For new records, returns numbers that no other record has.
  func newRecords(_ count: Int) -> [UInt64] {
    let numbers = (1...UInt64(count)).map { lastRecord + $0 }
    lastRecord += UInt64(count)
    appends.append(numbers)
    return numbers
  }

  func acknowledge(_ appended: AppendedRecords) {
    for record in appended.records {
      let place = Place(room: appended.room, epoch: appended.epoch, position: record.position)
      acknowledged[place] = LineNode.number(of: record.bytes)
    }
  }

  func noteEnd(of epoch: UInt64) { ended.insert(epoch) }
}

/// A node that uses the log as the server's hub does: it loads and follows rooms, applies their records, and closes
/// rooms when the log says so. The state of a room is the list of its records' numbers. So a snapshot also shows which
/// record is at each position.
final class LineNode {
  private enum Stage { case loading, following, open }

  private struct Room {
    let number: Int
    var stage = Stage.loading
    var epoch: UInt64
    var isStored = false
    var hasProposed = false
    var records: [UInt64] = []
    /// The timeline of the log when the room was loaded.
    let timeline: UInt64
    var last: UInt64 = 0
    /// Whether the node has received everything that was stored when the node last asked to catch up.
    var isUpToDate = false
  }

  private enum Question {
    case append(inRoom: Int)
    case load(String, Int)
    case read(String, Int)
    case follow(String, Int)
    case other
  }

  private let log: PostgresLog
  private let events = EventCollector()
  private let ledger: LineLedger
  private var random: SeededGenerator
  private var seen = 0
  private var rooms: [String: Room] = [:]
  private var timeline: UInt64 = 0
  private var lastRoom = 0
  private var lastId: UInt64 = 0
  private var questions: [UInt64: Question] = [:]

  /// - Parameter queueBytesMax: the size of the queue. Tests choose a small one, so that the queue is sometimes full.
  init(_ url: String, _ ledger: LineLedger, retention: Retention, queueBytesMax: Int, seed: UInt64) throws {
    self.ledger = ledger
    random = SeededGenerator(seed: seed)
    let events = events
    log = try PostgresLog(
      url,
      retention: retention,
      resolve: HostNames.system,
      queueBytesMax: queueBytesMax
    ) { events.take($0) }
    try events.untilOpened()
  }

  /// How many requests are unanswered.
  var unanswered: Int { questions.count }

  private(set) var isClosed = false

  func close() {
    log.close()
    isClosed = events.closed()
    #expect(isClosed)
    take(waits: false)
    #expect(questions.isEmpty, "\(ledger): a closed log has answered everything")
  }

  /// Whether a room is open at this node, and has everything that was stored when the node last asked to catch up.
  func isUpToDate(_ name: String) -> Bool { rooms[name].map { $0.stage == .open && $0.isUpToDate } ?? false }

  /// The records of a room at this node. `nil` if the room isn't open here, and empty if the room doesn't exist.
  func records(of name: String) -> [UInt64]? {
    guard let room = rooms[name], room.stage == .open else { return nil }
    return room.records
  }

  // MARK: Asking

  private func ask(_ question: Question, _ make: (UInt64) -> LogRequest) {
    // A closed log doesn't answer.
    guard !isClosed else { return }
    lastId += 1
    questions[lastId] = question
    log.submit(make(lastId))
  }

  func open(_ name: String) {
    guard rooms[name] == nil else { return }
    lastRoom += 1
    rooms[name] = Room(number: lastRoom, epoch: random.next() >> 1, timeline: timeline)
    ask(.load(name, lastRoom)) { .load(LoadRequest(id: $0, room: name)) }
  }

  func leave(_ name: String) {
    guard rooms.removeValue(forKey: name) != nil else { return }
    ask(.other) { .unfollow(id: $0, room: name) }
  }

  /// Asks the log to report what other nodes have stored in a room.
  func catchUp(_ name: String) {
    guard let room = rooms[name], room.stage == .open else { return }
    rooms[name]?.isUpToDate = false
    follow(name, room, timeline)
  }

  private func follow(_ name: String, _ room: Room, _ timeline: UInt64) {
    let epoch = room.isStored ? room.epoch : nil
    ask(.follow(name, room.number)) {
      .follow(FollowRequest(id: $0, room: name, epoch: epoch, after: UInt64(room.records.count), timeline: timeline))
    }
  }

  func append(_ name: String, records count: Int, bytes: Int) {
    guard let room = rooms[name], room.stage == .open else { return open(name) }
    let epoch = room.isStored || !room.hasProposed ? room.epoch : random.next() >> 1
    rooms[name]?.hasProposed = true
    let records = ledger.newRecords(count).map {
      NewRecord(bytes: LineNode.bytes(of: [$0], padding: bytes), operations: 1)
    }
    ask(.append(inRoom: room.number)) {
      .append(
        AppendRequest(
          id: $0,
          room: name,
          epoch: epoch,
          mayCreate: !room.isStored,
          milliseconds: WallClock.milliseconds(),
          records: records,
          timeline: timeline
        )
      )
    }
  }

  func snapshot(_ name: String) {
    guard let room = rooms[name], room.stage == .open, room.isStored, !room.records.isEmpty else { return open(name) }
    ask(.other) {
      .snapshot(
        SnapshotRequest(
          id: $0,
          room: name,
          epoch: room.epoch,
          position: UInt64(room.records.count),
          shapes: 0,
          bytes: LineNode.bytes(of: room.records),
          timeline: timeline
        )
      )
    }
  }

  func trim(_ name: String) {
    guard let room = rooms[name], room.isStored else { return open(name) }
    ask(.other) { .trim(TrimRequest(id: $0, room: name, epoch: room.epoch, through: UInt64(room.records.count))) }
  }

  func tell(_ message: [UInt8]) { log.tell(message) }
  func askOther(_ make: (UInt64) -> LogRequest) { ask(.other, make) }

  // MARK: Hearing

  /// Handles the events since the last call.
  /// - Returns: whether there were any.
  @discardableResult
  func take(waits: Bool) -> Bool {
    let news = events.news(after: seen, waits: waits)
    seen += news.count
    for event in news { take(event) }
    return !news.isEmpty
  }

  private func take(_ event: LogEvent) {
    let question = event.id.flatMap { questions.removeValue(forKey: $0) }
    if let id = event.id { #expect(question != nil, "\(ledger): request \(id) is answered once more: \(event)") }
    switch event {
    case .appended(let appended): take(appended, question)
    case .loaded(_, let loaded): take(loaded, question)
    case .read(_, let page): take(page, question)
    case .following:
      if case .follow(let name, let number) = question, rooms[name]?.number == number {
        rooms[name]?.stage = .open
        rooms[name]?.isUpToDate = true
      }
    case .deleted(_, let name, let epoch):
      ledger.noteEnd(of: epoch)
      if let room = rooms[name], room.stage != .loading, room.epoch == epoch { leave(name) }
    case .unfollowed(nil, let name): if rooms[name]?.stage != .loading { leave(name) }
    case .paused(let name): ask(.other) { .resume(id: $0, room: name) }
    case .otherTimeline(let number, let lost):
      timeline = number
      if let lost {
        ledger.count("set back")
        if rooms[lost]?.stage != .loading { leave(lost) }
      }
    case .failed(_, let name, let error): failed(question, name, error)
    default: break
    }
  }

  private func failed(_ question: Question?, _ name: String?, _ error: LogError) {
    switch error {
    case .busy: ledger.count("busy")
    case .unavailable: ledger.count("unavailable")
    case .damaged, .damagedSnapshot: Issue.record("\(ledger): \(error)")
    default: break
    }
    switch question {
    case .append(let number):
      ledger.count("append refused")
      guard let name, rooms[name]?.number == number else { return }
      switch error {
      case .noSuchRoom, .otherEpoch: leave(name)
      default: break
      }
    case .load(let name, let number):
      guard rooms[name]?.number == number else { return }
      guard case .noSuchRoom = error, let room = rooms[name] else { return rooms[name] = nil }
      rooms[name]?.stage = .following
      follow(name, room, room.timeline)
    case .read(let name, let number): if rooms[name]?.number == number { rooms[name] = nil }
    case .follow(let name, let number):
      // Leaves the room only if this request was to open it. If the room was open before, the failed request changes
      // nothing.
      if rooms[name]?.number == number, rooms[name]?.stage == .following { leave(name) }
    case .other, nil: break
    }
  }

  private func take(_ loaded: LoadedRoom, _ question: Question?) {
    guard case .load(let name, let number) = question, rooms[name]?.number == number else { return }
    rooms[name]?.epoch = loaded.summary.epoch
    rooms[name]?.isStored = true
    rooms[name]?.last = loaded.summary.last
    if let snapshot = loaded.snapshot {
      let records = LineNode.numbers(of: snapshot.bytes)
      #expect(UInt64(records.count) == snapshot.place.position, "\(ledger): a snapshot has all records up to its place")
      rooms[name]?.records = records
    }
    readOn(name)
  }

  private func readOn(_ name: String) {
    guard let room = rooms[name] else { return }
    let after = UInt64(room.records.count)
    guard after < room.last else {
      rooms[name]?.stage = .following
      return follow(name, room, room.timeline)
    }
    ask(.read(name, room.number)) {
      .read(ReadRequest(id: $0, room: name, epoch: room.epoch, after: after, bytesMax: 4_096))
    }
  }

  private func take(_ page: RecordPage, _ question: Question?) {
    guard case .read(let name, let number) = question, rooms[name]?.number == number else { return }
    for record in page.records { fold(record, into: name) }
    readOn(name)
  }

  private func take(_ appended: AppendedRecords, _ question: Question?) {
    let name = appended.room
    if appended.id != nil {
      ledger.acknowledge(appended)
      ledger.count("acknowledged")
    }
    guard var room = rooms[name], room.stage != .loading else { return }
    if case .append(let number) = question, number != room.number { return }
    if !room.isStored {
      room.isStored = true
      room.epoch = appended.epoch
      rooms[name] = room
    }
    guard room.epoch == appended.epoch else { return }
    for record in appended.records { fold(record, into: name) }
  }

  private func fold(_ record: LogRecord, into name: String) {
    guard let room = rooms[name] else { return }
    let (number, next) = (LineNode.number(of: record.bytes), UInt64(room.records.count) + 1)
    if record.position < next {
      #expect(room.records[Int(record.position) - 1] == number, "\(ledger): at \(record.position) of \(name)")
    } else if record.position == next {
      rooms[name]?.records.append(number)
    } else {
      Issue.record("\(ledger): \(record.position) of \(name) is told after \(next - 1)")
      leave(name)
    }
  }

  // MARK: Bytes

  static func number(of bytes: [UInt8]) -> UInt64 { numbers(of: Array(bytes.prefix(8))).first ?? 0 }

  static func numbers(of bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count - 7, by: 8).map { start in
      bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private static func bytes(of numbers: [UInt64], padding: Int = 0) -> [UInt8] {
    numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
      + [UInt8](repeating: 7, count: padding)
  }
}
