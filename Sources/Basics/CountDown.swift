extension Dictionary where Value: BinaryInteger {
  /// Lowers the count of a key by one. A count of 0 isn't kept.
  @inlinable
  public mutating func countDown(_ key: Key) {
    let left = self[key, default: 1] - 1
    self[key] = left > 0 ? left : nil
  }
}
