import Synchronization

@testable import RoomLog

/// Decides which appends to a log in memory are undecided: those that a test names, and some at random. The random ones
/// become rarer and rarer, so that a test with many appends doesn't take long.
final class Doubts: Sendable {
  private struct State {
    var next: UndecidedAppend.Fate?
    var appends = 0
    var distance = 1
    var made = 0
  }

  private let state = Mutex(State())
  private let comeByThemselves: Bool

  init(comeByThemselves: Bool) { self.comeByThemselves = comeByThemselves }

  /// How many appends were undecided.
  var made: Int { state.withLock { $0.made } }

  /// Makes the next append undecided.
  func leaveNext(_ fate: UndecidedAppend.Fate) { state.withLock { $0.next = fate } }

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
