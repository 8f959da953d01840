/// Changing the drawing order: which shapes need which new keys.
///
/// The results have new keys for the shapes to move. If there is no free key between two existing ones, they also have
/// new keys for a few neighbours. All keys of a result must be written in one message.
extension DrawingOrder {
  /// Keys for new shapes, in order, and new keys for neighbours that have to make room for them.
  public struct Insertion: Hashable, Sendable {
    public var keys: [OrderKey] = []
    public var moved: [Place] = []
  }

  /// The keys for `count` new shapes, which are inserted below the shape at `index`. If `index` is the number of
  /// shapes, the new ones go on top.
  public func inserting(
    _ count: Int,
    at index: Int,
    using generator: inout some RandomNumberGenerator
  ) -> Insertion {
    insertion(of: count, at: index, among: OtherKeys(places: places), using: &generator)
  }

  /// Moves shapes so that they lie together, in their present order. `index` is how many of the other shapes lie below
  /// them afterwards.
  public func moving(
    _ shapes: [Identifier],
    to index: Int,
    using generator: inout some RandomNumberGenerator
  ) -> [Place] {
    let indices = indices(of: shapes)
    guard let first = indices.first, let last = indices.last else { return [] }
    let index = min(max(index, 0), count - indices.count)
    if last - first == indices.count - 1 {
      if first == index { return [] }
      let others = OtherKeys(places: places, without: first..<last + 1)
      return keyed(insertion(of: indices.count, at: index, among: others, using: &generator), indices)
    }
    var others: [Place] = []
    others.reserveCapacity(count - indices.count)
    var start = 0
    for moving in indices {
      others.append(contentsOf: places[start..<moving])
      start = moving + 1
    }
    others.append(contentsOf: places[start...])
    return keyed(insertion(of: indices.count, at: index, among: OtherKeys(places: others), using: &generator), indices)
  }

  /// The new places of the shapes at `indices`, and of the neighbours that make room for them.
  private func keyed(_ insertion: Insertion, _ indices: [Int]) -> [Place] {
    insertion.moved + zip(insertion.keys, indices).map { Place(shape: places[$1].shape, key: $0) }
  }

  public func bringingToFront(
    _ shapes: [Identifier],
    using generator: inout some RandomNumberGenerator
  ) -> [Place] {
    moving(shapes, to: count, using: &generator)
  }

  public func sendingToBack(
    _ shapes: [Identifier],
    using generator: inout some RandomNumberGenerator
  ) -> [Place] {
    moving(shapes, to: 0, using: &generator)
  }

  /// Moves each shape above the next shape that is not in `shapes`. Neighbours that are both in `shapes` stay together.
  public func bringingForward(
    _ shapes: [Identifier],
    using generator: inout some RandomNumberGenerator
  ) -> [Place] {
    stepping(shapes, by: 1, using: &generator)
  }

  /// Moves each shape below the next shape that is not in `shapes`. Neighbours that are both in `shapes` stay together.
  public func sendingBackward(
    _ shapes: [Identifier],
    using generator: inout some RandomNumberGenerator
  ) -> [Place] {
    stepping(shapes, by: -1, using: &generator)
  }

  // MARK: - Underneath

  /// The sorted indices of the live shapes among `shapes`, without repeats.
  private func indices(of shapes: [Identifier]) -> [Int] {
    var indices: [Int] = []
    indices.reserveCapacity(shapes.count)
    for shape in shapes {
      if let index = index(of: shape) { indices.append(index) }
    }
    indices.sort()
    var unique: [Int] = []
    unique.reserveCapacity(indices.count)
    for index in indices where unique.last != index { unique.append(index) }
    return unique
  }

  /// Gathers sorted indices into ranges of consecutive ones.
  private func runs(of indices: [Int]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in indices {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<(index + 1)
      } else {
        runs.append(index..<(index + 1))
      }
    }
    return runs
  }

  /// Moves the runs of neighbours one after another. A run that is at the end already stays there.
  private func stepping(
    _ shapes: [Identifier],
    by step: Int,
    using generator: inout some RandomNumberGenerator
  ) -> [Place] {
    var order = self
    var keyed = IdentifierSet()
    for run in runs(of: indices(of: shapes)) {
      // A run moves by one place only, so the ranges of all other runs stay valid.
      let moved = run.map { order.places[$0].shape }
      for place in order.moving(moved, to: run.lowerBound + step, using: &generator) {
        order.set(place.key, of: place.shape)
        keyed.insert(place.shape)
      }
    }
    return order.places.filter { keyed.contains($0.shape) }
  }

  private func insertion(
    of count: Int,
    at index: Int,
    among others: OtherKeys,
    using generator: inout some RandomNumberGenerator
  ) -> Insertion {
    let index = min(max(index, 0), others.count)
    // This can't fail: the neighbours are sorted, and the index was clamped to their range.
    guard let respacing = try? OrderKey.placements(of: count, at: index, in: others, using: &generator) else {
      return Insertion()
    }
    return Insertion(
      keys: respacing.inserted,
      moved: respacing.moved.map { Place(shape: others.place(at: $0.offset).shape, key: $0.key) }
    )
  }
}

/// The keys of the shapes among which others are put. Places of neighbours that are moved are left out without copying
/// the rest, because many runs of neighbours can be moved at once.
private struct OtherKeys: RandomAccessCollection {
  let places: [DrawingOrder.Place]
  var without = 0..<0

  var startIndex: Int { 0 }
  var endIndex: Int { places.count - without.count }
  subscript(index: Int) -> OrderKey { place(at: index).key }

  func place(at index: Int) -> DrawingOrder.Place {
    places[index < without.lowerBound ? index : index + without.count]
  }
}
