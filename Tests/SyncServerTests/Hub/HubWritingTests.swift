import CanvasCRDT
import Glibc
import Synchronization
import Testing
import WebSocketLoop

@testable import RoomLog
@testable import SyncServer

@Suite("Writing without a connection")
struct HubWritingTests {
  private let hub: Hub
  private let ann = "ann-ann-ann-ann-1"
  private let keeper = "keeper-keeper-keeper"

  init() async throws {
    hub = try await Hub.started(tokens: "\(ann) editor demo\n\(keeper) operator *") { MemoryLog(sink: $0) }
  }

  private func request(_ method: String, _ path: String, _ token: String) -> Request {
    Request(method: method, path: "/v1/rooms/demo\(path)", headers: [("authorization", "Bearer \(token)")])
  }

  private func writer(_ token: String) -> SyncServer.Writer {
    let payer = Payer(address: "192.0.2.1", token: nil)
    return SyncServer.Writer(payer: payer, token: token, level: .editor, actor: Identifier(packed: 9)!)
  }

  @Test(
    "H15, C3: a layout that waits is not written after the room was locked, or its token taken away",
    arguments: [true, false]
  )
  func rightsEnd(isLocked: Bool) async throws {
    let open = try await hub.openDemo()
    let canvas = try #require(await hub.view(of: open)?.canvas)
    var generator = SystemRandomNumberGenerator()
    let shapes = try Import.read(Array("{'squares':[{'x':1,'y':2,'colour':'#102030','size':20}]}".utf8), shapesMax: 9)
    let layout = try LayoutEdits(importing: shapes, into: canvas, using: &generator)
    let gate = await HeavyGate(hub)
    let writing = Task { [hub] in await hub.submit(layout, to: open, by: writer(ann)) }
    while await hub.layoutsUnderWay == 0 { await Task.yield() }
    if isLocked {
      // Sets the lock directly, because a request to lock the room would have to wait for the layout.
      await hub.perform { $0.locks.set("demo", isLocked: true) }
    } else {
      await hub.take(Credentials(tokens: try Tokens("\(keeper) operator *")))
    }
    gate.open()
    guard case .failure(let refusal) = await writing.value else {
      Issue.record("it is written")
      return
    }
    #expect(refusal.response.status == (isLocked ? 403 : 401))
    #expect(await hub.view(of: open)?.position == 0)
    #expect(open.room.isIdle, "nothing is on its way")
    await gate.ended()
  }

  @Test("a changed room is flushed, one with nothing to send gets no further turn, and one that is gone stays as it is")
  func changes() async throws {
    let open = try await hub.openDemo()
    await hub.perform { [open] hub in
      hub.giveTurn(to: open) { $0.rest(now: hub.now) }
      #expect(hub.rooms.toFlush.isEmpty)
      hub.change(open) { $0.rest(now: hub.now) }
      #expect(hub.rooms.toFlush.takeAll().map(\.name) == ["demo"])
      hub.removed(open)
      let changed: Void? = hub.change(open) { $0.begin(epoch: 7) }
      #expect(changed == nil && open.room.epoch != 7)
      hub.giveTurn(to: open) { $0.begin(epoch: 7) }
      #expect(open.room.epoch != 7)
    }
  }

  /// Refuses what is to be stored, at once or when the test says so, or doesn't tell its owner what other nodes do.
  private final class RefusingLog: RoomLog {
    private let sink: LogSink
    private let rooms: MemoryLog
    private let refuses: Bool
    private let isPatient: Bool
    private let held = Mutex<[LogEvent]>([])

    init(sharing memory: SharedMemory, refuses: Bool, isPatient: Bool = false, sink: @escaping LogSink) {
      self.sink = sink
      self.refuses = refuses
      self.isPatient = isPatient
      rooms = MemoryLog(sharing: memory) { events in
        sink(events.filter { if case .deleted(nil, _, _) = $0 { false } else { true } })
      }
    }

    func submit(_ requests: [LogRequest]) {
      for request in requests {
        if refuses, request.isAppend {
          held.withLock { $0.append(.failed(id: request.id, room: request.room, .unavailable(.diskFull(path: "")))) }
          if !isPatient { refuseHeld() }
        } else {
          rooms.submit([request])
        }
      }
    }

    /// - Returns: whether there was something to refuse.
    @discardableResult
    func refuseHeld() -> Bool {
      let events = held.withLock { held in
        defer { held = [] }
        return held
      }
      sink(events)
      return !events.isEmpty
    }

    func statistics() -> LogStatistics { rooms.statistics() }
    func close() { rooms.close() }
  }

