import Synchronization
import Testing

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer
@testable import WebSocketLoop

@Suite("Arriving, leaving and stopping, to the millisecond")
struct HubStoppingTests {
  /// A log that never answers what it is to store, and never says that it is closed.
  private final class StuckLog: RoomLog {
    private let rooms: MemoryLog
    let isClosed = Mutex(false)

    init(_ sink: @escaping LogSink) { rooms = MemoryLog(sink: sink) }
    func submit(_ requests: [LogRequest]) { rooms.submit(requests.filter { !$0.isAppend }) }
    func statistics() -> LogStatistics { rooms.statistics() }
    func close() { isClosed.withLock { $0 = true } }
  }

  private let log: StuckLog
  private let timed: TimedServer
  private let start: UInt64
  private var server: VirtualServer { timed.server }
  private var now: Moment { timed.now }

  init() {
    var made: StuckLog?
    timed = TimedServer { sink in
      let log = StuckLog(sink)
      made = log
      return log
    }
    start = timed.now.monotonicMilliseconds
    log = made!
  }

  /// Advances the clock, a millisecond at a time, to `milliseconds` after the start.
  private func pass(to milliseconds: UInt64) {
    let end = start + milliseconds
    if end > now.monotonicMilliseconds { timed.pass(turns: Int(end - now.monotonicMilliseconds)) }
  }

  private func join(until milliseconds: UInt64) throws -> VirtualConnection {
    pass(to: 10)
    let connection = try server.join(.json)
    pass(to: milliseconds)
    return connection
  }

  private func said(to connection: VirtualConnection) -> [String] {
    var frames = connection.takeFrames()
    return VirtualConnection.takeMessages(&frames).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("stopping waits three seconds for the log, 2.5 for clients, and ends after nine at the latest")
  func stuck() throws {
    let connection = try join(until: 100)
    let write = server.draw(2)
    pass(to: 200)
    server.hub.assumeIsolated { $0.stop() }
    pass(to: 3_199)
    #expect(connection.closure == nil && write.response == nil)
    pass(to: 3_202)
    #expect(connection.closure?.code == CloseCode.goingAway.rawValue)
    // The client doesn't leave.
    pass(to: 5_699)
    #expect(log.isClosed.withLock { !$0 })
    pass(to: 5_702)
    #expect(log.isClosed.withLock { $0 } && server.exitStatus == nil)
    pass(to: 9_199)
    #expect(server.exitStatus == nil)
    pass(to: 9_200)
    #expect(server.exitStatus == 0)
  }

  @Test("stopping waits for nothing where there is nothing to store and nobody to leave")
  func atOnce() {
    pass(to: 10)
    server.hub.assumeIsolated { $0.stop() }
    pass(to: 13)
    #expect(log.isClosed.withLock { $0 })
  }

  private func refusal(of path: String = "/v1/rooms/demo/sync", headers: [(String, String)] = []) -> Int? {
    let request = Request(path: path, headers: headers.map { (name: $0.0, value: $0.1) }, peer: "10.0.0.9")
    return server.hub.assumeIsolated { hub in
      guard case .refuse(let response) = hub.decide(on: request) else { return nil }
      return response.status
    }
  }

  @Test(
    "C1, C8: a WebSocket is refused at another path, by another name, from a foreign page, and while it can't be served"
  )
  func upgrades() {
    #expect(refusal() == 503, "the log isn't open")
    pass(to: 10)
    #expect(refusal() == nil)
    #expect(refusal(of: "/v1/rooms/demo") == 404 && refusal(of: "/v1/rooms/demo/sync/x") == 404)
    for path in ["/v1/rooms/demo/sync", "/v1/rooms/demo"] {
      #expect(refusal(of: path, headers: [("host", "evil.test")]) == 421, "\(path)")
      #expect(refusal(of: path, headers: [("origin", "https://evil.test")]) == 403, "\(path)")
    }
    #expect(refusal(of: "/r/demo", headers: [("host", "evil.test")]) == 421)
    #expect(refusal(of: "/healthz", headers: [("host", "evil.test")]) == 404)
    for _ in 0..<32 { server.hub.assumeIsolated { $0.sessions.turnedAway("10.0.0.9") } }
    #expect(refusal() == 429)
    for _ in 0..<32 { server.hub.assumeIsolated { $0.sessions.forgetTurnedAway("10.0.0.9") } }
    #expect(refusal() == nil)
    server.hub.assumeIsolated { $0.stop() }
    #expect(refusal() == 503)
  }

  @Test("C10: a client is warned once, a minute before its token expires, and then its connection is closed")
  func expiry() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("key", Array(repeating: UInt8(ascii: "k"), count: 32))
    let signed = try SignedTokens(keysAt: file, terms: SignedClaims.Terms())
    let connection = try join(until: 100)
    _ = said(to: connection)
    let endsAt = now.wallMilliseconds + 60_050
    server.hub.assumeIsolated { hub in
      hub.credentials = Credentials(signed: signed)
      for session in hub.sessions.all { session.grant.endsAt = endsAt }
    }
    func look(at wall: UInt64) -> [String] {
      let time = Moment(wallMilliseconds: wall, monotonicMilliseconds: now.monotonicMilliseconds)
      server.hub.assumeIsolated { $0.lookAtEnds(now: time) }
      for _ in 0..<3 { server.turn(at: now) }
      return said(to: connection).filter { $0.contains("token_expires") }
    }
    #expect(look(at: endsAt - 60_001).isEmpty)
    #expect(look(at: endsAt - 60_000).count == 1)
    #expect(look(at: endsAt - 1).isEmpty && connection.closure == nil)
    // With another token, the client is warned anew.
    server.hub.assumeIsolated { hub in for session in hub.sessions.all { session.takes("b", session.grant) } }
    #expect(look(at: endsAt - 1).count == 1)
    _ = look(at: endsAt)
    #expect(connection.closure?.code == CloseCode.noToken.rawValue)
  }
}
