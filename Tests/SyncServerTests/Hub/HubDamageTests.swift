import CanvasCRDT
@testable import RoomLog
import Synchronization
import TestSupport
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Damage that somebody meets in an open room")
struct HubDamageTests {
  /// A log whose disk has damaged a record. After reading the damage, it refuses to store anything in the room until
  /// a snapshot includes the damaged record.
  private final class Damage: Sendable {
    private enum State { case unseen, met, covered }

    private let state = Mutex(State.unseen)
    private let error = LogError.damaged(room: "demo", position: 1)

    func log(_ sink: @escaping LogSink) -> MeddledLog {
      MeddledLog(MemoryLog(sink: sink)) { [self] requests, rooms in
        for request in requests {
          switch request {
          case .read(let read):
            state.withLock { if $0 == .unseen { $0 = .met } }
            sink([.failed(id: read.id, room: read.room, error)])
            continue
          case .append(let append) where state.withLock({ $0 == .met }):
            sink([.failed(id: append.id, room: append.room, error)])
            continue
          case .snapshot: state.withLock { $0 = .covered }
          default: break
          }
          rooms.submit([request])
        }
      }
    }
  }

  @Test("a snapshot of the room is made at once, so that people can go on writing, and nothing is lost")
  func covered() async throws {
    let hub = try await Hub.started(over: Damage().log)
    let open = try await hub.openDemo()
    func write(_ shape: UInt64) async -> Bool {
      if case .success = await hub.submit([.star(shape)], to: open, by: .by()) { return true }
      return false
    }
    #expect(await write(1))
    let reading = Request(method: "GET", path: "/v1/rooms/demo/history", query: "steps=1")
    #expect(await hub.response(to: reading, body: []).status == 503)
    await waitUntil("a snapshot is stored") { await hub.counts.snapshots > 0 }
    #expect(await write(2))
    #expect(await hub.perform { _ in !open.isLogDamaged })
  }

  @Test("a snapshot that reads back as another room is not kept, and operators are told")
  func falseSnapshot() async throws {
    let hub = try await Hub.started { MemoryLog(sink: $0) }
    let open = try await hub.openDemo()
    _ = try await hub.submit([.star()], to: open, by: .by()).get()
    let kept = await hub.perform { [open] hub in
      let (image, digest) = (open.room.image(), open.room.canvas.digest)
      let isKept = hub.checked(image.encodedSurely(as: digest), of: open) != nil
      return [isKept, hub.checked(image.encodedSurely(as: digest &+ 1), of: open) != nil]
    }
    #expect(kept == [true, false])
    #expect(await hub.counts.snapshotMismatches == 1)
  }

  @Test("where a record is missing, neither the past nor the room is put together from the others")
  func gap() async throws {
    let shared = SharedMemory()
    let lossy: (@escaping LogSink) -> any RoomLog = { sink in
      MemoryLog(sharing: shared) { events in
        sink(
          events.map { event in
            guard case .read(let id, var page) = event else { return event }
            page.records.removeAll { $0.position == 1 }
            return .read(id: id, page)
          }
        )
      }
    }
    let hub = try await Hub.started(over: lossy)
    let open = try await hub.openDemo()
    _ = try await hub.submit([.star(1)], to: open, by: .by()).get()
    let second = try await hub.submit([.star(2)], to: open, by: .by()).get()
    let third = try await hub.submit([.star(3)], to: open, by: .by()).get()
    // What the room still is isn't put together from records.
    for (cursor, isAnswered) in [(second, false), (third, true)] {
      let request = Request(method: "GET", path: "/v1/rooms/demo", query: "at=\(cursor.text.string)")
      let status = await hub.response(to: request, body: []).status
      #expect((status == 200) == isAnswered)
    }
    let other = try await Hub.started(over: lossy)
    await #expect(throws: (any Error).self) { try await other.openDemo() }
  }
}
