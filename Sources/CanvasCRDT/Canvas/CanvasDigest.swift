extension Canvas {
  /// The sum modulo 2⁶⁴ of the mixed FNV-1a 64 hashes of `shape property stamp`, over every register of every live
  /// shape (M9).
  ///
  /// Unless `countDigest` was called before, this reads all registers.
  public var digest: UInt64 { countedDigest ?? walkedDigest(of: .all) }

  /// The digest over the properties that are known to a client of this vocabulary. If the client doesn't know all, this
  /// reads all registers.
  public func digest(for vocabulary: Vocabulary) -> UInt64 {
    vocabulary.properties == .all ? digest : walkedDigest(of: vocabulary.properties)
  }

  private func walkedDigest(of properties: PropertyMask) -> UInt64 {
    var sum: UInt64 = 0
    for page in pages.indices {
      for row in pages[page].indices { sum &+= pages[page][row].digest(of: properties) }
    }
    return sum
  }

  /// Returns the digest, and from now on updates it with each change. Hashing is a third of the cost of an update, so a
  /// canvas hashes nothing before the first call.
  @discardableResult
  public mutating func countDigest() -> UInt64 {
    if countedDigest == nil { countedDigest = digest }
    return digest
  }
}
