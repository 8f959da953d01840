import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Overlaps, for those who ask")
struct RoomsOverlapTests {
  @Test("R6: first all that stand, even if none; then what begins and ends; others hear nothing")
  func notices() {
    var (bench, writer) = RoomBench.withWriter()
    let asker = bench.join(.json) { $0.overlaps = true }
    #expect(bench.notices(asker) == [OverlapNotice(began: [], ended: [])])
    bench.put(writer, [1: 0, 2: 5, 3: 10])
    let first = ShapePair(bench.shape(1), bench.shape(2))
    let second = ShapePair(bench.shape(2), bench.shape(3))
    #expect(bench.clients[asker].pairs == [first, second])
    bench.settle(writer, 2) { $0.visible = false }
    #expect(bench.clients[asker].pairs == [])
    bench.settle(writer, 2) { $0.visible = true }
    bench.settle(writer, 3) { $0.delete() }
    #expect(bench.clients[asker].pairs == [first])
    #expect(bench.notices(writer).isEmpty)
    let late = bench.join(.binary) { $0.overlaps = true }
    #expect(bench.notices(late) == [OverlapNotice(began: [first], ended: [])])
  }

  @Test("an overlap that begins and ends in one beat is not reported")
  func net() {
    var (bench, writer) = RoomBench.withWriter()
    let asker = bench.join { $0.overlaps = true }
    bench.put(writer, [1: 0, 2: 50])
    let before = bench.notices(asker).count
    bench.put(writer, 2, x: 5)
    bench.put(writer, [2: 50, 1: 1])
    #expect(bench.notices(asker).count == before)

    // Two shapes move together. Their overlap ends and begins again within one broadcast, so it counts as unchanged.
    bench.put(writer, [2: 5])
    let together = bench.notices(asker).count
    bench.put(writer, [1: 201, 2: 205])
    #expect(together == before + 1)
    #expect(bench.notices(asker).count == together)

    // Two that change places never overlapped.
    bench.put(writer, [2: 305])
    bench.put(writer, [1: 305, 2: 201])
    #expect(bench.notices(asker).count == together + 1)
  }

  @Test("a client that asks for overlaps gets them, even if it shares a state with one that didn't ask")
  func sharedState() {
    var (bench, writer) = RoomBench.withWriter()
    bench.put(writer, [1: 0, 2: 5])
    bench.join(takes: 0)
    let asker = bench.join { $0.overlaps = true }
    #expect(bench.clients[asker].pairs == [ShapePair(bench.shape(1), bench.shape(2))])
  }

  @Test("M4, R6: a deletion that takes a shape's place away while an edit keeps the shape moves it")
  func erasedPlace() {
    var (bench, writer) = RoomBench.withWriter()
    let asker = bench.join { $0.overlaps = true }
    bench.put(writer, [1: 0, 2: 500])
    #expect(bench.clients[asker].pairs.isEmpty)
    // The deletion arrives after an edit with a newer stamp.
    let deletedAt = Stamp(milliseconds: bench.now.wallMilliseconds + 1, counter: 0, actor: bench.actor(writer))
    bench.pass(10)
    bench.settle(writer, 2) { ($0.kind, $0.size) = (.rectangle, Size(width: 10, height: 10)) }
    bench.settle(writer, 2, at: deletedAt) { $0.delete() }
    #expect(bench.room.canvas[bench.shape(2)]?.properties.position == Point(x: 0, y: 0))
    #expect(bench.clients[asker].pairs == [ShapePair(bench.shape(1), bench.shape(2))])
  }

  @Test("R9: with too many to tell all end, and what stands is told when there are fewer, whatever made them so")
  func crowded() {
    var (bench, writer) = RoomBench.withWriter { $0.overlapPairs = 10 }
    let asker = bench.join { $0.overlaps = true }
    for number in 1...8 { bench.put(writer, UInt64(number), x: 0) }
    bench.settle()
    #expect(bench.clients[asker].pairs == [])
    let now1 = bench.overlapList()
    #expect(now1 == nil)
    // Moves four shapes apart, and then changes nothing for a while.
    for number in 5...8 { bench.put(writer, UInt64(number), x: 100 * Double(number)) }
    bench.settle()
    bench.rest(after: 3_000)
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
    bench.settle(writer, 1) { $0.delete() }
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
    var (bench, writer) = RoomBench.withWriter()
    bench.put(writer, [1: 0, 2: 5])
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
    bench.put(writer, [2: 100])
    let now5 = bench.overlapPairs()
    #expect(now5.isEmpty)
    bench.pass(40_000)
    bench.room.rest(now: bench.now)
    bench.takeEffects()
    #expect(!bench.room.keepsOverlaps)
  }

  @Test("R6: who comes into a room that was empty meanwhile is told of all pairs once")
  func afterEmptiness() {
    var (bench, writer) = RoomBench.withWriter { $0.messageBytes = 2_048 }
    for number in 1...20 { bench.put(writer, UInt64(number), x: Double(number) * 6) }
    bench.settle()
    let first = bench.join { $0.overlaps = true }
    // A state with all pairs is made for this client. Everyone leaves before there is another beat.
    let second = bench.connect()
    var hello = Hello()
    hello.overlaps = true
    bench.say(.hello(hello), second)
    for client in [writer, first, second] { bench.leave(client) }
    for _ in 0..<2 {
      let late = bench.join { $0.overlaps = true }
      #expect(bench.notices(late).flatMap(\.began).count == 19)
    }
  }

  @Test("many pairs come in messages within the bound, more on all but the last")
  func many() {
    var (bench, writer) = RoomBench.withWriter { $0.messageBytes = 16_384 }
    for number in 1...60 { bench.put(writer, UInt64(number), x: Double(number) / 100) }
    bench.settle()
    let asker = bench.join(.json) { $0.overlaps = true }
    let told = bench.notices(asker)
    #expect(told.count == 4)
    #expect(told.map { $0.more } == [true, true, true, false])
    #expect(bench.clients[asker].pairs.count == 60 * 59 / 2)
    #expect(bench.clients[asker].messageBytesMax <= 16_384)
  }

  @Test("pairs that begin and pairs that end share the bound of a message")
  func manyOfBoth() {
    let encoder = MessageEncoder(framing: Framing { _, _, _ in }, vocabularies: [], messageBytesMax: 14 * 32)
    let pairs = (1...22 as ClosedRange<UInt64>).map {
      ShapePair(Identifier(packed: $0)!, Identifier(packed: $0 + 1)!)
    }
    let notices = encoder.notices(began: Array(pairs[..<7]), ended: Array(pairs[7...]))
    #expect(notices.map { [$0.began.count, $0.ended.count] } == [[7, 3], [0, 10], [0, 2]])
    #expect(notices.map { $0.more } == [true, true, false])
    let told: [ShapePair] = notices.flatMap { $0.began + $0.ended }
    #expect(told == pairs)
  }
}

extension RoomBench {
  fileprivate mutating func overlapPairs() -> [ShapePair] { askOverlaps()?.index.pairs ?? [] }

  /// The pairs in the HTTP answer.
  fileprivate mutating func overlapList() -> [UInt8]? {
    askOverlaps().flatMap { $0.index.document(room: room.name, cursor: $0.cursor) }
  }
}
