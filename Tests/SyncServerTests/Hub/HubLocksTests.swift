import CanvasCRDT
import RoomLog
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Locks that nodes share")
struct HubLocksTests {
  /// A log in which another node unlocks each room right after it was locked. The log reports both events together.
  private final class ContestedLog: RoomLog {
    private let sink: LogSink
    private let rooms: MemoryLog

    init(sink: @escaping LogSink) {
      self.sink = sink
      rooms = MemoryLog(sink: sink)
    }

    func submit(_ requests: [LogRequest]) {
      for request in requests {
        guard case .lock(let id, let room, let isLocked) = request else {
          rooms.submit([request])
          continue
        }
        sink([.locked(id: id, room: room, isLocked: isLocked), .locks([])])
      }
    }

    func statistics() -> LogStatistics { rooms.statistics() }
    func close() { rooms.close() }
  }

  @Test("a lock that another node has lifted before the request was answered is not taken for one that is there")
  func liftedElsewhere() async throws {
    let keeper = "keeper-keeper-keeper"
    let storage = Configuration.Storage.postgres("postgresql://database/canvas")
    let hub = try await Hub.started(storage: storage, tokens: "\(keeper) operator *") { ContestedLog(sink: $0) }
    let open = try await hub.openDemo()
    let writer = Writer(
      payer: Payer(address: "192.0.2.1", token: nil),
      token: keeper,
      level: .operator,
      actor: Identifier(packed: 9)!
    )
    guard case .success = await hub.submit([.star()], to: open, by: writer) else {
      Issue.record("it is not written")
      return
    }
    let headers = [("authorization", "Bearer \(keeper)")]
    let request = Request(method: "PUT", path: "/v1/rooms/demo/lock", headers: headers)
    #expect(await hub.response(to: request, body: []).status == 204)
    #expect(await !hub.isLocked("demo"))
  }
}
