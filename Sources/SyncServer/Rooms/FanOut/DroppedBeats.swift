import CanvasCRDT

/// What is known to a reader that has got every beat that the ring has dropped, and no beat that the ring still has.
///
/// What always holds: these values and the beats of the ring, in order, add up to the room as it is.
struct DroppedBeats: Sendable {
  /// The place in the log after the dropped beats.
  private(set) var position: UInt64 = 0
  /// The people who are here after the dropped beats.
  private(set) var peers: Set<Identifier> = []
  /// The pairs that overlap after the dropped beats.
  private(set) var pairs: Set<ShapePair> = []
  /// Whether the dropped beats contained all pairs, so that later beats contain only changes.
  private(set) var arePairsTold = false
  /// Overlaps in beats before this ordinal don't count: those beats were for readers who no longer want overlaps.
  private var pairsSince: UInt64 = 0

  mutating func add(_ beat: borrowing Beat, ordinal: UInt64) {
    position = beat.position
    for actor in beat.peers.left { peers.remove(actor) }
    for peer in beat.peers.joined { peers.insert(peer.actor) }
    guard ordinal >= pairsSince else { return }
    beat.overlaps?.apply(to: &pairs, &arePairsTold)
  }

  /// The pairs known to a reader that has also got the ring's beats. `nil` if these beats don't contain all pairs yet.
  func pairs(with ring: borrowing Ring) -> Set<ShapePair>? {
    var pairs = pairs
    var areTold = arePairsTold
    for ordinal in max(ring.start, min(ring.end, pairsSince))..<ring.end {
      ring[ordinal].overlaps?.apply(to: &pairs, &areTold)
    }
    return areTold ? pairs : nil
  }

  /// A reader wants overlap notices again, from the beat `ordinal` on.
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
