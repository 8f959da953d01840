import CanvasCRDT

/// What everyone knows who got every beat that the ring has dropped, and none that it still has.
///
/// What always holds: adding the beats of the ring, in order, leads to the room as it is.
struct DroppedBeats: Sendable {
  /// How far in the log they came.
  private(set) var position: UInt64 = 0
  /// Who was there.
  private(set) var peers: Set<Identifier> = []
  /// What overlapped.
  private(set) var pairs: Set<ShapePair> = []
  /// Beats before that ordinal told of other pairs, to others.
  private var pairsSince: UInt64 = 0

  mutating func add(_ beat: borrowing Beat, ordinal: UInt64) {
    position = beat.position
    for actor in beat.peers.left { peers.remove(actor) }
    for peer in beat.peers.joined { peers.insert(peer.actor) }
    guard ordinal >= pairsSince else { return }
    for pair in beat.ended { pairs.remove(pair) }
    for pair in beat.began { pairs.insert(pair) }
  }

  /// Somebody is told of overlaps again, from the beat `ordinal` on: these are what stands before it.
  mutating func beginPairs(_ pairs: Set<ShapePair>, ordinal: UInt64) {
    self.pairs = pairs
    pairsSince = ordinal
  }

  /// Nobody is left who could know anything.
  mutating func forget() {
    peers = []
    pairs = []
  }
}
