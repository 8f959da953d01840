import CanvasCRDT
import RoomLog
import Testing
import WebSocketLoop

@testable import ServerModel
@testable import SyncServer

@Suite("Locks that nodes share")
struct HubLocksTests {
  /// A log in which another node unlocks each room right after it was locked. The log reports both events together.
  private static func contestedLog(_ sink: @escaping LogSink) -> MeddledLog {
    MeddledLog(MemoryLog(sink: sink)) { requests, rooms in
      for request in requests {
        guard case .lock(let id, let room, let isLocked) = request else {
          rooms.submit([request])
          continue
        }
        sink([.locked(id: id, room: room, isLocked: isLocked), .locks([])])
      }
    }
  }

  @Test("a lock that another node has lifted before the request was answered is not taken for one that is there")
  func liftedElsewhere() async throws {
    let keeper = "keeper-keeper-keeper"
    let hub = try await Hub.started(
      bus: CountingBus(),
      tokens: "\(keeper) operator *",
      over: HubLocksTests.contestedLog
    )
    let open = try await hub.openDemo()
    _ = try await hub.submit([.star()], to: open, by: .by(keeper, level: .operator)).get()
    let headers = [("authorization", "Bearer \(keeper)")]
    let request = Request(method: "PUT", path: "/v1/rooms/demo/lock", headers: headers)
    #expect(await hub.response(to: request, body: []).status == 204)
    #expect(await !hub.isLocked("demo"))
  }

  @Test("H15: who writes into a room that another node has just locked is told so, though the log refused to store it")
  func foundByWriting() async throws {
    let ann = "ann-ann-ann-ann-1"
    let hub = try await Hub.started(bus: CountingBus(), tokens: "\(ann) editor *") { sink in
      MeddledLog(MemoryLog(sink: sink)) { requests, rooms in
        for request in requests {
          guard request.isAppend, let room = request.room else {
            rooms.submit([request])
            continue
          }
          sink([.locks([room]), .failed(id: request.id, room: room, .locked(room: room))])
        }
      }
    }
    let open = try await hub.openDemo()
    let answer = await hub.submit([.star()], to: open, by: .by(ann))
    #expect(answer.refusal?.response.status == 403)
    #expect(await hub.isLocked("demo"))
  }
}
