import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Overlaps are worked out beside the room")
struct RoomsOverlapOrderTests {
  private func pair(_ bench: RoomBench, _ first: UInt64, _ second: UInt64) -> ShapePair {
    ShapePair(bench.shape(first), bench.shape(second))
  }

  @Test("R6: everything else goes on meanwhile, and all who asked are told of all pairs once")
  func meanwhile() {
    var (bench, writer) = RoomBench.withWriter()
    bench.put(writer, [1: 0, 2: 5])
    bench.holdsOrders = true
    let first = bench.join(.json) { $0.overlaps = true }
    bench.put(writer, [3: 8])
    let second = bench.join { $0.overlaps = true }
    bench.expectCaughtUp(first)
    bench.expectCaughtUp(second)
    #expect(bench.notices(first).isEmpty && bench.notices(second).isEmpty)
    #expect(bench.orders.count == 1)
    bench.carryOutOrder()
    bench.settle()
    // The computed index shows the room as it was when the computation was requested.
    let before = OverlapNotice(began: [pair(bench, 1, 2)], ended: [])
    #expect(bench.notices(first) == [before])
    #expect(bench.notices(second) == [before])
    bench.holdsOrders = false
    bench.settle()
    let after = OverlapNotice(began: [pair(bench, 1, 3), pair(bench, 2, 3)], ended: [])
    #expect(bench.notices(first) == [before, after])
    #expect(bench.notices(second) == [before, after])
    let third = bench.join { $0.overlaps = true }
    #expect(bench.notices(third) == [OverlapNotice(began: before.began + after.began, ended: [])])
  }

  @Test("a question over HTTP is answered by an index that has all that the room had when it came, and its cursor")
  func question() throws {
    var (bench, writer) = RoomBench.withWriter()
    bench.put(writer, [1: 0, 2: 5])
    bench.holdsOrders = true
    bench.room.askOverlaps(request: 1, now: bench.now)
    bench.takeEffects()
    let cursor = bench.room.cursor
    bench.put(writer, [3: 8])
    bench.room.askOverlaps(request: 2, now: bench.now)
    bench.takeEffects()
    #expect(bench.orders.count == 1)
    bench.carryOutOrder()
    #expect(bench.overlapAnswers.map { $0.request } == [1])
    #expect(bench.overlapAnswers[0].cursor == cursor)
    #expect(bench.overlapAnswers[0].index.pairs == [pair(bench, 1, 2)])
    #expect(bench.orders.count == 1)
    bench.carryOutOrder()
    #expect(bench.overlapAnswers.map { $0.request } == [1, 2])
    #expect(bench.overlapAnswers[1].index.pairCount == 3)
    #expect(bench.overlapAnswers[1].cursor == bench.room.cursor)
  }

  @Test("R9: if finding the pairs is too much work, all pairs end, and they begin again once it isn't")
  func tooMuchWork() {
    // Each star lies in the gaps of another, so the comparison has to look at every tip.
    var (bench, writer) = RoomBench.withWriter { $0.overlapSteps = 1 }
    let asker = bench.join { $0.overlaps = true }
    func star(_ bench: inout RoomBench, _ number: UInt64, x: Double) {
      bench.write(writer, bench.shape(number)) {
        $0.kind = .star
        $0.position = Point(x: x, y: 0)
        $0.size = Size(width: 1_000, height: 1_000)
        $0.points = 64
        $0.innerRatio = 0.05
      }
    }
    for number in 0..<3 { star(&bench, UInt64(number + 1), x: Double(number)) }
    bench.settle()
    let three = bench.clients[asker].pairs
    #expect(three.count == 3)
    for number in 3..<40 { star(&bench, UInt64(number + 1), x: Double(number)) }
    bench.settle()
    #expect(bench.clients[asker].pairs.isEmpty)
    let crowded = bench.askOverlaps()?.index
    #expect(crowded?.isCrowded == true)
    #expect(crowded?.document(room: bench.room.name, cursor: bench.room.cursor) == nil)
    for number in 3..<40 { bench.write(writer, bench.shape(UInt64(number + 1))) { $0.delete() } }
    bench.settle()
    bench.rest(after: 20_000)
    #expect(bench.clients[asker].pairs == three)
  }

