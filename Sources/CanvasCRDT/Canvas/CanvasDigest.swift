/// The sums of registers' hashes. Those of the rare properties are apart, since some clients don't know these.
struct CountedDigest: Hashable, Sendable {
  var common: UInt64 = 0
  var rare: UInt64 = 0

  var all: UInt64 { common &+ rare }

  static func &+= (left: inout CountedDigest, right: CountedDigest) {
    left.common &+= right.common
    left.rare &+= right.rare
  }

  static func &-= (left: inout CountedDigest, right: CountedDigest) {
    left.common &-= right.common
    left.rare &-= right.rare
  }
}

extension Canvas {
  /// Sum modulo 2⁶⁴ of the FNV-1a 64 hashes of `shape property stamp` over every register of every live shape.
  ///
  /// If `countDigest` was never called, this walks over all registers.
  public var digest: UInt64 { (countedDigest ?? walkedDigest).all }

  /// The digest of what a client with this vocabulary knows of the canvas.
  public func digest(for vocabulary: Vocabulary) -> UInt64 {
    let digest = countedDigest ?? walkedDigest
    return vocabulary.knowsAll ? digest.all : digest.common
  }

  private var walkedDigest: CountedDigest {
    var sum = CountedDigest()
    for page in pages.indices {
      for row in pages[page].indices { sum &+= pages[page][row].digest }
    }
    return sum
  }

  /// Returns the digest, and keeps it up to date from now on. Its hashes are a third of an update's cost, which who never
  /// asks for it doesn't pay.
  @discardableResult
  public mutating func countDigest() -> UInt64 {
    if countedDigest == nil { countedDigest = walkedDigest }
    return digest
  }
}
