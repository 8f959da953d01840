import Synchronization
import TestSupport
import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

@Suite("Opening rooms")
struct HubOpeningTests {
  private static func store(_ names: [String]) throws -> MemoryStore {
    var store = MemoryStore()
    let star = Operation(shape: Identifier(packed: 5)!, at: Stamp(time: 1, actor: Identifier(packed: 9)!), set: .star)
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
      _ = try store.append(append)
    }
    return store
  }

  @Test("addresses take turns: who opens many rooms waits for them alone, and is refused nothing else for it")
  func turns() async throws {
    let many = (0..<40).map { "many-\($0)" }
    let shared = SharedMemory(store: try HubOpeningTests.store(many + ["one"]))
    let count = Count()
    let hub = try await Hub.started { count.log(sharing: shared, $0) }
    @Sendable func open(_ name: String, for party: String) async {
      guard case .open = await hub.take(name, mayCreate: false, for: party) else {
        Issue.record("\(name) doesn't open")
        return
      }
    }
    let gate = await HeavyGate(hub, of: "192.0.2.1")
    let openings = many.map { name in Task { await open(name, for: "192.0.2.1") } }
    // The other openings wait for their turn before they ask the log, so they hold no snapshot.
    let first = OpeningTurns.mostOfParty
    await waitUntil("the first rooms wait") { hub.heavyWork.count >= HeavyGate.jobs + first }
    #expect(count.loads == first)
    let request = Task { try await hub.heavyWork.run(for: "192.0.2.1") {} }
    await waitUntil("the request waits") { hub.heavyWork.count > HeavyGate.jobs + first }
    await open("one", for: "192.0.2.2")
    // A job is still counted for a moment after its answer.
    await waitUntil("the job is over") { hub.heavyWork.count <= HeavyGate.jobs + first + 1 }
    #expect(hub.heavyWork.count == HeavyGate.jobs + first + 1, "all work of the other address still waits")
    #expect(count.loads == first + 1)
    // Both addresses wait for these rooms, and the other address has its turn first. The work for some of the rooms
    // waits already.
    for name in many.suffix(6) { await open(name, for: "192.0.2.2") }
    gate.open()
    for opening in openings { await opening.value }
    await #expect(throws: Never.self) { try await request.value }
    await gate.ended()
    #expect(hub.heavyWork.count == 0)
  }

  /// Counts how often a log is read.
  private final class Count: Sendable {
    private let loading = Atomic(0)
    private let reading = Atomic(0)
    private let following = Atomic(0)
    var loads: Int { loading.load(ordering: .relaxed) }
    var reads: Int { reading.load(ordering: .relaxed) }
    var follows: Int { following.load(ordering: .relaxed) }

    /// - Parameter isDivided: whether the log's threads disagree, so that rooms can be read and can't be followed.
    func log(sharing memory: SharedMemory, isDivided: Bool = false, _ sink: @escaping LogSink) -> MeddledLog {
      MeddledLog(MemoryLog(sharing: memory, sink: sink)) { [self] requests, rooms in
        for request in requests {
          switch request {
          case .load: loading.add(1, ordering: .relaxed)
          case .read: reading.add(1, ordering: .relaxed)
          case .follow(let follow) where isDivided:
            sink([.failed(id: follow.id, room: follow.room, .otherEpoch(room: follow.room, epoch: 0))])
            continue
          case .follow: following.add(1, ordering: .relaxed)
          default: break
          }
          rooms.submit(request)
        }
      }
    }
  }

  @Test("a room that is gone whenever it has been read is not read for ever") func gone() async throws {
    let shared = SharedMemory(store: try HubOpeningTests.store(["one"]))
    let count = Count()
    let hub = try await Hub.started { count.log(sharing: shared, isDivided: true, $0) }
    guard case .failed = await hub.take("one", mayCreate: false, for: "192.0.2.1") else {
      Issue.record("the room is opened")
      return
    }
    #expect((1..<20).contains(count.loads))
  }

  @Test("rooms whose clients have left before their turn aren't read") func left() throws {
    let names = (0..<40).map { "many-\($0)" }
    let shared = SharedMemory(store: try HubOpeningTests.store(names))
    let count = Count()
    let timed = TimedServer {
      $0.limits.connectionsPerAddress = 100
    } over: {
      count.log(sharing: shared, $0)
    }
    let server = timed.server
    timed.pass(turns: 200, worksHeavily: false)
    let connections = names.compactMap { server.connect(.binary, to: $0, from: "10.0.0.1") }
    for connection in connections { server.say(.hello(Hello()), on: connection) }
    let requests = names.map { server.request(Request(path: "/v1/rooms/\($0)", peer: "10.0.0.1")) }
    timed.pass(turns: 200, worksHeavily: false)
    let loads = count.loads
    #expect(connections.count == names.count && loads == OpeningTurns.mostOfParty)
    for connection in connections { server.lose(connection) }
    for request in requests { request.leave() }
    timed.pass(turns: 400)
    #expect(count.loads == loads)
    server.hub.assumeIsolated { hub in
      #expect(hub.openingTurns.isIdle)
      #expect(hub.counts.requests.isEmpty, "an answer that nobody gets doesn't count")
    }
  }

  @Test("of several nodes, one reads what others have stored before somebody joins who may have written there")
  func catchingUp() throws {
    let shared = SharedMemory(store: try HubOpeningTests.store(["demo"]))
    let count = Count()
    let timed = TimedServer(bus: CountingBus()) { count.log(sharing: shared, $0) }
    let server = timed.server
    /// How often the log is asked what others have stored while somebody joins.
    func follows(_ hello: Hello, named actor: Identifier? = nil) throws -> Int {
      let before = count.follows
      let connection = try #require(server.connect(.binary, to: "demo", from: "10.0.0.1"))
      _ = server.hub.assumeIsolated { $0.sessions[connection.tag]?.grant.actor = actor }
      server.say(.hello(hello), on: connection)
      timed.pass(turns: 50)
      return count.follows - before
    }
    timed.pass(turns: 50)
    _ = try follows(Hello())
    let ann = Identifier(packed: 9)!
    var known = Hello()
    known.actor = ann
    #expect(try follows(Hello()) == 0, "the room is open, and a newcomer has written nowhere")
    #expect(try follows(known) == 1)
    #expect(try follows(Hello(), named: ann) == 1, "the token names the actor")
  }

  @Test("W7: a room that is opened while the log is down refuses nothing for good because of what waits for the log")
  func openedInDoubt() async throws {
    let shared = SharedMemory(store: try HubOpeningTests.store(["demo"]))
    /// The refusals that the log has not told yet.
    let held = Mutex<[LogEvent]>([])
    var limits = Limits()
    limits.shapes = 2
    let hub = try await Hub.started(limits: limits) { sink in
      MeddledLog(MemoryLog(sharing: shared, sink: sink)) { requests, rooms in
        for request in requests {
          guard request.isAppend else {
            rooms.submit([request])
            continue
          }
          held.withLock {
            $0.append(.failed(id: request.id, room: request.room, .unavailable(.diskFull(path: ""))))
          }
        }
      }
    }
    hub.logTold([.availability(room: nil, .diskFull(path: ""))])
    await waitUntil("the fault is known") { await hub.log.fault != nil }
    let open = try await hub.openDemo()
    // The room has one shape. The second is on its way, and leaves no place for a third.
    let second = Task { await hub.submit([.star(6)], to: open, by: .by()) }
    await waitUntil("a refusal is held") { held.withLock { !$0.isEmpty } }
    let third = await hub.submit([.star(7)], to: open, by: .by())
    hub.logTold(held.withLock { $0 })
    _ = await second.value
    guard case .failure(.rejected(let rejection)) = third else {
      Issue.record("the third is taken")
      return
    }
    #expect(rejection.code == .unavailable)
  }

  @Test("a room of some megabytes of records waits for few turns")
  func pages() async throws {
    var store = MemoryStore()
    let star = Identifier(packed: 5)!
    var bytes = 0
    for time in 1...40 as ClosedRange<UInt64> {
      var set = Properties()
      set.kind = .star
      let operations = (0..<1_000 as Range<UInt64>).map { number in
        set.name = Text(String(repeating: "n", count: 60))
        return Operation(shape: star, at: Stamp(time: time << 16 + number, actor: Identifier(packed: 9)!), set: set)
      }
      let record = NewRecord(bytes: StoredOperations(run: nil, operations: operations).encoded(), operations: 1_000)
      bytes += record.bytes.count
      let append = AppendRequest(id: 0, room: "demo", epoch: 1, mayCreate: true, milliseconds: 0, records: [record])
      _ = try store.append(append)
    }
    let shared = SharedMemory(store: store)
    let count = Count()
    let hub = try await Hub.started { count.log(sharing: shared, $0) }
    _ = try await hub.openDemo()
    #expect(bytes > 2 << 20 && count.reads <= bytes >> 20 + 1, "\(bytes) bytes in \(count.reads) pages")
  }

  @Test("rooms do what they do once a second in portions")
  func resting() async throws {
    let names = (0..<Hub.roomsRestingInAJob * 2).map { "room-\($0)" }
    var limits = Limits()
    limits.roomIdleMilliseconds = 0
    let hub = try await Hub.started(limits: limits) { MemoryLog(sink: $0) }
    for name in names {
      // Rooms may be idle for no time at all. So the server's own tick can close one before it is held, and on a busy
      // machine again and again, until the server gives up.
      await waitUntil("\(name) is held") {
        guard case .open(let open) = await hub.take(name, mayCreate: true, for: "192.0.2.1") else { return false }
        return await hub.perform { _ in !open.isGone }
      }
    }
    let left = await hub.perform { hub in
      for open in hub.rooms.all { hub.giveBack(open) }
      hub.tick()
      return hub.rooms.count
    }
    #expect(left == names.count)
    await waitUntil("no room is open") { await hub.rooms.count == 0 }
  }

  @Test("a room that nobody is in stays open until the snapshot from which it opens again is stored")
  func idle() throws {
    let timed = TimedServer {
      $0.limits.roomIdleMilliseconds = 0
    } over: {
      MemoryLog(sink: $0)
    }
    let server = timed.server
    var isOpen: Bool { server.hub.assumeIsolated { $0.rooms["demo"] != nil } }
    timed.pass(turns: 40)
    let connection = try server.join()
    timed.pass(turns: 40)
    let operation = ProposedOperation(shape: Identifier(packed: 7)!, at: nil, set: .star)
    server.say(.operations(Submission(id: MessageIdentifier(1), operations: [operation])), on: connection)
    timed.pass(turns: 40)
    server.lose(connection)
    // Once a second, rooms are looked at. Snapshots are made beside the loop.
    timed.pass(turns: 20, of: 200, worksHeavily: false)
    #expect(isOpen && server.heavyWorkCount == 1)
    timed.pass(turns: 20, of: 200)
    #expect(!isOpen)
  }

  @Test("nothing runs between a job's steps while it doesn't wait") func steps() async throws {
    let hub = try await Hub.started { MemoryLog(sink: $0) }
    let steps = Steps()
    await hub.job { await hub.step(beforeOthers: steps) }.value
    await hub.perform { _ in }
    #expect(steps.values.withLock { $0 } == [1, 2])
  }
}

/// What was done, in order.
private final class Steps: Sendable {
  let values = Mutex<[Int]>([])
  func append(_ value: Int) { values.withLock { $0.append(value) } }
}

extension Hub {
  /// Posts work to the loop, and then calls an async function that doesn't wait before its end.
  fileprivate func step(beforeOthers steps: Steps) async {
    loop.execute { steps.append(2) }
    await withCheckedContinuation { turn in
      steps.append(1)
      turn.resume()
    }
  }
}
