import CanvasCRDT

/// What a connection that has fallen behind, or has only just come, had been told beside operations.
///
/// A reader that gets all beats from `ordinal` on is told by them; the others are told the difference between this and what
/// is.
struct Told: Sendable {
  /// From that beat on it has been told nothing.
  let ordinal: UInt64
  /// At least those whom it knows of.
  let peers: [Identifier]
  let pairs: Set<ShapePair>
  /// Asked for a digest and not yet answered.
  var wantsDigest = false
  /// It has been told nothing at all: it has only just come.
  private(set) var isNew = false
  /// Its welcome would have been too long with what the others show of themselves.
  private(set) var owesStates = false
  /// Even without that, it would have been too long with these.
  private(set) var unnamed: Set<Identifier> = []

  /// What one had been told that now falls off the ring.
  init(ordinal: UInt64, peers: [Identifier], pairs: Set<ShapePair>, wantsDigest: Bool) {
    self.ordinal = ordinal
    self.peers = peers
    self.pairs = pairs
    self.wantsDigest = wantsDigest
  }

  /// What a newcomer is told by its welcome.
  /// - Parameters:
  ///   - ordinal: of the beat that comes next.
  ///   - peers: everyone here, with what they show.
  ///   - named: those whom the welcome names. What would make it longer than a message may be comes behind the state: first
  ///     what they show of themselves, and then, of thousands, who they are.
  init(newcomerAt ordinal: UInt64, among peers: [Peer], messageBytesMax: UInt64, named: inout [Peer]) {
    self.ordinal = ordinal
    self.peers = peers.map { $0.actor }
    pairs = []
    isNew = true
    named = peers
    var left = Int(clamping: messageBytesMax) - Told.welcomeBytesMax
    let stateBytes = peers.reduce(0) { $0 + ($1.state?.bytes.count ?? 2) + $1.bytesMax }
    guard stateBytes > left else { return }
    owesStates = true
    for index in named.indices { named[index].state = nil }
    let fitting = named.prefix { peer in
      left -= peer.bytesMax
      return left >= 0
    }
    unnamed = Set(named[fitting.endIndex...].map { $0.actor })
    named = Array(fitting)
  }

  /// The difference in overlaps. A newcomer is told, even if it is nothing.
  func overlapNotices(to standing: [ShapePair], encoder: MessageEncoder) -> [OverlapNotice] {
    let known = Set(standing)
    let began = standing.filter { !pairs.contains($0) }
    let ended = pairs.filter { !known.contains($0) }.sorted()
    guard isNew || !began.isEmpty || !ended.isEmpty else { return [] }
    return encoder.notices(began: began, ended: ended)
  }

  /// All of a welcome but its peers, at most.
  private static let welcomeBytesMax = 1_024
}

extension Peer {
  /// What it takes in a message at most, but for its state: each byte of a name may be written as six.
  fileprivate var bytesMax: Int { 6 * name.utf8Count + 96 }
}
