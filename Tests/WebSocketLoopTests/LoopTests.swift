import Basics
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

/// An actor whose executor is an event loop, like the server's hub.
private actor Counter {
  private let loop: EventLoop
  private(set) var values: [Int] = []

  init(loop: EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func append(_ value: Int) { values.append(value) }
  func isOnLoop() -> Bool { loop.isCurrent }

  nonisolated func enter(_ value: Int) {
    // The loop calls this on its own thread, which is this actor's executor.
    assumeIsolated { $0.values.append(value) }
  }

  nonisolated func fanOut(_ count: Int) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for value in 0..<count { group.addTask { await self.echo(value) } }
      return await group.reduce(0, +)
    }
  }

  /// Posts work to the loop, and then calls an async function that doesn't wait before its end.
  func appendBeforeOthers() async {
    loop.execute { self.enter(2) }
    await withCheckedContinuation { continuation in
      values.append(1)
      continuation.resume()
    }
  }

  private func echo(_ value: Int) async -> Int {
    await Task.yield()
    return value
  }
}

private final class TurnCounter: TurnObserver {
  let turns = Mutex(0)
  func turnEnded() { turns.withLock { $0 += 1 } }
}

private final class TurnTimer: TurnObserver {
  let longest = Mutex<UInt64>(0)
  func turnEnded() {}
  func turnTook(_ turn: LoopTurn) { longest.withLock { $0 = max($0, turn.microseconds) } }
}

/// A pipe that is readable in each turn (iteration of the loop), and takes longer than a turn may.
///
/// `@unchecked Sendable`: only its loop's thread uses it.
private final class BusyPipe: @unchecked Sendable {
  private var watch: DescriptorWatch?
  private var turns = 0
  /// In which turn the work ran that was posted in the first one.
  private(set) var workedInTurn: Int?

  init(_ loop: EventLoop, _ descriptor: Int32) {
    watch = DescriptorWatch(loop: loop, descriptor: descriptor) { [unowned self] _, _ in
      turns += 1
      if turns == 1 { loop.execute { self.hasWorked() } }
      if turns == 100 { watch?.close() }
      work(microseconds: EventLoop.turnMicrosecondsMax + 1_000)
    }
    watch?.want(readable: true, writable: false)
  }

  private func hasWorked() {
    workedInTurn = turns
    watch?.close()
  }
}

@Suite("The event loop") struct LoopTests {
  /// A task that checks a condition and then waits for its change must not be overtaken by the change.
  @Test("Nothing runs between an actor's steps while it doesn't wait", arguments: [false, true])
  func stepsAreNotParted(isPreferred: Bool) async throws {
    let loop = try EventLoop(isPreferred: isPreferred)
    let counter = Counter(loop: loop)
    let task =
      if isPreferred {
        Task(executorPreference: loop) { await counter.appendBeforeOthers() }
      } else {
        Task { await counter.appendBeforeOthers() }
      }
    await task.value
    loop.perform {}
    #expect(await counter.values == [1, 2])
    loop.stop()
  }

  @Test("A turn lasts from waking to sleeping: sleep doesn't count, all work of the turn does") func turnClock() {
    var clock = TurnClock()
    let start = SteadyClock.microseconds() / 1_000 * 1_000 + 10_000
    clock.turnBegan(atMilliseconds: start / 1_000)
    #expect(clock.turnEnds(at: start + 2_500) == 2_500)
    // Before this iteration, the loop sleeps for ten milliseconds.
    clock.turnBegan(atMilliseconds: (start + 12_000) / 1_000)
    #expect(clock.turnEnds(at: start + 12_400) == 400)
    // The next iteration starts without a sleep. libuv's cached time is then before the end of the previous iteration.
    clock.turnBegan(atMilliseconds: (start + 12_000) / 1_000)
    #expect(clock.turnEnds(at: start + 12_900) == 500)
  }

  @Test("The longest step of a turn is the one that is told, and reading is summed up") func steps() {
    var turn = LoopTurn()
    let steps: [(LoopTurn.Step, UInt64)] = [
      (.receiving, 20), (.serving("a"), 50), (.working, 50), (.receiving, 30), (.sending, 49),
    ]
    for (step, microseconds) in steps { turn.note(step, microseconds) }
    #expect(turn.longestStep == .serving("a") && turn.longestStepMicroseconds == 50)
    #expect(turn.receivingMicroseconds == 50)
    turn.note(.sending, 51)
    #expect(turn.longestStep == .sending && turn.longestStepMicroseconds == 51)
  }

