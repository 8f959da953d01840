import Synchronization

/// Hands a value to the thread that uses it up, so that the value is also freed there.
final class Handover<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value) { self.value = Mutex(value) }

  /// - Returns: the value. `nil` if it was taken before.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}

extension HeavyWorker {
  /// Frees the value on another thread, and returns when it is freed. If too much waits to be freed, the caller frees
  /// the value.
  func free(_ value: Handover<some Sendable>) async {
    try? await workOut(for: HeavyWork.freeing) { _ = value.take() }
  }
}
