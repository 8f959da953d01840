import Synchronization

@testable import RoomLog

/// Chooses the appends to logs in memory whose outcome stays unknown for a while. Some are chosen by the test, others at
/// random. The random ones become rarer, so that tests with many appends stay fast.
final class Doubts: Sendable {
  private struct State {
    var next: UndecidedAppend.Fate?
    var appends = 0
    var distance = 1
    var made = 0
    var logs: [Weak] = []
  }

  private struct Weak {
    weak var log: DoubtfulLog?
  }

  private let state = Mutex(State())
  private let comeByThemselves: Bool

  init(comeByThemselves: Bool) { self.comeByThemselves = comeByThemselves }

  /// How many appends have had an unknown outcome.
  var made: Int { state.withLock { $0.made } }

  /// Makes the outcome of the next append unknown. `fate` decides whether it is stored.
  func leaveNext(_ fate: UndecidedAppend.Fate) { state.withLock { $0.next = fate } }

  func add(_ log: DoubtfulLog) { state.withLock { $0.logs.append(Weak(log: log)) } }

  /// Tells each log the outcome of its undecided append.
  func decide() {
    for log in state.withLock({ $0.logs.compactMap(\.log) }) { log.decide() }
  }

  func take() -> UndecidedAppend.Fate? {
    state.withLock { state in
      if comeByThemselves, state.next == nil {
        state.appends += 1
        guard state.appends > state.distance else { return nil }
        state.next = state.made % 2 == 0 ? .stored : .lost
        state.appends = 0
        state.distance += 1
      }
      defer { state.next = nil }
      if state.next != nil { state.made += 1 }
      return state.next
    }
  }
}
