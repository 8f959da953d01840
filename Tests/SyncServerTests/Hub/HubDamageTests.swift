import CanvasCRDT
import RoomLog
import Synchronization
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Damage that somebody meets in an open room")
struct HubDamageTests {
  /// Behaves like a log whose disk has changed a record: once a reader has come across the damage, the log stores
  /// nothing more in the room until a snapshot covers the damage.
  private final class DamagedLog: RoomLog {
    private enum State { case unseen, met, covered }

    private let sink: LogSink
    private let rooms: MemoryLog
    private let state = Mutex(State.unseen)
    private static let damage = LogError.damaged(room: "demo", position: 1)

    init(sink: @escaping LogSink) {
      self.sink = sink
      rooms = MemoryLog(sink: sink)
    }

    func submit(_ requests: [LogRequest]) {
      for request in requests {
        switch request {
        case .read(let read):
          state.withLock { if $0 == .unseen { $0 = .met } }
          sink([.failed(id: read.id, room: read.room, DamagedLog.damage)])
          continue
        case .append(let append) where state.withLock({ $0 == .met }):
          sink([.failed(id: append.id, room: append.room, DamagedLog.damage)])
          continue
        case .snapshot: state.withLock { $0 = .covered }
        default: break
        }
        rooms.submit([request])
      }
    }

    func statistics() -> LogStatistics { rooms.statistics() }
    func close() { rooms.close() }
  }

  @Test("a snapshot of the room is made at once, so that people can go on writing, and nothing is lost")
  func covered() async throws {
    var configuration = Configuration()
    configuration.storage = .memory
    configuration.port = 0
    let hub = Hub(
      loop: try EventLoop(),
      configuration: configuration,
      logger: Logger(level: .error, format: .text),
      files: StaticFiles(directory: "")
    )
    let log = DamagedLog { hub.logTold($0) }
    _ = try hub.loop.perform { try hub.assumeIsolated { hub in try hub.start(log: log) } }
    while await hub.awaitsLog { await Task.yield() }
    guard case .open(let open) = await hub.take("demo", mayCreate: true, for: "192.0.2.1") else {
      Issue.record("the room doesn't open")
      return
    }
    let writer = Writer(
      payer: Payer(address: "192.0.2.1", token: nil),
      token: nil,
      level: .editor,
      actor: Identifier(packed: 9)!
    )
    func write(_ shape: UInt64) async -> Bool {
      var set = Properties()
      set.kind = .star
      let star = ProposedOperation(shape: Identifier(packed: shape)!, at: nil, set: set)
      if case .success = await hub.submit([star], to: open, by: writer) { return true }
      return false
    }
    #expect(await write(1))
    let reading = Request(method: "GET", path: "/v1/rooms/demo/history", query: "steps=1")
    #expect(await hub.response(to: reading, body: []).status == 503)
    while await hub.counts.snapshots == 0 { await Task.yield() }
    #expect(await write(2))
    #expect(hub.loop.perform { !open.isLogDamaged })
  }
}
