import CanvasCRDT

/// What a reader knows if it has got all broadcasts before the first one in the ring buffer, and no later one.
///
/// What always holds: these values, changed by the broadcasts in the ring buffer, in order, give the room as it is.
struct DroppedBeats: Sendable {
  /// The log position after the dropped broadcasts.
  private(set) var position: UInt64 = 0
  /// The people who were here after the last dropped broadcast.
  private(set) var peers: Set<Identifier> = []
  /// The pairs that overlap after the dropped broadcasts.
  private(set) var pairs: Set<ShapePair> = []
  /// Whether the dropped broadcasts contained all pairs, so that later broadcasts contain only changes.
  private(set) var arePairsTold = false
  /// Overlaps in broadcasts before this ordinal are not added to `pairs`, because the readers of those broadcasts no
  /// longer want overlaps.
  private var pairsSince: UInt64 = 0

  mutating func add(_ beat: borrowing Beat, ordinal: UInt64) {
    position = beat.position
    for actor in beat.peers.left { peers.remove(actor) }
    for peer in beat.peers.joined { peers.insert(peer.actor) }
    guard ordinal >= pairsSince else { return }
    beat.overlaps?.apply(to: &pairs, &arePairsTold)
  }

  /// The pairs that are known to a reader that has also got the broadcasts in the ring buffer. `nil` if the broadcasts
  /// don't contain all pairs yet.
  func pairs(with ring: borrowing Ring) -> Set<ShapePair>? {
    var pairs = pairs
    var areTold = arePairsTold
    for ordinal in max(ring.start, min(ring.end, pairsSince))..<ring.end {
      ring[ordinal].overlaps?.apply(to: &pairs, &areTold)
    }
    return areTold ? pairs : nil
  }

  /// A reader wants overlap notices again, from the broadcast `ordinal` on.
  mutating func beginPairs(ordinal: UInt64) {
    pairs = []
    arePairsTold = false
    pairsSince = ordinal
  }

  /// Forgets who was here and what overlapped. To be called when no reader is left.
  mutating func forget() {
    peers = []
    pairs = []
    arePairsTold = false
  }
}

extension Overlaps.Notices {
  fileprivate func apply(to pairs: inout Set<ShapePair>, _ areTold: inout Bool) {
    if isFirst { areTold = true }
    for pair in changes.ended { pairs.remove(pair) }
    for pair in changes.began { pairs.insert(pair) }
  }
}
