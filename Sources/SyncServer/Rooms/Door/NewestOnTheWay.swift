/// A value of which only the newest parts count: two of them merge into one, in any order and any number of times.
protocol Newest {
  mutating func merge(_ other: Self)
}

/// The operations under way to one shape, by batch, and their sum.
///
/// What always holds:
/// - `sum` merges all values that were added and not removed. A value that was removed while an older batch was under
///   way may stay in `sum` until that batch is removed. If its batch has been stored, this makes no difference.
/// - Adding and removing take two merges each on average, however many batches there are: the log mostly answers for
///   batches in the order in which they were let in.
struct NewestOnTheWay<Value: Newest> {
  /// The older batches, the oldest last. Each has the merge of itself and the newer ones in this array.
  private var older: [(batch: UInt64, value: Value)] = []
  /// The newer batches, the newest last.
  private var newer: [(batch: UInt64, value: Value)] = []
  private var sumOfNewer: Value?
  /// Batches that were removed but are still in one of the arrays.
  private var removed: Set<UInt64> = []

  var isEmpty: Bool { older.isEmpty && newer.isEmpty }

  /// The sum of all of them. `nil` if nothing is under way.
  var sum: Value? {
    guard var sum = older.last?.value else { return sumOfNewer }
    if let sumOfNewer { sum.merge(sumOfNewer) }
    return sum
  }

  /// - Parameter batch: the number of a batch without a value yet, newer than all others.
  mutating func add(_ value: Value, of batch: UInt64) {
    newer.append((batch, value))
    if sumOfNewer == nil { sumOfNewer = value } else { sumOfNewer?.merge(value) }
  }

  mutating func remove(_ batch: UInt64) {
    removed.insert(batch)
    while let oldest = oldestBatch(), removed.remove(oldest) != nil { older.removeLast() }
  }

  /// Makes the oldest batch the last element of `older`.
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
