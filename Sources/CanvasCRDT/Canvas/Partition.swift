extension Array {
  /// The first index of which `isBefore` does not hold, or the end. It holds of every index up to that and of none
  /// behind, so that halving finds it.
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
