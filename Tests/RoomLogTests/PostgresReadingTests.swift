import Glibc
import Testing

@testable import RoomLog

@Suite("Reading a database that others change meanwhile", .enabled(if: TestDatabase.isThere))
struct PostgresReadingTests {
  private let bench: LogBench

  init() throws { bench = try LogBench(.postgres) }

  private func ask(_ command: String) throws { try TestDatabase.ask(command, in: bench.directory) }

  /// An SQL command that waits until a lock on the table satisfies the condition.
  private func wait(forLock condition: String, on table: String) -> String {
    """
    DO $$ BEGIN
    WHILE NOT EXISTS(SELECT FROM pg_locks WHERE relation = '\(table)'::regclass AND \(condition)) LOOP
    PERFORM pg_sleep(0.002);
    END LOOP;
    END $$
    """
  }

  /// Sends a request. When the log's first statement on the table waits for a lock, changes the stored data and
  /// releases the lock.
  private func ask(changing table: String, by change: String, _ make: (UInt64) -> LogRequest) throws -> LogEvent {
    let command = """
      BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE; \(wait(forLock: "NOT granted", on: table)); \(change); COMMIT
      """
    let changing = try TestDatabase.begin(command, in: bench.directory)
    try ask(wait(forLock: "granted AND mode = 'AccessExclusiveLock'", on: table))
    let answer = try bench.ask(make)
    try changing.end()
    return answer
  }

  private static let trimming = "UPDATE canvas.rooms SET trimmed = 3; DELETE FROM canvas.records WHERE position <= 3"

  @Test("a page is of one moment: also where what it begins with is trimmed while it is read")
  func trimmedPage() throws {
    let records = try bench.add("demo", ["a", "b", "c", "d", "e"])
    let answer = try ask(changing: "canvas.records", by: PostgresReadingTests.trimming) {
      .read(ReadRequest(id: $0, room: "demo", after: 0))
    }
    #expect(answer.page?.records == records)
    let later = try bench.read("demo")
    #expect(later.error == .trimmed(room: "demo", through: 3))
  }

  @Test("a page is of one room: also where that is deleted and made anew while it is read")
  func otherPage() throws {
    let records = try bench.add("demo", ["a", "b"])
    let change = """
      UPDATE canvas.rooms SET name = 'gone';
      INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed) VALUES('demo', 7, 1, 0, 1, 0, 0);
      INSERT INTO canvas.records
        SELECT other.number, position, milliseconds, records.operations, writer, append, checksum, bytes
        FROM canvas.records, canvas.rooms AS other WHERE position = 1 AND other.name = 'demo'
      """
    let answer = try ask(changing: "canvas.records", by: change) { .read(ReadRequest(id: $0, room: "demo", after: 0)) }
    #expect(answer.page?.epoch == LogBench.epoch)
    #expect(answer.page?.records == records)
    let later = try bench.read("demo")
    #expect(later.page?.epoch == 7)
    #expect(later.page?.records.map(\.bytes) == [bytes("a")])
  }

  @Test("the start of a fold is of one moment, even if the room is trimmed while it is loaded")
  func trimmedLoad() throws {
    try bench.append("demo", ["a", "b", "c", "d", "e"].map(bytes))
    try bench.snapshot("demo", at: 2, bytes("two"))
    let change = "\(PostgresReadingTests.trimming); UPDATE canvas.snapshots SET position = 4"
    let answer = try ask(changing: "canvas.snapshots", by: change) {
      .load(LoadRequest(id: $0, room: "demo", through: .position(3)))
    }
    #expect(answer.loaded?.snapshot?.place.position == 2)
    #expect(answer.loaded?.summary.trimmed == 0)
    #expect(try bench.load("demo", through: .position(3)).error == .trimmed(room: "demo", through: 3))
  }

