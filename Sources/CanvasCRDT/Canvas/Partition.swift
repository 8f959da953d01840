extension Array {
  /// The first index for which `isBefore` does not hold, or the end. It must hold for all indices before that one and
  /// for none after it: the search halves the range.
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
