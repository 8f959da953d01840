/// Something of which only the newest counts: two of them merge into one, in any order and any number of times.
protocol Newest {
  mutating func merge(_ other: Self)
}

/// The operations under way to one shape, by batch, and their sum.
///
/// What always holds:
/// - `sum` has merged whatever was added and not removed. Something that was removed while an older batch was still on its way may
///   be in it too, until that one is removed. If it has been stored by then, this makes no difference.
/// - Adding and removing take two merges each on average, however many batches there are: the log answers for most of them
///   in the order in which they were let in.
struct NewestOnTheWay<Value: Newest> {
  /// The oldest last. Each with what it and all that are newer among these come to.
  private var older: [(batch: UInt64, value: Value)] = []
  /// The newest last.
  private var newer: [(batch: UInt64, value: Value)] = []
  private var sumOfNewer: Value?
  /// Removed, and neither last in `older` nor dropped yet.
  private var removed: Set<UInt64> = []

  var isEmpty: Bool { older.isEmpty && newer.isEmpty }

  /// The sum of all of them. `nil` if nothing is under way.
  var sum: Value? {
    guard var sum = older.last?.value else { return sumOfNewer }
    if let sumOfNewer { sum.merge(sumOfNewer) }
    return sum
  }

  /// - Parameter batch: newer than all before, and with nothing in it yet.
  mutating func add(_ value: Value, of batch: UInt64) {
    newer.append((batch, value))
    if sumOfNewer == nil { sumOfNewer = value } else { sumOfNewer?.merge(value) }
  }

  mutating func remove(_ batch: UInt64) {
    removed.insert(batch)
    while let oldest = oldestBatch(), removed.remove(oldest) != nil { older.removeLast() }
  }

  /// Has the oldest batch be the last in `older`.
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
