// The clock is here only to end a test that would hang.
private let longest = Duration.seconds(600)

/// Waits until something is so, which other tasks bring about.
///
/// In vain, it ends the process, because whoever waits with such a test, as at the end of a task group, would hang too.
public nonisolated(nonsending) func waitUntil(_ what: String, _ isSo: () async -> Bool) async {
  let end = ContinuousClock.now + longest
  while await !isSo() {
    precondition(ContinuousClock.now < end, "waited in vain until \(what)")
    await Task.yield()
  }
}

/// Looks again and again until there is something to see, which other threads bring about. In vain, returns `nil`.
public func eventually<Value>(_ look: () -> Value?) async -> Value? {
  let end = ContinuousClock.now + longest
  while ContinuousClock.now < end {
    if let value = look() { return value }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return nil
}
