import CanvasCRDT

/// The knowledge of a reader that got every beat that the ring has dropped, and none that it still has.
///
/// What always holds: adding the beats of the ring to it, in order, leads to the room as it is.
struct DroppedBeats: Sendable {
  /// How far in the log the dropped beats came.
  private(set) var position: UInt64 = 0
  /// The people after them.
  private(set) var peers: Set<Identifier> = []
  /// The overlaps after them.
  private(set) var pairs: Set<ShapePair> = []
  /// Whether these beats told all pairs, so that what follows is only what changed.
  private(set) var arePairsTold = false
  /// Notices in beats before this ordinal don't count: they were for readers who no longer want any.
  private var pairsSince: UInt64 = 0

  mutating func add(_ beat: borrowing Beat, ordinal: UInt64) {
    position = beat.position
    for actor in beat.peers.left { peers.remove(actor) }
    for peer in beat.peers.joined { peers.insert(peer.actor) }
    guard ordinal >= pairsSince else { return }
    beat.overlaps?.apply(to: &pairs, &arePairsTold)
  }

  /// The knowledge of a reader that got the beats of the ring too. `nil` if it has not been told of all pairs.
  func pairs(with ring: borrowing Ring) -> Set<ShapePair>? {
    var pairs = pairs
    var areTold = arePairsTold
    for ordinal in max(ring.start, min(ring.end, pairsSince))..<ring.end {
      ring[ordinal].overlaps?.apply(to: &pairs, &areTold)
    }
    return areTold ? pairs : nil
  }

  /// Somebody wants overlap notices again, from the beat `ordinal` on.
  mutating func beginPairs(ordinal: UInt64) {
    pairs = []
    arePairsTold = false
    pairsSince = ordinal
  }

  /// To be called when nobody is left who could know anything.
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
