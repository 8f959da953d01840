import Glibc
import Testing

@testable import RoomLog

@Suite("A database that can't be had", .enabled(if: TestDatabase.isThere))
struct PostgresOpeningTests {
  @Test("a log whose hosts are gone is made at once, says of each once why it waits, and ends when it is told to")
  func gone() throws {
    let events = EventCollector()
    let log = try PostgresLog("postgresql://canvas@127.0.0.1:1,127.0.0.1:2/canvas") { events.take($0) }
    log.submit(.append(LogBench.append(1, "demo", [bytes("a")])))
    for port in [1, 2] { #expect(events.first { isWaiting($0, "port \(port) ") } != nil) }
    #expect(log.statistics().fault != nil)
    // While this thread sleeps, the log retries several times. The log must not report the failure again.
    usleep(500_000)
    #expect(events.all.count == 2)
    log.close()
    #expect(events.closed())
    guard case .failed(_, _, .unavailable) = events.answer(to: 1) else {
      Issue.record("\(events.all)")
      return
    }
  }

  private func isWaiting(_ event: LogEvent, _ words: String) -> Bool {
    if case .waiting(let fault) = event { "\(fault)".contains(words) } else { false }
  }

  @Test("a log whose database can't be used says why, refuses what it was asked, and ends")
  func unusable() throws {
    let url = try TestDatabase.make()
    TestDatabase.drop(url)
    let events = EventCollector()
    let log = try PostgresLog(url) { events.take($0) }
    log.submit(.list(id: 1))
    #expect(events.closed())
    guard case .unusable(let fault) = events.all.first else {
      Issue.record("\(events.all)")
      return
    }
    #expect("\(fault)".contains("does not exist"))
    #expect(events.answer(to: 1)?.error != nil && events.all.count == 3)
  }

  @Test("a log that may create nothing refuses a database without its tables or with older ones, and changes neither")
  func createsNothing() throws {
    let url = try TestDatabase.make()
    defer { TestDatabase.drop(url) }
    func refusal() throws -> String {
      let events = EventCollector()
      let log = try PostgresLog(url, mayCreate: false) { events.take($0) }
      defer { log.close() }
      let end = events.first { if case .unusable = $0 { true } else { $0.isOpened } }
      return if case .unusable(let fault)? = end { "\(fault)" } else { "" }
    }
    func rows(_ query: String) throws -> [String] { try TestDatabase.rows(query, in: url).filter { !$0.isEmpty } }
    #expect(try refusal().contains("there are no rooms of CanvasSync in this database"))
    #expect(try rows("SELECT nspname FROM pg_namespace WHERE nspname = 'canvas'") == [])
    func open(mayCreate: Bool) throws -> LogEvent? {
      let events = EventCollector()
      let log = try PostgresLog(url, mayCreate: mayCreate) { events.take($0) }
      try events.untilOpened()
      log.close()
      #expect(events.closed())
      return events.all.first(where: \.isOpened)
    }
    _ = try open(mayCreate: true)
    try TestDatabase.ask("UPDATE canvas.about SET version = version - 1; DELETE FROM canvas.secrets", in: url)
    #expect(try refusal().contains("start a server of this version first"))
    #expect(try rows("SELECT version FROM canvas.about") == ["\(PostgresSchema.newest - 1)"])
    try TestDatabase.ask("UPDATE canvas.about SET version = version + 1", in: url)
    #expect(try open(mayCreate: false) == .opened(secret: nil))
    #expect(try rows("SELECT name FROM canvas.secrets") == [])
  }

  @Test(
    "an address that nobody can read is refused before anything is tried, and it is said what is wrong, but no password",
    arguments: [
      ("canvas:secret@127.0.0.1/rooms?sslmod=require&password=secret", "no parameter sslmod"),
      ("canvas:sec%ret@127.0.0.1/rooms", "before the parameters a % isn't followed"),
      ("canvas@127.0.0.1/%ZZ", "before the parameters a % isn't followed"),
      ("canvas@127.0.0.1/rooms?password=secret%", "in the parameter password a %"),
      ("canvas:secret@127.0.0.1/rooms?sslmode", "sslmode has no value"),
      ("canvas:secret@127.0.0.1:543x2/rooms", "the port is a number"),
      ("canvas:secret@127.0.0.1:70000/rooms", "the port is a number"),
      ("canvas:secret@127.0.0.1/rooms?port=0", "the port is a number"),
    ]
  )
  func unreadable(address: String, words: String) {
    let fault = #expect(throws: StorageFault.self) { try PostgresLog("postgresql://\(address)") { _ in } }
    let said = fault.map { "\($0)" } ?? ""
    #expect(said.contains(words) && !said.contains("secret"), "\(said)")
  }
}