  @Test("Observers hear how long a turn took") func longTurns() throws {
    let loop = try EventLoop(name: "timing")
    let timer = TurnTimer()
    loop.perform { loop.register(timer) }
    loop.execute { usleep(300_000) }
    loop.perform {}
    loop.stop()
    #expect(timer.longest.withLock { $0 } >= 300_000)
  }

  @Test("An actor's jobs run on the loop's thread, in order, and callbacks enter it") func actorOnLoop() async throws {
    let loop = try EventLoop(name: "actor")
    defer { loop.stop() }
    let counter = Counter(loop: loop)
    #expect(await counter.isOnLoop())
    #expect(!loop.isCurrent)
    for value in 0..<1_000 { loop.execute { counter.enter(value) } }
    await counter.append(1_000)
    #expect(await counter.values == Array(0...1_000))
    #expect(await counter.fanOut(500) == 124_750)
  }

  @Test("Work posted by one thread runs in its order, and perform returns values and errors") func posting() throws {
    let loop = try EventLoop(name: "posting")
    let order = Mutex<[Int]>([])
    for value in 0..<100 { loop.execute { order.withLock { $0.append(value) } } }
    #expect(loop.perform { order.withLock { $0 } } == Array(0..<100))
    #expect(throws: ListenError.badHost("x")) { try loop.perform { () throws(ListenError) in throw .badHost("x") } }
    #expect(loop.perform { loop.perform { 7 } } == 7)
    loop.stop()
    #expect(!loop.execute {})
    // It may be stopped again, also by another thread.
    loop.stop()
  }

  @Test("Work that posts work doesn't keep timers waiting") func busyJobs() throws {
    let loop = try EventLoop(name: "busy")
    defer { loop.stop() }
    let isDone = Mutex(false)
    @Sendable func again() { if !isDone.withLock({ $0 }) { loop.execute(again) } }
    loop.perform {
      again()
      loop.schedule(afterMilliseconds: 20) { isDone.withLock { $0 = true } }
    }
    for _ in 0..<12_000 where !isDone.withLock({ $0 }) { usleep(5_000) }
    #expect(isDone.withLock { $0 })
  }

  @Test("A timer that is due at once again and again doesn't keep other work waiting") func busyTimers() async throws {
    let loop = try EventLoop(name: "timer")
    defer { loop.stop() }
    let seen = Mutex<(fired: Int, firedBeforeWork: Int?)>((0, nil))
    @Sendable func again() {
      let (fired, isOver) = seen.withLock {
        $0.fired += 1
        return ($0.fired, $0.firedBeforeWork != nil || $0.fired == 10_000)
      }
      if fired == 1 { loop.execute { seen.withLock { $0.firedBeforeWork = $0.fired } } }
      if !isOver { loop.schedule(afterMilliseconds: 0, again) }
    }
    loop.perform { _ = loop.schedule(afterMilliseconds: 0, again) }
    let before = await eventually { seen.withLock { $0.firedBeforeWork } }
    #expect(before.map { $0 < 10 } == true)
  }

