import Glibc
import Synchronization
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
  @Test("it is done, and what comes of it is returned")
  func done() async throws {
    let heavy = HeavyWork(threads: 2)
    for number in 0..<100 {
      #expect(try await heavy.run(for: "ann") { number * 2 } == number * 2)
    }
    await waitUntil("0 jobs are there") { heavy.count == 0 }
  }

  @Test("one party never has all threads, and the parties take turns")
  func turns() async throws {
    let heavy = HeavyWork(threads: 2)
    let gate = Gate()
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await heavy.run(for: "ann") { gate.pass() } }
      await waitUntil("1 jobs are there") { heavy.count == 1 }
      for _ in 0..<20 { group.addTask { try? await heavy.run(for: "ann") { record.note("ann") } } }
      await waitUntil("21 jobs are there") { heavy.count == 21 }
      // Ann's jobs may use only one of the two threads, so Bob's job runs at once on the other.
      try? await heavy.run(for: "bob") { record.note("bob") }
      #expect(record.all == ["bob"])
      let second = Gate()
      group.addTask { try? await heavy.run(for: "cleo") { second.pass() } }
      await waitUntil("22 jobs are there") { heavy.count == 22 }
      for _ in 0..<3 { group.addTask { try? await heavy.run(for: "bob") { record.note("bob") } } }
      await waitUntil("25 jobs are there") { heavy.count == 25 }
      gate.open()
      await waitUntil("eight jobs are done") { record.all.count >= 8 }
      #expect(record.all[1...6].filter { $0 == "bob" }.count >= 2, "\(record.all)")
      second.open()
      await group.waitForAll()
    }
    await waitUntil("0 jobs are there") { heavy.count == 0 }
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
      await waitUntil("4 jobs are there") { heavy.count == 4 }
      await #expect(throws: HeavyWork.Refusal.busy) { try await heavy.run(for: "ann") {} }
      await #expect(throws: Never.self) { try await heavy.run(for: "bob") {} }
      group.addTask { try? await heavy.run(for: "ann", isBounded: false) {} }
      await waitUntil("5 jobs are there") { heavy.count == 5 }
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
    await waitUntil("1 jobs are there") { heavy.count == 1 }
    let second = Task { try await heavy.run(for: "ann") { record.note("done") } }
    await waitUntil("2 jobs are there") { heavy.count == 2 }
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