  @Test("a room that is trimmed between two pages of its verification is verified from there on")
  func trimmedVerification() throws {
    let large = (0..<5).map { [UInt8](repeating: $0, count: 600_000) }
    try bench.append("demo", large)
    let first = try ask(changing: "canvas.records", by: PostgresReadingTests.trimming) { .verify(id: $0, room: "demo") }
    // The verification counts the two records that it had read before the room was trimmed, and the two that are still
    // stored.
    #expect(first == .verified(id: bench.lastId, room: "demo", records: 4))
    // All records up to position 4 are marked as trimmed, but not deleted yet. Their checksums are not verified.
    try ask("UPDATE canvas.rooms SET trimmed = 4; UPDATE canvas.records SET checksum = 0 WHERE position = 4")
    #expect(try bench.verify("demo") == .verified(id: bench.lastId, room: "demo", records: 1))
    try ask("UPDATE canvas.records SET checksum = 0 WHERE position = 5")
    #expect(try bench.verify("demo").error == .damaged(room: "demo", position: 5))
  }

  @Test(
    "rooms are listed all, some at a time, and who asks for something else is answered meanwhile",
    arguments: [-1, 0, 1]
  )
  func list(more: Int) throws {
    try bench.append("demo", [bytes("a")])
    let count = PostgresReading.roomsAtOnce * 2 + more
    try ask(
      """
      INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed)
      SELECT 'room-' || number, number, 0, 0, 0, 0, 0 FROM generate_series(2, \(count)) AS new(number)
      """
    )
    let (list, load) = (bench.nextId(), bench.nextId())
    bench.log.submit([.list(id: list), .load(LoadRequest(id: load, room: "demo"))])
    let rooms = try #require(bench.events.answer(to: list)?.summaries)
    #expect(rooms.map(\.room) == ["demo"] + (2...count).map { "room-\($0)" }.sorted())
    #expect(bench.events.all.compactMap(\.id).suffix(2) == [load, list])
    #expect(bench.log.statistics().rooms == count)
  }

  @Test("an older snapshot will do for a damaged one, and so will all records; without either, it is named")
  func damagedSnapshots() throws {
    try bench.append("demo", ["a", "b", "c", "d", "e"].map(bytes))
    for position in [2, 4] as [UInt64] { try bench.snapshot("demo", at: position, bytes("\(position)")) }
    try ask("UPDATE canvas.snapshots SET bytes = 'x' WHERE position = 4")
    #expect(try bench.load("demo").loaded?.snapshot?.place.position == 2)
    func concerns() -> Int { bench.events.all.count { $0.concern != nil } }
    #expect(concerns() == 1, "it is reported")
    #expect(try bench.load("demo").loaded != nil)
    #expect(concerns() == 1, "once")
    try ask("UPDATE canvas.snapshots SET bytes = 'x'")
    let loaded = try bench.load("demo").loaded
    #expect(loaded != nil && loaded?.snapshot == nil)
    #expect(loaded?.passedOver == [4, 2].map { .damagedSnapshot(room: "demo", position: $0) })
    try ask("UPDATE canvas.rooms SET trimmed = 2; DELETE FROM canvas.records WHERE position <= 2")
    #expect(try bench.load("demo").error == .damagedSnapshot(room: "demo", position: 2))
    try bench.append("other", ["a", "b", "c", "d", "e"].map(bytes))
    for position in [2, 4] as [UInt64] { try bench.snapshot("other", at: position, bytes("\(position)")) }
    try ask("UPDATE canvas.snapshots SET bytes = 'x'; UPDATE canvas.rooms SET trimmed = 2")
    #expect(try bench.load("other").error == .damagedSnapshot(room: "other", position: 2))
    #expect(concerns() == 1, "a room that can't be read isn't said to be read")
  }