  @Test("W11: what the log refuses counts against no quota, even if the room was closed before the log has answered")
  func refusedForAClosedRoom() async throws {
    var limits = Limits()
    limits.dayRoomsPerAddress = 1
    let made = Mutex<RefusingLog?>(nil)
    let hub = try await Hub.started(limits: limits) { sink in
      let log = RefusingLog(sharing: SharedMemory(), refuses: true, isPatient: true, sink: sink)
      made.withLock { $0 = log }
      return log
    }
    let log = try #require(made.withLock { $0 })
    let open = try await hub.openDemo()
    let writer = writer(ann)
    let writing = Task { await hub.submit([.star()], to: open, by: writer) }
    while await hub.log.isClear { await Task.yield() }
    await hub.perform { $0.stop(open, "closed") }
    _ = await writing.value
    while !log.refuseHeld() { await Task.yield() }
    while await !hub.log.isClear { await Task.yield() }
    let refusal = await hub.perform { $0.quotas.refusal(of: writer.payer, isNewRoom: true, now: 0) }
    #expect(refusal == nil)
  }

  @Test("W11: what the log refuses counts against no quota")
  func refusedForNothing() async throws {
    var limits = Limits()
    (limits.dayBytesPerAddress, limits.dayRoomsPerAddress) = (500, 1)
    let hub = try await Hub.started(limits: limits) { RefusingLog(sharing: SharedMemory(), refuses: true, sink: $0) }
    let open = try await hub.openDemo()
    for number in 1...20 as ClosedRange<UInt64> {
      guard case .failure(let refusal) = await hub.submit([.star(number)], to: open, by: writer(ann)) else {
        Issue.record("it is written")
        return
      }
      #expect(refusal.response.status == 503)
    }
  }

  @Test("H9: a room as it was is not answered from another room of its name")
  func otherRoom() async throws {
    let shared = SharedMemory()
    let hub = try await Hub.started { RefusingLog(sharing: shared, refuses: false, sink: $0) }
    let open = try await hub.openDemo()
    guard case .success = await hub.submit([.star()], to: open, by: writer(ann)) else {
      Issue.record("it is not written")
      return
    }
    let past = Request(method: "GET", path: "/v1/rooms/demo", query: "at=9999999999999")
    #expect(await hub.response(to: past, body: []).status == 200)
    let neighbour = MemoryLog(sharing: shared) { _ in }
    neighbour.submit(.delete(id: 1, room: "demo"))
    let record = NewRecord(bytes: StoredOperations(run: nil, operations: []).encoded(), operations: 0)
    neighbour.submit(
      .append(AppendRequest(id: 2, room: "demo", epoch: 7, mayCreate: true, milliseconds: 0, records: [record]))
    )
    #expect(await hub.response(to: past, body: []).status == 503)
    let steps = Request(method: "GET", path: "/v1/rooms/demo/history", query: "steps=1")
    #expect(await hub.response(to: steps, body: []).status == 503)
  }

  @Test("a deleted room whose lock can't be lifted is told as such, and deleting it again lifts the lock")
  func lockStaysBehind() async throws {
    let open = try await hub.openDemo()
    guard case .success = await hub.submit([.star()], to: open, by: writer(ann)) else {
      Issue.record("it is not written")
      return
    }
    var template = Array("/tmp/hub-locks-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let parent = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = parent + "/data"
    defer {
      unlink(folder + "/canvas.locks")
      rmdir(folder)
      rmdir(parent)
    }
    var locks = try RoomLocks(path: folder + "/canvas.locks")
    locks.set("demo", isLocked: true)
    let unstored = locks
    await hub.perform { $0.locks = unstored }
    for _ in 0..<2 { #expect(await hub.response(to: request("DELETE", "", keeper), body: []).status == 503) }
    #expect(await hub.isLocked("demo"))
    try #require(mkdir(folder, 0o700) == 0)
    #expect(await hub.response(to: request("DELETE", "", keeper), body: []).status == 204)
    #expect(await !hub.isLocked("demo"))
    #expect(await hub.response(to: request("DELETE", "", keeper), body: []).status == 404)
  }

  @Test("a request to a room that has just gone is answered")
  func roomIsGone() async throws {
    let open = try await hub.openDemo()
    guard case .success = await hub.submit([.star()], to: open, by: writer(ann)) else {
      Issue.record("it is not written")
      return
    }
    let response = await hub.response(to: request("DELETE", "", keeper), body: [])
    #expect(response.status == 204)
    let outcome = await hub.submit([.star()], to: open, by: writer(ann))
    guard case .failure(let refusal) = outcome else {
      Issue.record("a room that is gone took it")
      return
    }
    #expect(refusal.response.status == 503)
    guard case .failure = await hub.forgetErasures(of: open, before: 9, by: writer(keeper)) else {
      Issue.record("a room that is gone forgot deletions")
      return
    }
    #expect(await hub.overlapIndex(of: open) == nil)
  }
}
