import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("H18: A room's history, step by step")
struct RoomStepsTests {
  private let ann = Identifier(packed: 1)!
  private let ben = Identifier(packed: 2)!

  private func record(_ position: UInt64, at milliseconds: UInt64, _ actors: Identifier..., deleting: Bool = false)
    -> RoomRecord
  {
    var set = Properties()
    if deleting { set.delete() } else { set.kind = .star }
    let operations = actors.map { actor in
      Operation(shape: Identifier(packed: 9)!, at: Stamp(time: milliseconds << 16, actor: actor), set: set)
    }
    return RoomRecord(position: position, milliseconds: milliseconds, operations: operations)
  }

  @Test(
    "H18: What an actor goes on doing within a second is one step, also while others do something; deleting is another"
  )
  func gathers() {
    var steps = RoomSteps()
    steps.take(record(1, at: 1_000, ann, ben))
    steps.take(record(2, at: 1_999, ann, ann))
    steps.take(record(3, at: 2_100, ben, deleting: true))
    steps.take(record(4, at: 2_500, ann, ben, deleting: true))
    steps.take(record(5, at: 2_999, ann))
    #expect(
      steps.told() == [
        .init(fromMilliseconds: 1_000, toMilliseconds: 1_999, actor: ann, operations: 3, removals: 0),
        .init(fromMilliseconds: 1_000, toMilliseconds: 1_000, actor: ben, operations: 1, removals: 0),
        .init(fromMilliseconds: 2_100, toMilliseconds: 2_500, actor: ben, operations: 2, removals: 2),
        .init(fromMilliseconds: 2_500, toMilliseconds: 2_500, actor: ann, operations: 1, removals: 1),
        .init(fromMilliseconds: 2_999, toMilliseconds: 2_999, actor: ann, operations: 1, removals: 0),
      ]
    )
  }

  @Test("H18: A record with a time before that of the one before it, as after damage, goes on in the same step")
  func timesGoBack() {
    var steps = RoomSteps()
    for (position, time) in [(1, 1_000), (2, 400), (3, 1_200)] as [(UInt64, UInt64)] {
      steps.take(record(position, at: time, ann))
    }
    let step = RoomSteps.Step(fromMilliseconds: 1_000, toMilliseconds: 1_200, actor: ann, operations: 3, removals: 0)
    #expect(steps.told() == [step])
  }

  @Test("H18: Of however many, at most two hundred are told, nothing is left out, and neighbours go to who did more")
  func staysBounded() {
    var steps = RoomSteps()
    let count: UInt64 = 100_000
    for position in 1...count {
      let milliseconds = position * 2_000
      let isByBen = position % 2 == 0
      steps.take(
        isByBen ? record(position, at: milliseconds, ben, ben, deleting: true) : record(position, at: milliseconds, ann)
      )
    }
    let told = steps.told()
    #expect(told.count > 100 && told.count <= RoomSteps.stepsMax)
    #expect(told.reduce(0) { $0 + $1.operations } == 150_000)
    #expect(told.reduce(0) { $0 + $1.removals } == 100_000)
    #expect(told.first?.fromMilliseconds == 2_000 && told.last?.toMilliseconds == count * 2_000)
    #expect(told.allSatisfy { $0.actor == ben })
    #expect(zip(told, told.dropFirst()).allSatisfy { $0.toMilliseconds < $1.fromMilliseconds })
  }
}
