import Glibc
import Testing

@testable import RoomLog

@Suite("A log with a host that is silent", .enabled(if: TestDatabase.isThere))
struct SilentHostTests {
  /// A host that doesn't respond, like one without a network. Its queue of incoming connections is full, so it ignores
  /// further connection requests.
  private final class SilentHost {
    private let descriptors: [Int32]
    let port: UInt16

    init() throws {
      let listener = try #require(Loopback.listen(backlog: 0))
      port = Loopback.port(of: listener)
      // The first connection fills the listener's queue. The second connection must not be accepted: then the host
      // ignores all further attempts to connect.
      let first = try #require(Loopback.connect(port))
      let second = try #require(Loopback.connect(port, waits: false))
      descriptors = [listener, first, second]
      var waited = [pollfd(fd: second, events: Int16(POLLOUT), revents: 0)]
      try #require(poll(&waited, 1, 50) == 0, "the host has taken a connection")
    }

    func end() { for descriptor in descriptors { close(descriptor) } }
  }

  @Test("while one connection tries a host that is silent, the others go on; after a second it tries the next")
  func silent() throws {
    let url = try TestDatabase.make()
    defer { TestDatabase.drop(url) }
    let silent = try SilentHost()
    defer { silent.end() }
    let port = try #require(PostgresAddress(url).hosts.first?.port)
    let user = url.dropFirst("postgresql://".count).prefix { $0 != "@" }
    let name = url.split(separator: "/").last ?? ""
    let both = "postgresql://\(user)@/\(name)?host=127.0.0.1,127.0.0.1&port=\(port),\(silent.port)"
    let events = EventCollector()
    let log = try PostgresLog(both) { events.take($0) }
    defer { log.close() }
    try events.untilOpened()
    let helper = "datname = current_database() AND application_name = 'canvas helper'"
    try TestDatabase.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(helper)", in: url)
    while log.statistics().following?.reconnects == 0 { usleep(1_000) }
    var last: UInt64 = 0
    for id in 1...20 as ClosedRange<UInt64> {
      log.submit(.append(LogBench.append(id, "demo", [bytes("\(id)")])))
      last = try #require(events.answer(to: id)?.appended).records[0].position
    }
    // While the host doesn't respond, requests over the connection for background work are refused.
    var id: UInt64 = 20
    func keep() throws -> LogEvent {
      id += 1
      let (room, epoch) = ("demo", LogBench.epoch)
      let state = bytes("state")
      var snapshot = SnapshotRequest(id: id, room: room, epoch: epoch, position: last, shapes: 0, bytes: state)
      snapshot.isCopy = true
      log.submit(.snapshot(snapshot))
      return try #require(events.answer(to: id))
    }
    guard case .failed(_, _, .unavailable) = try keep() else {
      Issue.record("the helper was there all the time")
      return
    }
    let deadline = ContinuousClock.now + .seconds(5)
    while try keep().error != nil, ContinuousClock.now < deadline { usleep(10_000) }
    #expect(try keep() == .snapshotted(id: id, room: "demo", position: last))
  }

  @Test("a connection over which nothing comes any more is noticed, though nobody asks anything of it")
  func idle() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    proxy.hold("canvas reader")
    let deadline = ContinuousClock.now + .seconds(20)
    while bench.log.statistics().following?.connections["reader"] == true, ContinuousClock.now < deadline {
      usleep(10_000)
    }
    #expect(
      bench.log.statistics().following?.connections == [
        "writer": true, "follower": true, "reader": false, "helper": true,
      ]
    )
    proxy.hold(nil)
  }
}
