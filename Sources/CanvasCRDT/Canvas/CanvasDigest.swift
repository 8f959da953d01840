/// The sums of the registers' hashes, separately for the properties that each vocabulary added.
struct CountedDigest: Hashable, Sendable {
  /// The sum over the properties that every client knows.
  var common: UInt64 = 0
  /// The sum over the properties that were added together with texts.
  var texts: UInt64 = 0
  /// The sum over the properties that the newest vocabulary added.
  var newest: UInt64 = 0

  init() {}

  /// Makes a digest by calling `sum` for each group of properties.
  @inline(__always)
  init(_ sum: (PropertyMask) -> UInt64) {
    common = sum(.common)
    texts = sum(.texts)
    newest = sum(.all.subtracting(.common).subtracting(.texts))
  }

  var all: UInt64 { common &+ texts &+ newest }

  func known(to vocabulary: Vocabulary) -> UInt64 {
    switch vocabulary {
    case .first: common
    case .second: common &+ texts
    case .third: all
    }
  }

  static func &+= (left: inout CountedDigest, right: CountedDigest) {
    left.common &+= right.common
    left.texts &+= right.texts
    left.newest &+= right.newest
  }

  static func &-= (left: inout CountedDigest, right: CountedDigest) {
    left.common &-= right.common
    left.texts &-= right.texts
    left.newest &-= right.newest
  }
}

extension Canvas {
  /// The sum modulo 2⁶⁴ of the mixed FNV-1a 64 hashes of `shape property stamp`, over every register of every live
  /// shape (M9).
  ///
  /// Unless `countDigest` was called before, this reads all registers.
  public var digest: UInt64 { (countedDigest ?? walkedDigest).all }

  /// The digest of the properties that a client with this vocabulary knows.
  public func digest(for vocabulary: Vocabulary) -> UInt64 {
    (countedDigest ?? walkedDigest).known(to: vocabulary)
  }

  private var walkedDigest: CountedDigest {
    var sum = CountedDigest()
    for page in pages.indices {
      for row in pages[page].indices { sum &+= pages[page][row].digest }
    }
    return sum
  }

  /// Returns the digest, and keeps it up to date from now on. Hashing is a third of the cost of an update, so a canvas
  /// starts to hash only when somebody needs its digest.
  @discardableResult
  public mutating func countDigest() -> UInt64 {
    if countedDigest == nil { countedDigest = walkedDigest }
    return digest
  }
}