  @Test("each question is answered with exactly the overlaps, whatever comes in between", arguments: 1...20)
  func anyOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bench = RoomBench { limits in
      limits.ringBeats = 3
      limits.overlapPairs = seed.isMultiple(of: 4) ? 12 : 1_000
      limits.indexIdleMilliseconds = 500
    }
    let writer = bench.join()
    var askers: [Int] = []
    bench.holdsOrders = true
    for _ in 0..<250 {
      switch Int.random(in: 0..<14, using: &random) {
      case 0...4:
        let shape = UInt64.random(in: 1...9, using: &random)
        bench.put(writer, shape, x: Double(Int.random(in: 0..<80, using: &random)))
        if Bool.random(using: &random) { bench.settle() }
      case 5: bench.write(writer, bench.shape(UInt64.random(in: 1...9, using: &random))) { $0.delete() }
      case 6...8: if !bench.orders.isEmpty { bench.carryOutOrder() }
      case 9:
        if askers.count < 4 {
          let encoding: WireEncoding = Bool.random(using: &random) ? .json : .binary
          askers.append(bench.join(encoding) { $0.overlaps = true })
        }
      case 10:
        guard let asker = askers.randomElement(using: &random) else { break }
        bench.clients[asker].takes = bench.clients[asker].takes == nil ? 0 : nil
        bench.wake(asker)
      case 11:
        if !askers.isEmpty, Int.random(in: 0..<2, using: &random) == 0 {
          bench.leave(askers.remove(at: Int.random(in: 0..<askers.count, using: &random)))
        }
      case 12:
        bench.room.askOverlaps(request: 1, now: bench.now)
        bench.takeEffects()
      default:
        bench.pass(UInt64.random(in: 0..<900, using: &random))
        bench.rest()
      }
    }
    bench.holdsOrders = false
    for asker in askers {
      bench.clients[asker].takes = nil
      bench.wake(asker)
    }
    bench.settle()
    bench.rest(after: 3_000)
    // The clients' pairs are read before the request for overlaps, because the request makes the room announce the
    // latest pairs.
    let announced = askers.map { bench.clients[$0].pairs }
    let index = bench.askOverlaps()?.index
    bench.settle()
    for (asker, pairs) in zip(askers, announced) {
      #expect(pairs == Set(index?.pairs ?? []), "seed \(seed)")
      #expect(!bench.notices(asker).isEmpty, "seed \(seed)")
      bench.expectCaughtUp(asker, "seed \(seed)")
    }
    #expect(bench.orders.isEmpty)
  }

  @Test(
    "at most one order is under way, however often somebody asks and leaves, and nothing is built that nobody will have"
  )
  func comingAndGoing() {
    var (bench, writer) = RoomBench.withWriter()
    for number in 1...50 { bench.put(writer, UInt64(number), x: Double(number) * 5) }
    bench.settle()
    bench.holdsOrders = true
    var most = 0
    for round in 0..<400 {
      let asker = bench.join { $0.overlaps = true }
      if round % 10 == 0 { bench.put(writer, 1, x: Double(round)) }
      bench.settle()
      // In other rounds, the client leaves before the index is there, or before the last one is freed.
      if round % 3 == 0 { bench.carryOutOrder() }
      most = max(most, bench.orders.count)
      bench.leave(asker)
      most = max(most, bench.orders.count)
    }
    #expect(most == 1)
    // The pending computation answers all requests so far. Its result also includes the changes since it was started.
    let last = bench.join { $0.overlaps = true }
    bench.holdsOrders = false
    bench.settle()
    bench.takeEffects()
    bench.settle()
    #expect(bench.notices(last).count == 1)
    #expect(bench.clients[last].pairs == Set(bench.askOverlaps()?.index.pairs ?? []))
    bench.leave(last)
    bench.pass(40_000)
    bench.room.rest(now: bench.now)
    bench.takeEffects()
    #expect(!bench.room.keepsOverlaps && bench.orders.isEmpty)
  }
}
