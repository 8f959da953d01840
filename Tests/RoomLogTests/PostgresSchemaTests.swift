import Glibc
import Testing

@testable import RoomLog

@Suite("The tables of a database", .enabled(if: TestDatabase.isThere))
struct PostgresSchemaTests {
  private let bench: LogBench

  init() throws {
    bench = try LogBench(.postgres)
    try bench.append("demo", [bytes("before")])
  }

  private func ask(_ command: String) throws { try TestDatabase.ask(command, in: bench.directory) }

  /// Fails the test unless the SQL condition is true.
  private func check(_ condition: String) throws { try ask("SELECT 1 / (\(condition))::int4") }

  /// Connects like a node that was restarted or has lost its connections.
  private func connectAnew() throws {
    try bench.reopen()
    try bench.append("demo", [bytes("after")])
    #expect(try bench.records("demo").last?.bytes == bytes("after"))
  }

  private func refusal() throws -> String {
    let events = EventCollector()
    let log = try PostgresLog(bench.directory) { events.take($0) }
    #expect(events.closed())
    log.close()
    guard case .unusable(.unfit(let words))? = events.all.first else { return "" }
    return words
  }

  /// Upgrades the schema as the next version of the server would.
  private func upgrade(readableFrom: Int) throws {
    let step = PostgresSchema.Step(
      readableFrom: readableFrom,
      text: "ALTER TABLE canvas.rooms ADD COLUMN colour text NOT NULL DEFAULT 'white';"
    )
    let upgrade = PostgresSchema.upgrade(by: PostgresSchema.steps + [step])
    for _ in 0..<2 { try ask("SET client_min_messages = warning; \(upgrade.text)") }
  }

  @Test("a node goes on with tables that a newer server has added to")
  func olderNode() throws {
    try upgrade(readableFrom: PostgresSchema.newest)
    try check("SELECT version = \(PostgresSchema.newest + 1) FROM canvas.about")
    try bench.append("demo", [bytes("while connected")])
    try connectAnew()
    try bench.append("new", [bytes("in a new room")])
    #expect(try bench.records("demo").map(\.bytes) == ["before", "while connected", "after"].map(bytes))
    #expect(try bench.summaries().map(\.room) == ["demo", "new"])
  }

  @Test("a node that is too old for the tables is refused, and told what it would need")
  func tooOldNode() throws {
    try upgrade(readableFrom: PostgresSchema.newest + 1)
    let words = try refusal()
    #expect(words.contains("schema 2 is for servers that know schema 2 or newer, and this one knows 1"), "\(words)")
    #expect(words.contains("start a newer server"))
  }

  @Test(
    "a database of before it was said who goes on with its tables is used as it is, and says so from the next step on"
  )
  func withoutColumn() throws {
    try ask("ALTER TABLE canvas.about DROP COLUMN readable_from")
    try connectAnew()
    try upgrade(readableFrom: PostgresSchema.newest)
    try check("SELECT readable_from = \(PostgresSchema.newest) FROM canvas.about")
    try connectAnew()
    // Without this column, a server can't tell whether it may use the tables of another version.
    try ask("ALTER TABLE canvas.about DROP COLUMN readable_from")
    #expect(try refusal().contains("was written by a newer server"))
  }
}
