/// Waits until something is so.
///
/// The clock is here only to end a test that would hang. It ends the process, because whoever waits with such a test, as
/// at the end of a task group, would hang too.
nonisolated(nonsending) func waitUntil(_ what: String, _ isSo: () async -> Bool) async {
  let end = ContinuousClock.now + .seconds(600)
  while await !isSo() {
    precondition(ContinuousClock.now < end, "waited in vain until \(what)")
    await Task.yield()
  }
}
