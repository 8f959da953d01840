/// A canvas's digest in three sums, one for each vocabulary. Each sum is over the registers of the properties that its
/// vocabulary has added.
struct CountedDigest: Hashable, Sendable {
  /// The sum of the hashes of registers whose properties every client knows.
  var common: UInt64 = 0
  /// The sum for the properties of the second vocabulary, which added texts.
  var texts: UInt64 = 0
  /// The sum over the properties of the third vocabulary: those that are in neither of the other sums.
  var newest: UInt64 = 0

  init() {}

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

  /// The digest over the properties that are known to a client of this vocabulary.
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

  /// Returns the digest, and from now on updates it with each change. Hashing is a third of the cost of an update, so a
  /// canvas hashes nothing before the first call.
  @discardableResult
  public mutating func countDigest() -> UInt64 {
    if countedDigest == nil { countedDigest = walkedDigest }
    return digest
  }
}
