import CanvasCRDT
import RoomLog
import Synchronization
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Damage that somebody meets in an open room")
struct HubDamageTests {
  /// A log whose disk has damaged a record. After reading the damage, it refuses to store anything in the room until
  /// a snapshot includes the damaged record.
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
    let hub = try await Hub.started { DamagedLog(sink: $0) }
    let open = try await hub.openDemo()
    let writer = Writer(
      payer: Payer(address: "192.0.2.1", token: nil),
      token: nil,
      level: .editor,
      actor: Identifier(packed: 9)!
    )
    func write(_ shape: UInt64) async -> Bool {
      if case .success = await hub.submit([.star(shape)], to: open, by: writer) { return true }
      return false
    }
    #expect(await write(1))
    let reading = Request(method: "GET", path: "/v1/rooms/demo/history", query: "steps=1")
    #expect(await hub.response(to: reading, body: []).status == 503)
    while await hub.counts.snapshots == 0 { await Task.yield() }
    #expect(await write(2))
    #expect(await hub.perform { _ in !open.isLogDamaged })
  }
}
