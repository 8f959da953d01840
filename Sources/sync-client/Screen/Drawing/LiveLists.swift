import CanvasCRDT
import TerminalCanvas

// The lists in the side panel, cut to the rows that fit.

extension LiveDrawing {
  /// The layers, frontmost first.
  func layers(from start: Int, rows: Int, selected: Set<Identifier> = []) -> RoomFrame.Window<RoomFrame.Layer> {
    let layers = order.places.reversed().dropFirst(start).prefix(rows).map { place in
      RoomFrame.Layer(
        name: name(of: place.shape),
        color: color(of: place.shape),
        isVisible: items[place.shape] != nil,
        isSelected: selected.contains(place.shape)
      )
    }
    return RoomFrame.Window(Array(layers), start: start, count: count)
  }

  /// The overlapping pairs to list. Those of the selected shape come first.
  mutating func listedPairs(rows: Int, selected: Identifier?) -> [ShapePair] {
    guard rows > 0 else { return [] }
    let pairs = overlappingPairs()
    guard let selected, pairs.count > rows else { return Array(pairs.prefix(rows)) }
    let own = picture.overlaps.neighbours(of: selected).map { ShapePair(selected, $0) }
    let others = pairs.lazy.filter { $0.first != selected && $0.second != selected }
    return Array((own + others.prefix(rows)).prefix(rows))
  }

  mutating func overlaps(rows: Int, selected: Identifier? = nil) -> RoomFrame.Window<RoomFrame.Overlap> {
    let overlaps = listedPairs(rows: rows, selected: selected).map { pair in
      RoomFrame.Overlap(
        first: name(of: pair.first),
        second: name(of: pair.second),
        percent: share(of: pair).map { Int(($0 * 100).rounded()) }
      )
    }
    return RoomFrame.Window(overlaps, count: overlapCount)
  }
}
