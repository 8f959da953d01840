import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("How much of the work on overlaps a room may do") struct OverlapBudgetTests {
  private func moment(_ milliseconds: UInt64) -> Moment {
    Moment(wallMilliseconds: 0, monotonicMilliseconds: milliseconds)
  }

  private let most = OverlapBudget.most(shapes: 100, stepsPerShape: 1_000)

  /// A budget that is full at 5 ms.
  private func full() -> OverlapBudget {
    var budget = OverlapBudget(stepsPerShape: 1_000)
    budget.grow(shapes: 100, now: moment(5))
    return budget
  }

  @Test("it is full at first, and then grows by ten shapes' steps a millisecond, up to its bound") func growing() {
    var budget = full()
    #expect(budget.steps == most && most > 30_000)
    budget.spent(left: 0, isCrowded: false, now: moment(5))
    #expect(budget.steps == 0 && budget.mayLook(moment(5)))
    budget.grow(shapes: 100, now: moment(8))
    #expect(budget.steps == 30_000)
    budget.spent(left: -50_000, isCrowded: false, now: moment(8))
    budget.grow(shapes: 100, now: moment(14))
    #expect(budget.steps == 10_000, "what was too much is made up for")
    budget.grow(shapes: 100, now: moment(60_000))
    #expect(budget.steps == most)
    budget.spent(left: 0, isCrowded: false, now: moment(60_000))
    budget.grow(shapes: 100, now: moment(59_000))
    #expect(budget.steps == 0, "time doesn't run backwards")
    budget.grow(shapes: 100, now: moment(.max))
    #expect(budget.steps == most)
  }

  @Test("a room with too many pairs pauses for two seconds, or for twenty times as long as it has worked")
  func crowded() {
    for (left, pause) in [(0, 2_000), (-20_000_000 + most, 4_000)] as [(Int, UInt64)] {
      var budget = full()
      budget.spent(left: left, isCrowded: true, now: moment(5))
      #expect(budget.steps == 0 && !budget.mayLook(moment(5 + pause - 1)) && budget.mayLook(moment(5 + pause)))
    }
  }
}
