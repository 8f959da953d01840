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
