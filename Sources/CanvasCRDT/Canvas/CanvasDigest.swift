extension Canvas {
  /// Sum modulo 2⁶⁴ of the FNV-1a 64 hashes of `shape property stamp` over every register of every live shape.
  ///
  /// If `countDigest` was never called, this walks over all registers.
  public var digest: UInt64 {
    if let countedDigest { return countedDigest }
    var sum: UInt64 = 0
    for page in pages.indices {
      for row in pages[page].indices { sum &+= pages[page][row].digest }
    }
    return sum
  }

  /// Returns the digest, and keeps it up to date from now on. Its hashes are a third of an update's cost, which who never
  /// asks for it doesn't pay.
  @discardableResult
  public mutating func countDigest() -> UInt64 {
    let digest = digest
    countedDigest = digest
    return digest
  }
}
