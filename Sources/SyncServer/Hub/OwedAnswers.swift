/// An answer that a job waits for.
///
/// What always holds: the job is answered exactly once. If this object is dropped without an answer, the job gets
/// `otherwise`.
final class OwedAnswer<Value: Sendable> {
  private var waiter: CheckedContinuation<Value, Never>?
  private let otherwise: Value

  init(to waiter: CheckedContinuation<Value, Never>, otherwise: Value) {
    self.waiter = waiter
    self.otherwise = otherwise
  }

  deinit { waiter?.resume(returning: otherwise) }

  func give(_ value: Value) {
    waiter?.resume(returning: value)
    waiter = nil
  }
}

/// The jobs that wait for a room, by the numbers of their requests.
///
/// What always holds: every job gets an answer, at the latest when the room is closed or deleted.
struct OwedAnswers<Value: Sendable> {
  private var owed: [UInt64: OwedAnswer<Value>] = [:]
  private var isOver = false

  mutating func owe(_ answer: OwedAnswer<Value>, number: UInt64) {
    if !isOver { owed[number] = answer }
  }

  mutating func answer(_ number: UInt64, with value: Value) { owed.removeValue(forKey: number)?.give(value) }

  /// The room is gone: all waiting jobs get the answer that says so.
  mutating func end() {
    isOver = true
    owed = [:]
  }
}
