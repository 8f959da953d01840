import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

@Suite("A room to which other nodes have written more than it can apply at once")
struct HubBacklogTests {
  /// The requests that the hub makes.
  ///
  /// `@unchecked Sendable`: they belong to one test, which runs on one thread.
  private final class Seen: @unchecked Sendable {
    private(set) var sink: LogSink = { _ in }
    private(set) var follows: [FollowRequest] = []
    private(set) var resumed: [String] = []

    func log(sharing memory: SharedMemory, _ sink: @escaping LogSink) -> MeddledLog {
      self.sink = sink
      return MeddledLog(MemoryLog(sharing: memory, sink: sink)) { [self] requests, rooms in
        for request in requests {
          switch request {
          case .follow(let follow): follows.append(follow)
          case .resume(_, let room): resumed.append(room)
          default: break
          }
        }
        rooms.submit(requests)
      }
    }
  }

  private static func append(_ id: UInt64, records: Int, mayCreate: Bool) -> LogRequest {
    let records = (0..<UInt64(records)).map { time in
      let at = Stamp(time: id << 16 + time, actor: Identifier(packed: 9)!)
      let star = Operation(shape: Identifier(packed: 5)!, at: at, set: .star)
      return NewRecord(bytes: StoredOperations(run: nil, operations: [star]).encoded(), operations: 1)
    }
    return .append(
      AppendRequest(id: id, room: "demo", epoch: 1, mayCreate: mayCreate, milliseconds: 0, records: records)
    )
  }

  @Test("what was reported is not asked for again, and more is asked for once it is applied")
  func backlog() throws {
    let shared = SharedMemory()
    let neighbour = MemoryLog(sharing: shared) { _ in }
    neighbour.submit(HubBacklogTests.append(1, records: 1, mayCreate: true))
    let log = Seen()
    // Time goes by so quickly that the hub applies one record in each turn.
    let timed = TimedServer(bus: CountingBus(), lookMicroseconds: 6_000) { log.log(sharing: shared, $0) }
    func pass(turns: Int) { timed.pass(turns: turns, of: 200) }
    var hello = Hello()
    hello.actor = Identifier(packed: 7)
    var position: UInt64? { timed.server.hub.assumeIsolated { $0.rooms["demo"]?.room.position } }
    pass(turns: 1)
    _ = try timed.server.join(.binary, hello)
    pass(turns: 20)
    #expect(position == 1)
    neighbour.submit(HubBacklogTests.append(2, records: 19, mayCreate: false))
    log.sink([.paused(room: "demo")])
    pass(turns: 2)
    _ = try timed.server.join(.binary, hello)
    pass(turns: 2)
    let applied = try #require(position)
    #expect(applied > 1 && applied < 20, "the room has yet to apply most of it")
    #expect(log.follows.count > 1 && log.follows.last?.after == 20)
    #expect(log.resumed.isEmpty)
    pass(turns: 40)
    #expect(position == 20)
    #expect(log.resumed == ["demo"])
  }
}
