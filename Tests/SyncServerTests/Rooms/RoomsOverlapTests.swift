import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Overlaps, for those who ask")
struct RoomsOverlapTests {
  @Test("R6: first all that stand, even if none; then what begins and ends; others hear nothing")
  func notices() {
    var bench = RoomBench()
    let writer = bench.join()
    let asker = bench.join(.json) { $0.overlaps = true }
    #expect(bench.notices(asker) == [OverlapNotice(began: [], ended: [])])
    bench.put(writer, 1, x: 0)
    bench.put(writer, 2, x: 5)
    bench.put(writer, 3, x: 10)
    bench.settle()
    let first = ShapePair(bench.shape(1), bench.shape(2))
    let second = ShapePair(bench.shape(2), bench.shape(3))
    #expect(bench.clients[asker].pairs == [first, second])
    bench.write(writer, bench.shape(2)) { $0.visible = false }
    bench.settle()
    #expect(bench.clients[asker].pairs == [])
    bench.write(writer, bench.shape(2)) { $0.visible = true }
    bench.settle()
    bench.write(writer, bench.shape(3)) { $0.delete() }
    bench.settle()
    #expect(bench.clients[asker].pairs == [first])
    #expect(bench.notices(writer).isEmpty)
    let late = bench.join(.binary) { $0.overlaps = true }
    #expect(bench.notices(late) == [OverlapNotice(began: [first], ended: [])])
  }

  @Test("an overlap that begins and ends in one beat is not reported")
  func net() {
    var bench = RoomBench()
    let writer = bench.join()
    let asker = bench.join { $0.overlaps = true }
    bench.put(writer, 1, x: 0)
    bench.put(writer, 2, x: 50)
    bench.settle()
    let before = bench.notices(asker).count
    bench.put(writer, 2, x: 5)
    bench.put(writer, 2, x: 50)
    bench.put(writer, 1, x: 1)
    while !bench.waiting.isEmpty { bench.commit() }
    bench.settle()
    #expect(bench.notices(asker).count == before)

    // Two shapes move together. Their overlap ends and begins again within one broadcast, so it counts as unchanged.
    bench.put(writer, 2, x: 5)
    bench.settle()
    let together = bench.notices(asker).count
    bench.put(writer, 1, x: 201)
    bench.put(writer, 2, x: 205)
    while !bench.waiting.isEmpty { bench.commit() }
    bench.settle()
    #expect(together == before + 1)
    #expect(bench.notices(asker).count == together)
  }

  @Test("a client that asks for overlaps gets them, even if it shares a state with one that didn't ask")
  func sharedState() {
    var bench = RoomBench()
    let writer = bench.join()
    bench.put(writer, 1, x: 0)
    bench.put(writer, 2, x: 5)
    bench.settle()
    let reading = bench.connect(.binary)
    bench.clients[reading].takes = 0
    bench.say(.hello(Hello()), reading)
    bench.settle()
    let asker = bench.join { $0.overlaps = true }
    #expect(bench.clients[asker].pairs == [ShapePair(bench.shape(1), bench.shape(2))])
  }

  @Test("two that change places in one beat never overlapped")
  func changingPlaces() {
    var bench = RoomBench()
    let writer = bench.join()
    let asker = bench.join { $0.overlaps = true }
    bench.put(writer, 1, x: 0)
    bench.put(writer, 2, x: 50)
    bench.settle()
    let before = bench.notices(asker).count
    bench.put(writer, 1, x: 50)
    bench.put(writer, 2, x: 0)
    while !bench.waiting.isEmpty { bench.commit() }
    bench.settle()
    #expect(bench.notices(asker).count == before)
  }

  @Test("M4, R6: a deletion that takes a shape's place away while an edit keeps the shape moves it")
  func erasedPlace() {
    var bench = RoomBench()
    let writer = bench.join()
    let asker = bench.join { $0.overlaps = true }
    bench.put(writer, 1, x: 0)
    bench.put(writer, 2, x: 500)
    bench.settle()
    #expect(bench.clients[asker].pairs.isEmpty)
    // The deletion arrives after an edit with a newer stamp.
    let deletedAt = Stamp(milliseconds: bench.now.wallMilliseconds + 1, counter: 0, actor: bench.actor(writer))
    bench.pass(10)
    bench.write(writer, bench.shape(2)) {
      $0.kind = .rectangle
      $0.size = Size(width: 10, height: 10)
    }
    bench.settle()
    bench.write(writer, bench.shape(2), at: deletedAt) { $0.delete() }
    bench.settle()
    #expect(bench.room.canvas[bench.shape(2)]?.properties.position == Point(x: 0, y: 0))
    #expect(bench.clients[asker].pairs == [ShapePair(bench.shape(1), bench.shape(2))])
  }

