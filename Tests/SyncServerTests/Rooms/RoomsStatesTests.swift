import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("States on their way, where there are as many as there may be")
struct RoomsStatesTests {
  /// A room with a state of many parts, and a bound of two on states under way.
  private func crowdedBench() -> (bench: RoomBench, writer: Int) {
    var bench = RoomBench {
      $0.stateStreams = 2
      $0.messageBytes = 16_384
      $0.ringBeats = 2
    }
    let writer = bench.join()
    for number in 1...200 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    bench.settle()
    return (bench, writer)
  }

  private func joinSlowly(_ bench: inout RoomBench, since: Cursor? = nil, takes: Int) -> Int {
    let client = bench.connect()
    bench.clients[client].takes = takes
    var hello = Hello()
    hello.since = since
    bench.say(.hello(hello), client)
    bench.settle()
    return client
  }

  private func resets(_ bench: RoomBench, _ client: Int) -> Int {
    bench.deliveries(client).count { $0.reset }
  }

  @Test("states under way have a bound: readers of one may finish it, newcomers wait, and all arrive")
  func boundedStates() {
    var (bench, writer) = crowdedBench()
    var slow: [Int] = []
    for round in 0..<6 {
      slow.append(joinSlowly(&bench, takes: 40))
      bench.drag(writer, 1...3, times: 3 + round)
      #expect(bench.room.kept.states <= 2)
    }
    for _ in 0..<3_000 where slow.contains(where: { bench.clients[$0].cursor == nil }) {
      for client in slow { bench.wake(client) }
      bench.settle()
    }
    // None was made to start anew.
    #expect(slow.map { resets(bench, $0) } == [1, 1, 1, 1, 1, 1])
    for client in slow { bench.clients[client].takes = nil }
    for client in slow { bench.wake(client) }
    bench.settle()
    for client in slow { bench.expectCaughtUp(client) }
  }

  @Test("a slow joiner arrives, however many join meanwhile from wherever")
  func slowJoinerArrives() {
    var (bench, writer) = crowdedBench()
    let slow = joinSlowly(&bench, takes: 200)
    var steps = 0
    while bench.clients[slow].cursor == nil, steps < 2_000 {
      bench.drag(writer, 1...3, times: 1)
      _ = joinSlowly(&bench, since: bench.clients[writer].cursor, takes: 0)
      bench.wake(slow)
      bench.settle()
      steps += 1
    }
    #expect(bench.clients[slow].cursor != nil)
    #expect(resets(bench, slow) == 1)
  }

  @Test("a state that all its readers have stopped reading is given up for those who wait")
  func standingStill() {
    var (bench, writer) = crowdedBench()
    for _ in 0..<2 {
      _ = joinSlowly(&bench, takes: 0)
      bench.drag(writer, 1...3, times: 4)
    }
    let waiting = joinSlowly(&bench, takes: 1 << 20)
    #expect(bench.clients[waiting].cursor == nil)
    bench.pass(19_000)
    bench.room.rest(now: bench.now)
    bench.settle()
    #expect(bench.clients[waiting].cursor == nil)
    bench.pass(2_000)
    bench.room.rest(now: bench.now)
    bench.settle()
    bench.expectCaughtUp(waiting)
  }

  @Test("D2: where there is no space for another state, a newcomer is sent one that has more than it lacks")
  func sharingMore() {
    var (bench, writer) = crowdedBench()
    // One whole state under way, and one of a difference, from which the ring goes on.
    _ = joinSlowly(&bench, takes: 0)
    bench.drag(writer, 1...3, times: 4)
    let since = bench.clients[writer].cursor
    bench.drag(writer, 1...3, times: 1)
    _ = joinSlowly(&bench, since: since, takes: 0)
    #expect(bench.room.kept.states == 2)
    let later = bench.clients[writer].cursor
    let sharing = joinSlowly(&bench, since: later, takes: 1 << 20)
    #expect(bench.room.kept.states == 2)
    #expect(bench.clients[sharing].cursor == bench.room.cursor)
    #expect(resets(bench, sharing) == 0)
    #expect(!bench.deliveries(sharing).isEmpty)
  }
}
