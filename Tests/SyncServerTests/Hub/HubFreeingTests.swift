import CanvasCRDT
import RoomLog
import Synchronization
import TestSupport
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("What takes long to free is freed beside the loop")
struct HubFreeingTests {
  private let hub: Hub
  private let open: OpenRoom
  /// The cursor of the room before its newest shape.
  private let earlier: Cursor

  /// Opens the room `demo` with so many shapes that another thread frees them.
  init() async throws {
    hub = try await Hub.started { MemoryLog(sink: $0) }
    open = try await hub.openDemo()
    let shapes = (1...HeavyWork.shapesWorthAThread).map { ProposedOperation.star(UInt64($0)) }
    earlier = try await hub.submit(shapes, to: open, by: .by()).get()
    _ = try await hub.submit([.star(9_999)], to: open, by: .by()).get()
  }

  /// Waits until the queue holds one job more than the jobs of the `HeavyGate`: the job that frees something.
  private func untilItWaits() async {
    await waitUntil("it waits to be freed") { hub.heavyWork.count > HeavyGate.jobs }
  }

  @Test("a room that was deleted")
  func room() async throws {
    let gate = await HeavyGate(hub, of: HeavyWork.freeing)
    await hub.perform { [open] in $0.removed(open) }
    await untilItWaits()
    let isEmpty = await hub.perform { [open] _ in open.room.canvas.isEmpty }
    #expect(isEmpty)
    gate.open()
    await gate.ended()
  }

  @Test("what a request has read", arguments: [("", "at="), ("/overlaps", ""), ("/free", "size=9,9")])
  func reading(path: String, query: String) async throws {
    let gate = await HeavyGate(hub, of: HeavyWork.freeing)
    let query = query == "at=" ? "at=\(earlier.text.string)" : query
    let request = Request(method: "GET", path: "/v1/rooms/demo\(path)", query: query)
    #expect(await hub.response(to: request, body: []).status != 404)
    await untilItWaits()
    gate.open()
    await gate.ended()
  }

  @Test("what a request has read of a room that was deleted before the answer was made")
  func goneMeanwhile() async throws {
    let freeing = await HeavyGate(hub, of: HeavyWork.freeing)
    let request = Request(method: "GET", path: "/v1/rooms/demo")
    let reading = await HeavyGate(hub, of: hub.party(of: request))
    let answer = Task { await hub.response(to: request, body: []) }
    await waitUntil("the answer waits") { hub.heavyWork.count > HeavyGate.jobs * 2 }
    await hub.perform { [open] in $0.removed(open) }
    reading.open()
    await reading.ended()
    _ = await answer.value
    // The room itself, and the answer's copy of it.
    await waitUntil("both wait to be freed") { hub.heavyWork.count >= HeavyGate.jobs + 2 }
    freeing.open()
    await freeing.ended()
  }

  /// Reports whether this object was freed on the loop's thread.
  private final class Probe: Sendable {
    let loop: any ServerLoop
    let freedOnLoop: @Sendable (Bool) -> Void
    init(_ loop: any ServerLoop, _ freedOnLoop: @escaping @Sendable (Bool) -> Void) {
      self.loop = loop
      self.freedOnLoop = freedOnLoop
    }
    deinit { freedOnLoop(loop.isIsolatingCurrentContext() == true) }
  }

  @Test("a value of many shapes, and one of few at once", arguments: [true, false])
  func value(hasMany: Bool) async {
    let shapes = HeavyWork.shapesWorthAThread - (hasMany ? 0 : 1)
    let isOnLoop: Bool = await withCheckedContinuation { freed in
      Task { await hub.perform { $0.free(Probe($0.loop) { freed.resume(returning: $0) }, shapes: shapes) } }
    }
    #expect(isOnLoop != hasMany)
  }
}
