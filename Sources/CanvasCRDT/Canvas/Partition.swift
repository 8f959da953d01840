extension Array {
  /// The first index for which `isBefore` does not hold, or the end if `isBefore` holds for all indices. The search
  /// halves the range in each step. So `isBefore` must hold for all indices before the returned one, and for none from
  /// there on.
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
