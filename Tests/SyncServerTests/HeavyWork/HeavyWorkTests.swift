import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SyncServer

/// Blocks a thread until the test opens the gate.
private final class Gate: Sendable {
  private let isOpen = Atomic(false)
  private let reached = Atomic(false)
  var isReached: Bool { reached.load(ordering: .acquiring) }
  func open() { isOpen.store(true, ordering: .releasing) }
  func pass() {
    reached.store(true, ordering: .releasing)
    while !isOpen.load(ordering: .acquiring) { usleep(500) }
  }
}

private final class Record: Sendable {
  private let words = Mutex<[String]>([])
  func note(_ word: String) { words.withLock { $0.append(word) } }
  var all: [String] { words.withLock { $0 } }
}

@Suite("Heavy work")
struct HeavyWorkTests {
  private func wait(for count: Int, in heavy: HeavyWork) async {
    await waitUntil("the number of jobs is \(count)") { heavy.count == count }
  }

  @Test("it is done, and what comes of it is returned")
  func done() async throws {
    let heavy = HeavyWork(threads: 2)
    for number in 0..<100 {
      #expect(try await heavy.run(for: "ann") { number * 2 } == number * 2)
    }
    await wait(for: 0, in: heavy)
  }

  @Test("one party never has all threads, and the parties take turns")
  func turns() async throws {
    let heavy = HeavyWork(threads: 2)
    let gate = Gate()
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await heavy.run(for: "ann", isBounded: false) { gate.pass() } }
      await wait(for: 1, in: heavy)
      for _ in 0..<20 { group.addTask { try? await heavy.run(for: "ann", isBounded: false) { record.note("ann") } } }
      await wait(for: 21, in: heavy)
      // Ann's jobs may use only one of the two threads, so Bob's job runs at once on the other.
      try? await heavy.run(for: "bob", isBounded: false) { record.note("bob") }
      #expect(record.all == ["bob"])
      let second = Gate()
      group.addTask { try? await heavy.run(for: "cleo", isBounded: false) { second.pass() } }
      await wait(for: 22, in: heavy)
      for _ in 0..<3 { group.addTask { try? await heavy.run(for: "bob", isBounded: false) { record.note("bob") } } }
      await wait(for: 25, in: heavy)
      gate.open()
      await waitUntil("eight jobs are done") { record.all.count >= 8 }
      #expect(record.all[1...6].filter { $0 == "bob" }.count >= 2, "\(record.all)")
      second.open()
      await group.waitForAll()
    }
    await wait(for: 0, in: heavy)
  }

  @Test("bounded jobs never have all threads, whoever asks for them, so others go on")
  func unbounded() async throws {
    let heavy = HeavyWork(threads: 2)
    let gate = Gate()
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await heavy.run(for: "ann") { gate.pass() } }
      await wait(for: 1, in: heavy)
      for party in ["bob", "cleo"] { group.addTask { try? await heavy.run(for: party) { record.note(party) } } }
      await wait(for: 3, in: heavy)
      for party in ["bob", "dan"] {
        try? await heavy.run(for: party, isBounded: false) { record.note("\(party)'s room") }
      }
      #expect(record.all == ["bob's room", "dan's room"])
      gate.open()
      await group.waitForAll()
    }
    #expect(record.all.dropFirst(2).sorted() == ["bob", "cleo"])
    await wait(for: 0, in: heavy)
  }

  @Test("when a bounded job ends, another begins, though its thread goes on with other work")
  func boundedNext() async throws {
    let heavy = HeavyWork(threads: 2)
    let (bounded, unbounded) = (Gate(), Gate())
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await heavy.run(for: "ann") { bounded.pass() } }
      await waitUntil("the job runs") { bounded.isReached }
      group.addTask { try? await heavy.run(for: "ann", isBounded: false) { unbounded.pass() } }
      await wait(for: 2, in: heavy)
      group.addTask { try? await heavy.run(for: "bob") { record.note("bob") } }
      await wait(for: 3, in: heavy)
      bounded.open()
      await waitUntil("bob's job is done") { record.all == ["bob"] }
      unbounded.open()
      await group.waitForAll()
    }
  }

  @Test("a party has a bound on what may wait, and others have their own")
  func bound() async throws {
    let heavy = HeavyWork(threads: 2, waitingMax: 3)
    let gate = Gate()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await heavy.run(for: "ann") { gate.pass() } }
      // Waits until a thread has started this job, because otherwise it would count as waiting.
      await waitUntil("the job runs") { gate.isReached }
      for _ in 0..<3 { group.addTask { try? await heavy.run(for: "ann") {} } }
      await wait(for: 4, in: heavy)
      await #expect(throws: HeavyWork.Refusal.busy) { try await heavy.run(for: "ann") {} }
      group.addTask { await #expect(throws: Never.self) { try await heavy.run(for: "bob") {} } }
      group.addTask { try? await heavy.run(for: "ann", isBounded: false) {} }
      await wait(for: 6, in: heavy)
      gate.open()
      await group.waitForAll()
    }
  }

  @Test("work that is cancelled while it waits, or before, is not done")
  func cancelled() async throws {
    let heavy = HeavyWork(threads: 2)
    let gate = Gate()
    let record = Record()
    let first = Task { try await heavy.run(for: "ann") { gate.pass() } }
    await wait(for: 1, in: heavy)
    let second = Task { try await heavy.run(for: "ann") { record.note("done") } }
    await wait(for: 2, in: heavy)
    second.cancel()
    await #expect(throws: HeavyWork.Refusal.cancelled) { try await second.value }
    #expect(heavy.count == 1)
    let third = Task {
      while !Task.isCancelled { await Task.yield() }
      try await heavy.run(for: "bob") { record.note("done") }
    }
    third.cancel()
    await #expect(throws: HeavyWork.Refusal.cancelled) { try await third.value }
    gate.open()
    try await first.value
    #expect(record.all.isEmpty)
  }
}