  @Test("damaged rooms are counted until their damage is gone, also if another node or an operator has ended it")
  func countedDamage() throws {
    for room in ["a", "b", "c"] {
      try bench.append(room, ["1", "2", "3", "4", "5"].map(bytes))
      for position in [2, 4] as [UInt64] { try bench.snapshot(room, at: position, bytes("\(position)")) }
    }
    func damaged() -> Int { bench.log.statistics().damagedRooms }
    func change(_ table: String, _ room: Int, at position: Int, by sign: String) throws {
      let row = "room = \(room) AND position = \(position)"
      try ask("UPDATE canvas.\(table) SET checksum = checksum \(sign) 1 WHERE \(row)")
    }
    func damage() throws {
      try change("records", 1, at: 3, by: "+")
      try change("snapshots", 2, at: 2, by: "+")
    }
    let damages = [LogError.damaged(room: "a", position: 3), .damagedSnapshot(room: "b", position: 2)]
    try damage()
    #expect(try bench.read("a").error == damages[0])
    #expect(damaged() == 1, "who reads records finds it")
    _ = try bench.load("b", through: .position(3))
    #expect(damaged() == 2, "and who opens a room or looks at its past")
    #expect(try bench.verifyPart().damages == damages, "verification meets both")
    #expect(damaged() == 2)
    try change("records", 1, at: 3, by: "-")
    try change("snapshots", 2, at: 2, by: "-")
    #expect(try bench.verifyPart().damages == [])
    #expect(damaged() == 0, "it was mended")
    try damage()
    _ = try bench.verifyPart()
    #expect(damaged() == 1, "verification finds damaged records by itself")
    _ = try bench.load("b", through: .position(3))
    #expect(damaged() == 2)
    try bench.delete("b")
    #expect(damaged() == 1, "with the room its damage is gone")
    try ask("DELETE FROM canvas.rooms WHERE number = 1")
    _ = try bench.verifyPart()
    #expect(damaged() == 0, "so it is if another node deletes the room")
    try change("records", 3, at: 1, by: "+")
    _ = try bench.read("c")
    #expect(damaged() == 1)
    try bench.trim("c", through: 2)
    #expect(damaged() == 0, "the damaged record was trimmed")
  }

  @Test("verification reads each record once, in whatever parts it comes")
  func verifiedInParts() throws {
    for room in ["a", "b"] { try bench.append(room, (0..<20).map { bytes("record \($0)") }) }
    for (bytesMax, time) in [(1, 60_000_000), (100, 60_000_000), (.max, 60_000_000), (.max, 0)] as [(Int, UInt64)] {
      var parts = [try bench.verifyPart(bytesMax: bytesMax, microsecondsMax: time)]
      while let next = parts.last?.next, parts.count < 100 {
        parts.append(try bench.verifyPart(from: next, bytesMax: bytesMax, microsecondsMax: time))
      }
      #expect(parts.map(\.rooms).reduce(0, +) == 2 && parts.map(\.records).reduce(0, +) == 40)
      #expect(parts.map(\.bytes).reduce(0, +) == 2 * (0..<20).reduce(0) { $0 + bytes("record \($1)").count })
      // A part ends with the row that exceeds the limit on bytes, or with the page that exceeds that on time.
      if bytesMax == 1 { #expect(parts.allSatisfy { $0.records <= 1 }) }
      if bytesMax == 100 { #expect(parts.allSatisfy { $0.bytes < 110 }) }
      if bytesMax == .max { #expect(time > 0 ? parts.count == 1 : parts.allSatisfy { $0.rooms <= 1 }) }
    }
  }

  @Test("records aren't dropped for a damaged snapshot, but for the newest sound one before it")
  func trimmedToSoundOnes() throws {
    try bench.append("demo", ["a", "b", "c", "d", "e"].map(bytes))
    for position in [2, 4] as [UInt64] { try bench.snapshot("demo", at: position, bytes("\(position)")) }
    func trim() throws -> UInt64? {
      let answer = try bench.trim("demo", through: 4)
      guard case .trimmed(_, _, let through) = answer else { return nil }
      return through
    }
    try ask("UPDATE canvas.snapshots SET bytes = 'x' WHERE position = 4")
    #expect(try trim() == 2)
    #expect(try trim() == 2, "and no further")
    #expect(
      try TestDatabase.rows("SELECT position FROM canvas.records ORDER BY 1", in: bench.directory).filter {
        !$0.isEmpty
      } == ["3", "4", "5"]
    )
  }
}
