extension Canvas {
  /// Sum modulo 2⁶⁴ of the FNV-1a 64 hashes of `shape property stamp` over every register of every live shape.
  ///
  /// A walk over all of them where `countDigest` was never called.
  public var digest: UInt64 {
    if let countedDigest { return countedDigest }
    var sum: UInt64 = 0
    for page in pages.indices {
      for row in pages[page].indices { sum &+= pages[page][row].digest }
    }
    return sum
  }

  /// The same, and has it kept up from now on. Most clients never ask, and don't pay for its hashes, which would be a third
  /// of what an update costs.
  @discardableResult
  public mutating func countDigest() -> UInt64 {
    let digest = digest
    countedDigest = digest
    return digest
  }
}
