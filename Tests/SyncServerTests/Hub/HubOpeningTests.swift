import CanvasCRDT
import Dispatch
import Testing
import WebSocketLoop

@testable import RoomLog
@testable import SyncServer

@Suite("Opening rooms")
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

  private actor Order {
    private(set) var names: [String] = []

    func note(_ name: String) { names.append(name) }
  }

  @Test("addresses take turns: who opens many rooms waits for them alone")
  func turns() async throws {
    var configuration = Configuration()
    configuration.storage = .memory
    configuration.port = 0
    let hub = Hub(
      loop: try EventLoop(),
      configuration: configuration,
      logger: Logger(level: .error, format: .text),
      files: StaticFiles(directory: "")
    )
    let many = (0..<40).map { "many-\($0)" }
    let shared = SharedMemory(store: try HubOpeningTests.store(many + ["one"]))
    let log = MemoryLog(sharing: shared) { hub.logTold($0) }
    _ = try hub.loop.perform { try hub.assumeIsolated { hub in try hub.start(log: log) } }
    while await hub.awaitsLog { await Task.yield() }
    // All threads for heavy work wait until the test lets them go on.
    let gate = DispatchSemaphore(value: 0)
    let pieces = (0..<16).map { party in
      Task { [hub] in try? await hub.heavyWork.run(for: "party \(party)") { gate.wait() } }
    }
    while hub.heavyWork.count < 16 { await Task.yield() }
    let order = Order()
    @Sendable func open(_ name: String, for party: String) -> Task<Void, Never> {
      Task {
        guard case .open = await hub.take(name, mayCreate: false, for: party) else {
          Issue.record("\(name) doesn't open")
          return
        }
        await order.note(name)
      }
    }
    var openings = many.map { open($0, for: "192.0.2.1") }
    while hub.heavyWork.count < 16 + many.count { await Task.yield() }
    openings.append(open("one", for: "192.0.2.2"))
    while hub.heavyWork.count < 16 + many.count + 1 { await Task.yield() }
    for _ in pieces { gate.signal() }
    for opening in openings { await opening.value }
    let place = try #require(await order.names.firstIndex(of: "one"))
    #expect(place < 20, "it came last, and only a few rooms of the other address are opened before it")
    for piece in pieces { _ = await piece.value }
  }
}
