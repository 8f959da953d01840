import CanvasCRDT
import Glibc
import Synchronization
import TestSupport
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

  /// One square, for a hub to write into a room.
  private func square(for open: OpenRoom, of hub: Hub) async throws -> LayoutEdits {
    let canvas = try #require(await hub.view(of: open)?.canvas)
    var generator = SystemRandomNumberGenerator()
    let shapes = try Import.read(Array("{'squares':[{'x':1,'y':2,'colour':'#102030','size':20}]}".utf8), shapesMax: 9)
    return try LayoutEdits(importing: shapes, into: canvas, using: &generator)
  }

  /// For how many rooms a writer would be charged who wrote to this room now.
  private func charge(for open: OpenRoom, of hub: Hub) async -> Int? {
    let payer = SyncServer.Writer.by(ann).payer
    return await hub.perform { [open] in $0.charge(payer, bytes: 0, to: open)?.rooms }
  }

  @Test(
    "H15, C3: a layout that waits is not written after the room was locked, or its token taken away",
    arguments: [true, false]
  )
  func rightsEnd(isLocked: Bool) async throws {
    let open = try await hub.openDemo()
    let layout = try await square(for: open, of: hub)
    let gate = await HeavyGate(hub)
    let writing = Task { [hub] in await hub.submit(layout, to: open, by: .by(ann)) }
    await waitUntil("the layout is under way") { await hub.log.layoutsUnderWay > 0 }
    if isLocked {
      // Sets the lock directly, because a request to lock the room would have to wait for the layout.
      await hub.perform { $0.locks.set("demo", isLocked: true) }
    } else {
      await hub.take(Credentials(tokens: try Tokens("\(keeper) operator *")))
    }
    gate.open()
    #expect(await writing.value.refusal?.response.status == (isLocked ? 403 : 401))
    #expect(await hub.view(of: open)?.position == 0)
    #expect(open.room.isIdle, "nothing is on its way")
    #expect(await charge(for: open, of: hub) == 1, "whoever writes next is charged for making the room")
    await gate.ended()
  }

  @Test(
    "H15, C3: who has lost the right to write is told so, also where the room was opened before",
    arguments: [true, false]
  )
  func rightsEnded(isLocked: Bool) async throws {
    let open = try await hub.openDemo()
    if isLocked {
      await hub.perform { $0.locks.set("demo", isLocked: true) }
    } else {
      await hub.take(Credentials(tokens: try Tokens("\(keeper) operator *")))
    }
    let answer = await hub.submit([.star()], to: open, by: .by(ann))
    #expect(answer.refusal?.response.status == (isLocked ? 403 : 401))
    #expect(await hub.view(of: open)?.position == 0)
    #expect(await hub.submit([.star()], to: open, by: .by(keeper, level: .operator)).refusal == nil)
  }

  @Test("a changed room is flushed once, one with nothing to send gets no turn, and one that is gone stays as it is")
  func changes() async throws {
    let open = try await hub.openDemo()
    await hub.perform { [open] hub in
      hub.giveTurn(to: open) { $0.rest(now: hub.now) }
      #expect(hub.rooms.toFlush.isEmpty)
      for _ in 0..<2 { hub.change(open) { $0.rest(now: hub.now) } }
      #expect(hub.rooms.toFlush.takeAll().map(\.name) == ["demo"])
      hub.removed(open)
      let changed: Void? = hub.change(open) { $0.begin(epoch: 7) }
      #expect(changed == nil && open.room.epoch != 7)
      hub.giveTurn(to: open) { $0.begin(epoch: 7) }
      #expect(open.room.epoch != 7)
    }
  }

  /// Refuses what is to be stored, or doesn't tell its owner what other nodes do.
  private static func log(sharing memory: SharedMemory, refuses: Bool, _ sink: @escaping LogSink) -> MeddledLog {
    let rooms = MemoryLog(sharing: memory) { events in
      sink(events.filter { if case .deleted(nil, _, _) = $0 { false } else { true } })
    }
    return MeddledLog(rooms) { requests, rooms in
      for request in requests {
        if refuses, request.isAppend {
          sink([.failed(id: request.id, room: request.room, .unavailable(.diskFull(path: "")))])
        } else {
          rooms.submit([request])
        }
      }
    }
  }

  @Test("W11: what the log refuses counts against no quota, even if the room was closed before the log has answered")
  func refusedForAClosedRoom() async throws {
    var limits = Limits()
    limits.dayRoomsPerAddress = 1
    /// The refusals that the log has not told yet, and who is to be told.
    let held = Mutex<(events: [LogEvent], sink: LogSink?)>(([], nil))
    let hub = try await Hub.started(limits: limits) { sink in
      held.withLock { $0.sink = sink }
      return MeddledLog(MemoryLog(sink: sink)) { requests, rooms in
        for request in requests {
          guard request.isAppend else {
            rooms.submit([request])
            continue
          }
          held.withLock {
            $0.events.append(.failed(id: request.id, room: request.room, .unavailable(.diskFull(path: ""))))
          }
        }
      }
    }
    let open = try await hub.openDemo()
    let writer = SyncServer.Writer.by(ann)
    let writing = Task { await hub.submit([.star()], to: open, by: writer) }
    await waitUntil("the log has a write") { await !hub.log.isClear }
    await hub.perform { $0.stop(open, "closed") }
    _ = await writing.value
    await waitUntil("the answer is held") { held.withLock { !$0.events.isEmpty } }
    held.withLock { $0.sink?($0.events) }
    await waitUntil("the write is answered") { await hub.log.isClear }
    let refusal = await hub.perform { $0.accounts.quotas.refusal(of: writer.payer, isNewRoom: true, now: 0) }
    #expect(refusal == nil)
  }

  @Test("W11: what the log refuses counts against no quota")
  func refusedForNothing() async throws {
    var limits = Limits()
    (limits.dayBytesPerAddress, limits.dayRoomsPerAddress) = (500, 1)
    let hub = try await Hub.started(limits: limits) {
      HubWritingTests.log(sharing: SharedMemory(), refuses: true, $0)
    }
    let open = try await hub.openDemo()
    for number in 1...20 as ClosedRange<UInt64> {
      #expect(await hub.submit([.star(number)], to: open, by: .by(ann)).refusal?.response.status == 503)
    }
    let layout = try await square(for: open, of: hub)
    #expect(await hub.submit(layout, to: open, by: .by(ann)).refusal?.response.status == 503)
    // Whoever creates the room at last has to pay for it, once.
    #expect(await charge(for: open, of: hub) == 1)
    #expect(await charge(for: open, of: hub) == 0)
  }

  @Test("W11: who was charged for a room pays for it, though a write of theirs is refused, once another one is stored")
  func refusedLater() async throws {
    var limits = Limits()
    limits.dayRoomsPerAddress = 1
    let hub = try await Hub.started(limits: limits) { MemoryLog(sink: $0) }
    let open = try await hub.openDemo()
    _ = try await hub.submit([.star()], to: open, by: .by(ann)).get()
    let payer = SyncServer.Writer.by(ann).payer
    let refusal = await hub.perform { [open] hub in
      hub.giveBack(Hub.Charge(payer: payer, bytes: 0, rooms: 1), for: open)
      return hub.accounts.quotas.refusal(of: payer, isNewRoom: true, now: hub.clocks.steadyMilliseconds)
    }
    #expect(refusal != nil)
  }

  @Test(
    "C8, H10: a page of another site is refused as such, whatever content type it sends",
    arguments: [("https://evil.test", 403), (nil, 415)]
  )
  func foreignText(origin: String?, status: Int) async {
    var headers = [(name: "authorization", value: "Bearer \(ann)"), (name: "content-type", value: "text/plain")]
    if let origin { headers.append((name: "origin", value: origin)) }
    let request = Request(method: "POST", path: "/v1/rooms/demo/ops", headers: headers)
    #expect(await hub.response(to: request, body: []).status == status)
  }

  @Test("W1, H4: over HTTP, an id is as long as over a WebSocket at most", arguments: [(1_024, 200), (1_025, 400)])
  func longIdentifier(bytes: Int, status: Int) async {
    let id = String(repeating: "i", count: bytes - 2)
    let body = #"{"id":"\#(id)","ops":[{"shape":"afy-kw5-t7o","set":{"kind":"star"}}]}"#
    #expect(await hub.response(to: request("POST", "/ops", ann), body: Array(body.utf8)).status == status)
  }

  @Test("W2: over HTTP, a token, a subject and an address are different people, even if they are called the same")
  func actors() async {
    let accounts: [Payer.Account?] = [.token("192.0.2.1"), .subject("192.0.2.1"), .subject("ann"), nil]
    let actors = await hub.perform { hub in
      var actors: Set<Identifier> = []
      for account in accounts {
        var grant = Grant.everything
        grant.account = account
        actors.insert(hub.writer(of: Request(path: "/", peer: "192.0.2.1"), with: grant, in: "demo").actor)
      }
      return actors
    }
    #expect(actors.count == accounts.count)
  }

  @Test("H9: a room as it was is not answered from another room of its name")
  func otherRoom() async throws {
    let shared = SharedMemory()
    let hub = try await Hub.started { HubWritingTests.log(sharing: shared, refuses: false, $0) }
    let open = try await hub.openDemo()
    let first = try await hub.submit([.star()], to: open, by: .by(ann)).get()
    _ = try await hub.submit([.star(6)], to: open, by: .by(ann)).get()
    let past = Request(method: "GET", path: "/v1/rooms/demo", query: "at=\(first.text.string)")
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
    _ = try await hub.submit([.star()], to: open, by: .by(ann)).get()
    let parent = try TemporaryFolder()
    let folder = parent.path + "/data"
    defer {
      unlink(folder + "/canvas.locks")
      rmdir(folder)
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

  @Test("the list of rooms doesn't wait for those who read history")
  func listBesideHistory() async throws {
    let open = try await hub.openDemo()
    _ = try await hub.submit([.star()], to: open, by: .by(ann)).get()
    await hub.perform { hub in
      for party in ["192.0.2.1", "192.0.2.2"] {
        while hub.requestBook.historyTurns.take(party) {}
      }
    }
    let list = Request(method: "GET", path: "/v1/rooms", headers: [("authorization", "Bearer \(keeper)")])
    #expect(await hub.response(to: list, body: []).status == 200)
  }

  @Test("the log is asked every ten minutes to drop what is too old")
  func retaining() {
    let asked = Mutex(0)
    var desk = LogDesk(beatMilliseconds: 10)
    desk.use(MeddledLog(MemoryLog { _ in }) { requests, _ in asked.withLock { $0 += requests.count } })
    for minute: UInt64 in 0..<25 {
      desk.retain(now: Moment(wallMilliseconds: 0, monotonicMilliseconds: minute * 60_000))
      _ = desk.endTurn { minute * 60_000 }
    }
    #expect(asked.withLock { $0 } == 3)
  }

  @Test("a request to a room that has just gone is answered")
  func roomIsGone() async throws {
    let open = try await hub.openDemo()
    _ = try await hub.submit([.star()], to: open, by: .by(ann)).get()
    let response = await hub.response(to: request("DELETE", "", keeper), body: [])
    #expect(response.status == 204)
    #expect(await hub.submit([.star()], to: open, by: .by(ann)).refusal?.response.status == 503)
    #expect(await hub.forgetErasures(of: open, before: 9, by: .by(keeper)).refusal != nil)
    #expect(await hub.overlapIndex(of: open, for: "") == nil)
  }
}

extension Result {
  var refusal: Failure? { if case .failure(let refusal) = self { refusal } else { nil } }
}