  @Test("Sockets that use up every turn don't keep other work waiting") func busySockets() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (from, to) = (ends[0], ends[1])
    defer { for end in [from, to] { close(end) } }
    let loop = try EventLoop(name: "sockets")
    defer { loop.stop() }
    let byte: [UInt8] = [1]
    try #require(write(to, byte, byte.count) == byte.count)
    let busy = loop.perform { BusyPipe(loop, from) }
    let turn = await eventually { loop.perform { busy.workedInTurn } }
    #expect(turn == 1)
  }

  @Test("A turn ends after five milliseconds, and what is left is done in the next ones, in its order")
  func shortTurns() throws {
    let loop = try EventLoop(name: "short")
    let turns = TurnNumbers()
    let order = Mutex<[Int]>([])
    loop.perform {
      loop.register(turns)
      for value in 0..<40 {
        loop.execute {
          turns.note()
          order.withLock { $0.append(value) }
          work(microseconds: 1_000)
        }
      }
    }
    while turns.count < 40 { usleep(5_000) }
    loop.stop()
    #expect(order.withLock { $0 } == Array(0..<40))
    // An iteration never has more than six events. On a busy machine it can have fewer.
    #expect(turns.most <= 6)
  }

  @Test("The addresses go round, and whoever comes while others are served waits for the next turn")
  func rounds() throws {
    final class Client: TurnTaker {
      let party: String
      init(_ party: String) { self.party = party }
      func takeTurn() {}
    }
    var queue = TurnQueue()
    for party in ["a", "a", "a", "b", "a", "c", "b"] { queue.add(Client(party)) }
    #expect(!queue.isEmpty && queue.next() == nil)
    queue.admit()
    var served: [String] = []
    while let (party, taker) = queue.next() {
      served.append(party)
      if served.count == 2 { queue.add(taker) }
    }
    #expect(served == ["a", "b", "c", "a", "b", "a", "a"])
    #expect(!queue.isEmpty && !queue.hasNext)
    queue.admit()
    #expect(queue.next()?.party == "b" && queue.isEmpty)
  }

  @Test("Timers fire once, in the order of their times, and not when cancelled") func timers() async throws {
    let loop = try EventLoop(name: "timers")
    defer { loop.stop() }
    let fired = Mutex<[Int]>([])
    loop.perform {
      loop.schedule(afterMilliseconds: 40) { fired.withLock { $0.append(40) } }
      loop.schedule(afterMilliseconds: 10) { fired.withLock { $0.append(10) } }
      let cancelled = loop.schedule(afterMilliseconds: 20) { fired.withLock { $0.append(20) } }
      loop.schedule(afterMilliseconds: 15) { cancelled.cancel() }
      let late = loop.schedule(afterMilliseconds: 1) { fired.withLock { $0.append(1) } }
      loop.schedule(afterMilliseconds: 30) { late.cancel() }
    }
    #expect(await eventually { fired.withLock { $0.count == 3 ? $0 : nil } } == [1, 10, 40])
  }

  @Test("Observers hear of the end of each turn, after its jobs") func turns() throws {
    let loop = try EventLoop(name: "turns")
    defer { loop.stop() }
    let observer = TurnCounter()
    loop.perform { loop.register(observer) }
    let before = observer.turns.withLock { $0 }
    loop.perform {}
    loop.perform {}
    #expect(observer.turns.withLock { $0 } >= before + 1)
  }

  @Test("A loop that rests uses no processor time") func rest() throws {
    let loop = try EventLoop(name: "rest")
    defer { loop.stop() }
    let observer = TurnCounter()
    loop.perform { loop.register(observer) }
    usleep(20_000)
    let before = observer.turns.withLock { $0 }
    usleep(200_000)
    #expect(observer.turns.withLock { $0 } - before < 20)
  }

  @Test("A port in use, one without permission, and a foreign host have errors of their own") func listenErrors() throws
  {
    let loop = try EventLoop(name: "ports")
    defer { loop.stop() }
    let server = TestServer()
    let listener = try loop.listen(host: "127.0.0.1", port: 0, handler: server)
    #expect(listener.port > 0)
    #expect(throws: ListenError.portInUse(host: "127.0.0.1", port: listener.port)) {
      try loop.listen(host: "127.0.0.1", port: listener.port, handler: server)
    }
    #expect(throws: ListenError.badHost("no such host")) {
      try loop.listen(host: "no such host", port: 0, handler: server)
    }
    #expect(throws: ListenError.badHost("192.0.2.1")) { try loop.listen(host: "192.0.2.1", port: 0, handler: server) }
    // The port is free as soon as the listener is closed.
    let port = listener.port
    loop.perform { listener.close() }
    #expect(try loop.listen(host: "localhost", port: port, handler: server).port == port)
  }

  @Test("Stopping closes every connection and frees all that the loop had, fifty times over") func cycles() async throws
  {
    let files = openFiles()
    for _ in 0..<50 {
      let left = try liveAndStop()
      #expect(await eventually { left.loop == nil && left.server == nil ? true : nil } == true)
    }
    // Other tests have fewer than fifty files open at a time. If each loop leaked a descriptor, there would be fifty
    // more.
    #expect(openFiles() < files + 50)
  }

  private struct Left {
    weak var loop: EventLoop?
    weak var server: TestServer?
  }

  /// Stops a loop while it has a WebSocket connection, an HTTP connection, a connecting client and a timer.
  private func liveAndStop() throws -> Left {
    let loop = try EventLoop(name: "cycle")
    let server = TestServer()
    let listener = try loop.listen(host: "127.0.0.1", port: 0, handler: server)
    let client = RawClient(port: listener.port)
    client.upgrade()
    client.sendText("x")
    #expect(client.readMessage() == [0x78])
    let web = RawClient(port: listener.port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
    #expect(web.readAnswer()?.status == 200)
    loop.perform {
      loop.schedule(afterMilliseconds: 60_000) {}
      loop.connect(to: Endpoint(host: "127.0.0.1", port: listener.port), handler: server)
    }
    loop.stop()
    #expect(client.hasEnded)
    #expect(web.hasEnded)
    #expect(server.seen.withLock { $0.closures.count } >= 2)
    return Left(loop: loop, server: server)
  }
}

private func openFiles() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}
