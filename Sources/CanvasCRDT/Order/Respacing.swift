/// The keys for shapes that are inserted between others, and new keys for neighbours that have to make room.
///
/// Usually no neighbour has to make room. But a new key might be longer than 64 bytes, or the neighbours might have the
/// same key. Then some shapes around the gap get new keys too: as few as possible, but enough for keys of at most
/// `comfortableLength`. All keys are written in the same message, so that nobody sees the shapes out of order.
public struct Respacing: Hashable, Sendable {
  public struct Moved: Hashable, Sendable {
    /// The neighbour's index among the neighbours.
    public let offset: Int
    public let key: OrderKey
  }

  /// The keys of the inserted shapes, in order.
  public let inserted: [OrderKey]
  public let moved: [Moved]

  /// If possible, at most this many neighbours get new keys. They fit into one message, together with the inserted
  /// shapes.
  static let movedPreferredMax = 512

  /// The greatest length of new keys for `count` shapes. Up to `movedPreferredMax` shapes, it is half of `lengthMax`.
  /// About two hundred more keys then fit into one gap before neighbours need new keys again.
  ///
  /// For more shapes, keys may be longer. Otherwise each respacing at one place would move all shapes that the previous
  /// one moved, and a few more.
  static func comfortableLength(for count: Int) -> Int {
    count <= movedPreferredMax ? OrderKey.lengthMax / 2 : OrderKey.lengthMax - 8
  }
}

extension OrderKey {
  /// Keys for `count` shapes that are inserted at `index` among `neighbours`. The neighbours must be in drawing order;
  /// several may have the same key.
  ///
  /// The neighbours must not include shapes that are being moved. The cost depends only on how many neighbours get new
  /// keys.
  public static func placements(
    of count: Int,
    at index: Int,
    in neighbours: some RandomAccessCollection<OrderKey>,
    using generator: inout some RandomNumberGenerator
  ) throws(Failure) -> Respacing {
    guard index >= 0, index <= neighbours.count else { throw .indexOutOfRange }
    guard count > 0 else { return Respacing(inserted: [], moved: []) }
    var window = OrderWindow(around: index, in: neighbours)
    if try window.isOpen(),
      let keys = try run(of: count, between: window.below, window.above, using: &generator)
    {
      return Respacing(inserted: keys, moved: [])
    }
    try window.growPastSharedKey()
    while true {
      while try !window.isComfortable(for: count) { window.grow() }
      let total = window.range.count + count
      if let keys = try run(of: total, between: window.below, window.above, using: &generator) {
        let before = index - window.range.lowerBound
        let moved = window.range.map { offset in
          Respacing.Moved(offset: offset, key: keys[offset - window.range.lowerBound + (offset < index ? 0 : count)])
        }
        return Respacing(inserted: Array(keys[before..<(before + count)]), moved: moved)
      }
      window.grow()
    }
  }
}

/// A range of neighbours around a gap, which get new keys. The next neighbours on either side of the range keep theirs.
private struct OrderWindow<Neighbours: RandomAccessCollection<OrderKey>> {
  private let neighbours: Neighbours
  private let count: Int
  private let gap: Int
  private(set) var range: Range<Int>

  init(around gap: Int, in neighbours: Neighbours) {
    self.neighbours = neighbours
    self.gap = gap
    count = neighbours.count
    range = gap..<gap
  }

  private func key(at offset: Int) -> OrderKey? {
    guard offset >= 0, offset < count else { return nil }
    return neighbours[neighbours.index(neighbours.startIndex, offsetBy: offset)]
  }

  var below: OrderKey? { key(at: range.lowerBound - 1) }
  var above: OrderKey? { key(at: range.upperBound) }

  /// Whether any key fits between the two neighbours that keep their keys.
  func isOpen() throws(OrderKey.Failure) -> Bool {
    guard let below, let above else { return true }
    guard below <= above else { throw .neighboursOutOfOrder }
    return below < above
  }

  /// Called for a gap whose neighbours may have the same key. If they do, adds all shapes with this key on one side of
  /// the gap to the range. Chooses the side with fewer of them.
  mutating func growPastSharedKey() throws(OrderKey.Failure) {
    guard try !isOpen(), let shared = above else { return }
    var reach = 1
    while true {
      if key(at: gap - 1 - reach) != shared {
        range = (gap - reach)..<gap
        return
      }
      if key(at: gap + reach) != shared {
        range = gap..<(gap + reach)
        return
      }
      reach += 1
    }
  }

  /// Whether short keys for the shapes in the range, and for `added` more shapes, fit between `below` and `above`,
  /// which keep their keys.
  func isComfortable(for added: Int) throws(OrderKey.Failure) -> Bool {
    guard try isOpen() else { return false }
    let length: Int
    switch (below, above) {
    case (nil, nil): return true
    case (let below?, nil):
      length = OrderKey.lengthBeyond(leadingCount: OrderFraction(below).leadingCount(of: OrderKey.digitMax))
    case (nil, let above?):
      length = OrderKey.lengthBeyond(leadingCount: OrderFraction(above).leadingCount(of: 0))
    case (let below?, let above?):
      length = OrderGap(lower: below, upper: above).measure(for: range.count + added).length
    }
    return length <= Respacing.comfortableLength(for: range.count + added)
  }

  /// Adds one more neighbour to the range, on the side where the next key is longer. Keys are longer where shapes are
  /// more crowded.
  mutating func grow() {
    let lengthBelow = below?.length ?? 0
    let lengthAbove = above?.length ?? 0
    let takesBelow =
      lengthBelow != lengthAbove ? lengthBelow > lengthAbove : gap - range.lowerBound <= range.upperBound - gap
    range =
      takesBelow && range.lowerBound > 0 || range.upperBound == count
      ? max(range.lowerBound - 1, 0)..<range.upperBound : range.lowerBound..<(range.upperBound + 1)
  }
}
