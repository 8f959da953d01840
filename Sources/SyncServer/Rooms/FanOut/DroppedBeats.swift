import CanvasCRDT

/// What a reader knows that got every beat that the ring has dropped, and none that the ring still has.
///
/// What always holds: adding the beats of the ring to it, in order, leads to the room as it is.
struct DroppedBeats: Sendable {
  /// How far in the log the dropped beats came.
  private(set) var position: UInt64 = 0
  /// Who was there after them.
  private(set) var peers: Set<Identifier> = []
  /// What overlapped after them.
  private(set) var pairs: Set<ShapePair> = []
  /// Beats before this ordinal told other readers of other pairs.
  private var pairsSince: UInt64 = 0

  mutating func add(_ beat: borrowing Beat, ordinal: UInt64) {
    position = beat.position
    for actor in beat.peers.left { peers.remove(actor) }
    for peer in beat.peers.joined { peers.insert(peer.actor) }
    guard ordinal >= pairsSince else { return }
    for pair in beat.ended { pairs.remove(pair) }
    for pair in beat.began { pairs.insert(pair) }
  }

  /// Somebody wants overlap notices again, from the beat `ordinal` on. These are the pairs that overlap before it.
  mutating func beginPairs(_ pairs: Set<ShapePair>, ordinal: UInt64) {
    self.pairs = pairs
    pairsSince = ordinal
  }

  /// To be called when nobody is left who could know anything.
  mutating func forget() {
    peers = []
    pairs = []
  }
}
