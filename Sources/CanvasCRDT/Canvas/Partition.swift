extension Array {
  /// A binary search: the first index for which `isBefore` is false, or the end if there is none. From that index on,
  /// `isBefore` must be false for every index.
  @inlinable
  func partitionIndex(_ isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
