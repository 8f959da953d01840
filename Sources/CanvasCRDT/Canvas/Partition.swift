extension Array {
  /// The first index for which `isBefore` does not hold; the end if it holds for all. The search halves the range, so
  /// `isBefore` must hold for all indices before the returned one, and for none from there on.
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
