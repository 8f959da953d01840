import CanvasCRDT
import RoomLog
import Synchronization
import Testing

@testable import SyncServer

/// A log that is open, and then reports that its database is out of reach. It answers nothing.
private final class SilentLog: RoomLog {
  init(_ sink: LogSink) {
    sink([.opened(secret: nil)])
    sink([.availability(room: nil, .database("it doesn't answer"))])
  }

  func submit(_ requests: [LogRequest]) {}
  func statistics() -> LogStatistics { LogStatistics() }
  func close() {}
}

@Suite("Commands on a log")
struct WaitingLogTests {
  @Test("a database that doesn't answer is waited for a minute, and then by no further request")
  func silence() throws {
    let looks = Mutex<UInt64>(0)
    // Twenty seconds pass before each look at the clock.
    let clock: @Sendable () -> UInt64 = {
      looks.withLock {
        $0 += 1
        return $0 * 20_000
      }
    }
    let log = try WaitingLog(clock: clock) { (sink: @escaping LogSink) throws(StorageFault) -> any RoomLog in
      SilentLog(sink)
    }
    let silence = LogError.unavailable(.database("it doesn't answer"))
    for count in [4, 2] as [UInt64] {
      let before = looks.withLock { $0 }
      #expect(throws: silence) { try log.ask(.delete("demo")) }
      #expect(looks.withLock { $0 } == before + count)
    }
    log.close()
  }
}

@Suite("Copying rooms that are in use")
struct LogMoveTests {
  /// A log that runs the test's code before one of its requests.
  private final class MeddledLog: RoomLog {
    private let log: MemoryLog
    private let number: Int
    private let meddling: [LogRequest]
    private let asked = Mutex(0)

    init(_ log: MemoryLog, before number: Int, _ meddling: [LogRequest]) {
      self.log = log
      self.number = number
      self.meddling = meddling
    }

    var requests: Int { asked.withLock { $0 } }

    func submit(_ requests: [LogRequest]) {
      for request in requests {
        let now = asked.withLock {
          $0 += 1
          return $0
        }
        if now == number { log.submit(meddling) }
        log.submit(request)
      }
    }

    func statistics() -> LogStatistics { log.statistics() }
    func close() { log.close() }
  }

  private static func records(_ count: UInt64) throws -> [NewRecord] {
    let actor = try #require(Identifier(packed: 900))
    return try (1...count).map { number in
      let stamp = try #require(Stamp(milliseconds: 1_000 + number, counter: 0, actor: actor))
      let shape = try #require(Identifier(packed: number))
      let operations = StoredOperations(run: nil, operations: [Operation(shape: shape, at: stamp, set: .star)])
      return NewRecord(bytes: operations.encoded(), operations: 1)
    }
  }

  private static func append(_ id: UInt64, epoch: UInt64, count: UInt64) throws -> AppendRequest {
    AppendRequest(id: id, room: "demo", epoch: epoch, mayCreate: true, milliseconds: 1, records: try records(count))
  }

  /// The snapshot of the room that `append` makes.
  private static func snapshot(_ id: UInt64, epoch: UInt64, count: UInt64) throws -> SnapshotRequest {
    var fold = Fold(epoch: epoch, seed: 1)
    for (index, new) in try records(count).enumerated() {
      let record = LogRecord(position: UInt64(index) + 1, milliseconds: 1, bytes: new.bytes)
      let stored = try #require(StoredOperations(new.bytes))
      _ = try fold.take(RoomRecord(record, stored), wantsLosses: false) { _, _ in }
    }
    let bytes = fold.image().encoded()
    return SnapshotRequest(id: id, room: "demo", epoch: epoch, position: count, shapes: count, bytes: bytes)
  }

  @Test("a room that is deleted and made again at any moment is copied, as one of the two")
  func madeAgain() throws {
    var epochs: Set<UInt64> = []
    // The other program deletes the room, and makes it again, before the request with this number. The first two
    // requests only make the room, so the test begins with the third.
    var number = 3
    while true {
      let folder = try TemporaryFolder()
      let meddling = [
        LogRequest.delete(id: 1 << 60, room: "demo"), .append(try LogMoveTests.append(1 << 61, epoch: 8, count: 2)),
        .snapshot(try LogMoveTests.snapshot(1 << 62, epoch: 8, count: 2)),
      ]
      let log = Mutex<MeddledLog?>(nil)
      let source = try WaitingLog { (sink: @escaping LogSink) throws(StorageFault) -> any RoomLog in
        let memory = MemoryLog(sink: sink)
        let meddled = MeddledLog(memory, before: number, meddling)
        log.withLock { $0 = meddled }
        return meddled
      }
      let meddled = try #require(log.withLock { $0 })
      _ = try source.ask(.append(LogMoveTests.append(0, epoch: 7, count: 4)))
      try source.ask(.snapshot(LogMoveTests.snapshot(0, epoch: 7, count: 4)))
      let move = try LogMove(of: source, .memory, to: .directory(folder.path), isBackup: true)
      #expect(move.run() == 0, "before request \(number)")
      let copy = try WaitingLog(.directory(folder.path))
      let rooms = try #require(copy.rooms)
      copy.close()
      #expect(rooms.map(\.last) == [rooms.first?.epoch == 7 ? 4 : 2], "before request \(number)")
      epochs.formUnion(rooms.map(\.epoch))
      let inspection = try LogInspection(of: folder.path + "/canvas.db") { room, answer in
        StoredRooms { answer($0(0)) }.differences(in: room)
      }
      #expect(inspection.isSound, "before request \(number)")
      guard meddled.requests >= number else { break }
      number += 1
    }
    #expect(number > 5 && epochs == [7, 8])
  }
}
