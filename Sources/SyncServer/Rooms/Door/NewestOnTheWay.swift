/// A value with several parts. Merging two values keeps the newest of each part. It is commutative, associative and
/// idempotent.
protocol Newest {
  mutating func merge(_ other: Self)
}

/// The pending operations on one shape, by batch, and what they merge into.
///
/// What always holds:
/// - `sum` merges all values that were added and not removed. A value that was removed while an older batch was pending
///   can stay in `sum` until that batch is removed. A stored value does no harm there: merging it with the canvas again
///   changes nothing.
/// - Adding and removing take two merges each on average, however many batches there are, because the log mostly
///   answers for batches in the order in which they were admitted.
struct NewestOnTheWay<Value: Newest> {
  /// The older batches, the oldest last. Each value includes the values of all newer batches in this array.
  private var older: [(batch: UInt64, value: Value)] = []
  /// The batches that are newer than those in `older`. The newest batch is last.
  private var newer: [(batch: UInt64, value: Value)] = []
  private var sumOfNewer: Value?
  /// Batches that were removed, but that are still in `older` or `newer`, because an older batch is pending.
  private var removed: Set<UInt64> = []

  var isEmpty: Bool { older.isEmpty && newer.isEmpty }

  /// All values merged into one. `nil` if nothing is pending.
  var sum: Value? {
    guard var sum = older.last?.value else { return sumOfNewer }
    if let sumOfNewer { sum.merge(sumOfNewer) }
    return sum
  }

  /// - Parameter batch: the number of a batch that has no value here yet, and is newer than all others.
  mutating func add(_ value: Value, of batch: UInt64) {
    newer.append((batch, value))
    if sumOfNewer == nil { sumOfNewer = value } else { sumOfNewer?.merge(value) }
  }

  mutating func remove(_ batch: UInt64) {
    removed.insert(batch)
    while let oldest = oldestBatch(), removed.remove(oldest) != nil { older.removeLast() }
  }

  /// Returns the oldest pending batch. If `older` is empty, all batches in `newer` are moved to it.
  private mutating func oldestBatch() -> UInt64? {
    if older.isEmpty {
      older = newer.reversed()
      newer = []
      sumOfNewer = nil
      for index in older.indices.dropFirst() { older[index].value.merge(older[index - 1].value) }
    }
    return older.last?.batch
  }
}

extension NewestOnTheWay: Sendable where Value: Sendable {}
