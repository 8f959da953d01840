import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("A room depends on its log alone")
struct RoomsFoldingTests {
  private let actor = Identifier(packed: 9)!

  private func shape(_ number: Int) -> Identifier { Identifier(packed: UInt64(number))! }

  private func operation(_ number: Int, at milliseconds: UInt64, _ assign: (inout Properties) -> Void) -> Operation {
    var set = Properties()
    assign(&set)
    return Operation(shape: shape(number), at: Stamp(milliseconds: milliseconds, counter: 0, actor: actor)!, set: set)
  }

  private func record(_ position: Int, _ operations: [Operation], forgottenBefore: UInt64 = 0) -> RoomRecord {
    RoomRecord(
      position: UInt64(position),
      milliseconds: RoomBench.epoch,
      forgottenBefore: forgottenBefore,
      operations: operations
    )
  }

  @Test("W12: whether a record comes too late doesn't depend on which deletions are still in memory")
  func forgettingLittleByLittle() throws {
    var live = Fold(epoch: 1, seed: 3)
    let deletions = (1...60_000).map { number in operation(number, at: UInt64(number)) { $0.delete() } }
    for start in stride(from: 0, to: deletions.count, by: 1_000) {
      try live.take(record(1 + start / 1_000, Array(deletions[start..<start + 1_000])))
    }
    try live.take(record(61, [], forgottenBefore: 150_000))
    var restarted = Fold(epoch: 1, image: try RoomImage(live.image().encoded(), seed: 5), changedMilliseconds: 0)
    live.forgetMore()
    #expect(live.canvas.erasureCount > 0, "some are still in memory")
    for _ in 0..<2 { restarted.forgetMore() }
    #expect(restarted.canvas.erasureCount == 0)
    let again = try #require(deletions.first { live.canvas.stamp(of: .deleted, in: $0.shape) != nil })
    let fresh = operation(120_000, at: 200_000) { $0.kind = .star }
    let (one, other) = (try live.take(record(62, [again, fresh])), try restarted.take(record(62, [again, fresh])))
    #expect(one == other)
    #expect(live.canvas.shapes == restarted.canvas.shapes)
  }

  /// The records of a random history. Writers with different clocks make, change and delete a few shapes. Some
  /// operations are repeated, and deletions are sometimes forgotten.
  private func history(_ random: inout SeededGenerator) -> [RoomRecord] {
    var records: [RoomRecord] = []
    var written: [Operation] = []
    for position in 1...40 {
      let time = 1_000 + position * 10
      var operations: [Operation] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if let old = written.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
          operations.append(old)
          continue
        }
        let at = UInt64(time - Int.random(in: 0...60, using: &random)) << 8 + UInt64(written.count)
        let deed = Int.random(in: 0..<4, using: &random)
        let made = operation(Int.random(in: 1...10, using: &random), at: at) {
          switch deed {
          case 0: $0.delete()
          case 1: $0.alpha = 3
          case 2: $0.kind = .star
          default:
            $0.kind = .ellipse
            $0.alpha = 5
          }
        }
        operations.append(made)
        written.append(made)
      }
      let forgets = Int.random(in: 0..<8, using: &random) == 0
      let before = UInt64(time - Int.random(in: 0...80, using: &random)) << 8
      records.append(record(position, operations, forgottenBefore: forgets ? before : 0))
    }
    return records
  }

  @Test("records after a missing one are refused, live and from a snapshot, and change nothing")
  func missing() throws {
    let records = (1...5).map { number in record(number, [operation(number, at: 1_000) { $0.kind = .star }]) }
    var live = Fold(epoch: 1, seed: 3)
    for record in records.prefix(2) { try live.take(record) }
    var restarted = Fold(epoch: 1, image: try RoomImage(live.image().encoded(), seed: 5), changedMilliseconds: 0)
    var past = RoomHistory(end: .position(5), image: live.image(), seed: 7)
    for record in records.suffix(2) {
      #expect(throws: MissingRecord(position: 3)) { try live.take(record) }
      #expect(throws: MissingRecord(position: 3)) { try restarted.take(record) }
      #expect(throws: MissingRecord(position: 3)) { _ = try past.fold(record) }
    }
    #expect([live.position, restarted.position, past.position] == [2, 2, 2] && live.canvas.liveCount == 2)
    // Records that have been taken before do no harm.
    for record in records {
      try live.take(record)
      try restarted.take(record)
    }
    #expect(live.position == 5 && live.operationCount == 5 && live.canvas.liveCount == 5)
    #expect(restarted.image().encoded() == live.image().encoded(), "the clock too")
  }

  @Test("a history adds up to the same room live and from each snapshot, however slowly deletions leave the memory")
  func twice() throws {
    var random = SeededGenerator(seed: 41)
    var (late, kept) = (0, 0)
    for _ in 0..<40 {
      let records = history(&random)
      var live = Fold(epoch: 1, seed: 3)
      var takings: [Fold.Taking] = []
      var images: [[UInt8]] = []
      for record in records {
        takings.append(try live.take(record))
        if Bool.random(using: &random) { live.forgetMore(atMost: Int.random(in: 1...2, using: &random)) }
        images.append(live.image().encoded())
        if live.canvas.holdsErasure(before: live.forgottenBefore) { kept += 1 }
      }
      late += takings.count { $0 == .leftOut }
      for (index, bytes) in images.enumerated() {
        var again = Fold(epoch: 1, image: try RoomImage(bytes, seed: 5), changedMilliseconds: 0)
        for (record, taking) in zip(records, takings).dropFirst(index + 1) {
          if Bool.random(using: &random) { again.forgetMore() }
          #expect(try again.take(record) == taking)
        }
        #expect(again.canvas.digest == live.canvas.digest)
        #expect(again.canvas.shapes == live.canvas.shapes)
        #expect(again.operationCount == live.operationCount && again.forgottenBefore == live.forgottenBefore)
      }
    }
    #expect(late > 100 && kept > 100, "records came too late, while deletions were still in memory")
  }
}

extension Canvas {
  fileprivate func holdsErasure(before milliseconds: UInt64) -> Bool {
    operations().contains { $0.set.deleted && $0.at.milliseconds < milliseconds }
  }
}

extension Fold {
  @discardableResult
  fileprivate mutating func take(_ record: RoomRecord) throws(MissingRecord) -> Taking {
    try take(record, wantsLosses: false) { _, _ in }
  }
}
