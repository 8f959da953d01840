import CanvasCRDT

/// Connections that get the same bytes: those with the same encoding that either all want overlap notices or all don't.
struct Channel: Hashable, Sendable {
  let index: Int

  static let count = 4

  init(_ encoding: WireEncoding, overlaps: Bool) {
    index = Int(encoding.rawValue) + (overlaps ? 2 : 0)
  }

  var encoding: WireEncoding { index & 1 == 0 ? .json : .binary }
  var hasOverlaps: Bool { index & 2 != 0 }
}
