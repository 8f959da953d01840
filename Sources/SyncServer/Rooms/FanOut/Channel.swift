import CanvasCRDT

/// Connections to which the same bytes go: those of one encoding, told of overlaps or not.
struct Channel: Hashable, Sendable {
  let index: Int

  static let count = 4

  init(_ encoding: WireEncoding, overlaps: Bool) {
    index = Int(encoding.rawValue) + (overlaps ? 2 : 0)
  }

  var encoding: WireEncoding { index & 1 == 0 ? .json : .binary }
  var hasOverlaps: Bool { index & 2 != 0 }
}