  @Test("R9: with too many to tell all end, and what stands is told when there are fewer, whatever made them so")
  func crowded() {
    var bench = RoomBench { $0.overlapPairs = 10 }
    let writer = bench.join()
    let asker = bench.join { $0.overlaps = true }
    for number in 1...8 { bench.put(writer, UInt64(number), x: 0) }
    bench.settle()
    #expect(bench.clients[asker].pairs == [])
    let now1 = bench.overlapList()
    #expect(now1 == nil)
    // Moves four shapes apart, and then changes nothing for a while.
    for number in 5...8 { bench.put(writer, UInt64(number), x: 100 * Double(number)) }
    bench.settle()
    bench.pass(3_000)
    bench.room.rest(now: bench.now)
    bench.settle()
    #expect(bench.clients[asker].pairs.count == 6)
    let now2 = bench.overlapList()
    #expect(now2 != nil)
    // No member wants notices now, so only an HTTP request asks for overlaps.
    bench.leave(asker)
    for number in 5...8 { bench.put(writer, UInt64(number), x: 0) }
    bench.settle()
    bench.pass(3_000)
    let now3 = bench.overlapList()
    #expect(now3 == nil)
    bench.write(writer, bench.shape(1)) { $0.delete() }
    bench.settle()
    for number: UInt64 in 2...4 { bench.put(writer, number, x: 100 * Double(number)) }
    bench.settle()
    bench.pass(3_000)
    let now4 = bench.overlapPairs()
    #expect(now4.count == 6)
    let late = bench.join { $0.overlaps = true }
    #expect(bench.clients[late].pairs.count == 6)
  }

  @Test("the index is there only while somebody asks")
  func index() {
    var bench = RoomBench()
    let writer = bench.join()
    bench.put(writer, 1, x: 0)
    bench.put(writer, 2, x: 5)
    bench.settle()
    #expect(!bench.room.keepsOverlaps)
    let asker = bench.join { $0.overlaps = true }
    #expect(bench.room.keepsOverlaps)
    bench.leave(asker)
    #expect(!bench.room.keepsOverlaps)
    let answer = String(decoding: bench.overlapList() ?? [], as: UTF8.self)
    #expect(
      answer
        == "{\"room\":\"demo\",\"cursor\":\"\(bench.room.cursor.text)\",\"overlaps\":[[\"000-000-001\",\"000-000-002\"]]}"
    )
    #expect(bench.room.keepsOverlaps)
    // Shapes change before the answer is made. The answer includes these changes.
    bench.put(writer, 2, x: 100)
    bench.settle()
    let now5 = bench.overlapPairs()
    #expect(now5.isEmpty)
    bench.pass(40_000)
    bench.room.rest(now: bench.now)
    bench.takeEffects()
    #expect(!bench.room.keepsOverlaps)
  }

  @Test("a reader that stalled is told the difference, and nothing else", arguments: WireEncoding.allCases)
  func afterStall(encoding: WireEncoding) {
    var bench = RoomBench { $0.ringBeats = 4 }
    let writer = bench.join()
    for number in 1...6 { bench.put(writer, UInt64(number), x: Double(number) * 8) }
    bench.settle()
    // An earlier member asked for notices, so the broadcasts that the room still buffers contain overlaps.
    let earlier = bench.join { $0.overlaps = true }
    bench.leave(earlier)
    bench.put(writer, 6, x: 500)
    bench.settle()
    let slow = bench.join(encoding) { $0.overlaps = true }
    bench.clients[slow].takes = 0
    var random = SeededGenerator(seed: 5)
    for _ in 0..<30 {
      bench.put(writer, UInt64.random(in: 1...6, using: &random), x: Double(Int.random(in: 0..<60, using: &random)))
      bench.settle()
    }
    bench.write(writer, bench.shape(3)) { $0.delete() }
    bench.settle()
    bench.clients[slow].takes = nil
    bench.wake(slow)
    bench.settle()
    let now6 = bench.overlapPairs()
    #expect(bench.clients[slow].pairs == Set(now6))
    bench.put(writer, 3, x: 8)
    bench.settle()
    let now7 = bench.overlapPairs()
    #expect(bench.clients[slow].pairs == Set(now7))
    bench.expectCaughtUp(slow)
  }

  @Test("many pairs come in messages within the bound, more on all but the last")
  func many() {
    var bench = RoomBench { $0.messageBytes = 16_384 }
    let writer = bench.join()
    for number in 1...60 { bench.put(writer, UInt64(number), x: Double(number) / 100) }
    bench.settle()
    let asker = bench.join(.json) { $0.overlaps = true }
    let told = bench.notices(asker)
    #expect(told.count == 4)
    #expect(told.map { $0.more } == [true, true, true, false])
    #expect(bench.clients[asker].pairs.count == 60 * 59 / 2)
    #expect(bench.clients[asker].messageBytesMax <= 16_384)
  }
}

extension RoomBench {
  fileprivate mutating func overlapPairs() -> [ShapePair] { askOverlaps()?.index.pairs ?? [] }

  /// The pairs in the HTTP answer.
  fileprivate mutating func overlapList() -> [UInt8]? {
    askOverlaps().flatMap { $0.index.document(room: room.name, cursor: $0.cursor) }
  }
}
