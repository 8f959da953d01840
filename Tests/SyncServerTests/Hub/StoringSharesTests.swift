import Synchronization
import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

@Suite("How much of each address waits to be stored")
struct StoringSharesTests {
  /// A log that stores nothing before the test lets it.
  private final class SlowLog: Sendable {
    private let held = Mutex<(appends: [LogRequest], rooms: MemoryLog?)>(([], nil))

    func log(_ sink: @escaping LogSink) -> MeddledLog {
      let log = MemoryLog(sink: sink)
      held.withLock { $0.rooms = log }
      return MeddledLog(log) { [self] requests, rooms in
        held.withLock { held in
          held.appends += requests.filter(\.isAppend)
          rooms.submit(requests.filter { !$0.isAppend })
        }
      }
    }

    var count: Int { held.withLock { $0.appends.count } }

    func store() {
      held.withLock { held in
        held.rooms?.submit(held.appends)
        held.appends = []
      }
    }
  }

  @Test("W7: who writes more than the disk takes is refused for now, on all its connections; others are not")
  func slowDisk() throws {
    let log = SlowLog()
    let timed = TimedServer { log.log($0) }
    let server = timed.server
    server.hub.assumeIsolated { $0.log.shares = StoringShares(bytesMax: 3_000) }
    func join(from address: String) throws -> VirtualConnection {
      let connection = try server.join(from: address)
      timed.pass(turns: 40)
      return connection
    }
    var shape: UInt64 = 0
    func write(_ bytes: Int, on connection: VirtualConnection) {
      shape += 1
      let set = Properties { ($0.kind, $0.text) = (.text, Text(String(repeating: "x", count: bytes))) }
      let operation = ProposedOperation(shape: Identifier(packed: shape)!, at: nil, set: set)
      server.say(.operations(Submission(id: MessageIdentifier(shape), operations: [operation])), on: connection)
      timed.pass(turns: 40)
    }
    timed.pass(turns: 40)
    func refusals(_ connection: VirtualConnection) -> [RejectCode] {
      var frames = connection.takeFrames()
      return VirtualConnection.takeMessages(&frames).compactMap { message in
        guard case .rejection(let rejection) = try? BinaryEncoding.decodeServerMessage(message) else { return nil }
        return rejection.code
      }
    }
    let (busy, idle) = (try join(from: "10.0.0.1"), try join(from: "10.0.0.1"))
    let other = try join(from: "10.0.0.2")
    for connection in [busy, busy, idle] { write(2_000, on: connection) }
    write(10, on: other)
    #expect(refusals(busy).isEmpty && refusals(idle) == [.unavailable] && refusals(other).isEmpty)
    #expect(log.count == 3)
    log.store()
    timed.pass(turns: 40)
    write(10, on: idle)
    #expect(refusals(idle).isEmpty && log.count == 1)
  }
}
