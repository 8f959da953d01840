import CanvasCRDT
import Testing
import WebSocketLoop

@testable import RoomLog
@testable import SyncServer

@Suite("Opening rooms", .timeLimit(.minutes(1)))
struct HubOpeningTests {
  private static func store(_ names: [String]) throws -> MemoryStore {
    var store = MemoryStore()
    var set = Properties()
    set.kind = .star
    let star = Operation(shape: Identifier(packed: 5)!, at: Stamp(time: 1, actor: Identifier(packed: 9)!), set: set)
    let record = StoredOperations(run: nil, operations: [star]).encoded()
    for (number, name) in names.enumerated() {
      let append = AppendRequest(
        id: 0,
        room: name,
        epoch: UInt64(number + 1),
        mayCreate: true,
        milliseconds: 0,
        records: [NewRecord(bytes: record, operations: 1)]
      )
      _ = try store.append(append, step: 1)
    }
    return store
  }

  @Test("addresses take turns: who opens many rooms waits for them alone, and is refused nothing else for it")
  func turns() async throws {
    let many = (0..<40).map { "many-\($0)" }
    let shared = SharedMemory(store: try HubOpeningTests.store(many + ["one"]))
    let hub = try await Hub.started { MemoryLog(sharing: shared, sink: $0) }
    @Sendable func open(_ name: String, for party: String) async {
      guard case .open = await hub.take(name, mayCreate: false, for: party) else {
        Issue.record("\(name) doesn't open")
        return
      }
    }
    let gate = await HeavyGate(hub, of: "192.0.2.1")
    let openings = many.map { name in Task { await open(name, for: "192.0.2.1") } }
    while hub.heavyWork.count < HeavyGate.jobs + many.count { await Task.yield() }
    let request = Task { try await hub.heavyWork.run(for: "192.0.2.1") {} }
    while hub.heavyWork.count < HeavyGate.jobs + many.count + 1 { await Task.yield() }
    await open("one", for: "192.0.2.2")
    // A job counts until its thread has done with it, which is a moment after its answer.
    while hub.heavyWork.count > HeavyGate.jobs + many.count + 1 { await Task.yield() }
    #expect(hub.heavyWork.count == HeavyGate.jobs + many.count + 1, "all work of the other address still waits")
    // A room for which the other address waits, too, is opened in the turn of the first of them.
    await open("many-39", for: "192.0.2.2")
    #expect(hub.heavyWork.count == HeavyGate.jobs + many.count)
    gate.open()
    for opening in openings { await opening.value }
    await #expect(throws: Never.self) { try await request.value }
    await gate.ended()
  }
}
