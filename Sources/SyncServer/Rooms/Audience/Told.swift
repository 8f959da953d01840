import CanvasCRDT

/// What a connection knows besides operations, after it has just joined or has fallen behind.
///
/// A reader that gets all beats from `ordinal` on learns the rest from them. Any other reader is sent the difference
/// between this and the room as it is.
struct Told: Sendable {
  /// Ordinal of the first beat that the connection has not been sent.
  let ordinal: UInt64
  /// Ordinal of the first beat whose joins and leaves the connection doesn't know. It is later than `ordinal` if the
  /// connection was told of earlier ones in another way.
  let peopleOrdinal: UInt64
  /// The people whom the connection knows of.
  let peers: [Identifier]
  /// The pairs that the connection has been told of.
  let pairs: Set<ShapePair>
  /// Whether the connection has been told of all pairs, even if there were none.
  let arePairsTold: Bool
  /// How many digests the connection has asked for and not been sent.
  var digestsWanted = 0
  /// The connection is new, and has been sent nothing yet.
  private(set) var isNew = false
  /// The welcome left out the others' presence, because it would have been too long.
  private(set) var owesStates = false
  /// The welcome left out these people altogether, because it would have been too long even without presence.
  private(set) var unnamed: Set<Identifier> = []

  /// What a connection knew when it fell off the ring.
  init(
    ordinal: UInt64,
    peopleOrdinal: UInt64,
    peers: [Identifier],
    pairs: Set<ShapePair>,
    arePairsTold: Bool,
    digestsWanted: Int
  ) {
    self.ordinal = ordinal
    self.peopleOrdinal = peopleOrdinal
    self.peers = peers
    self.pairs = pairs
    self.arePairsTold = arePairsTold
    self.digestsWanted = digestsWanted
  }

  /// What a new connection knows from its `welcome`.
  /// - Parameters:
  ///   - ordinal: the ordinal of the beat that comes next.
  ///   - peers: everyone here, with their presence.
  ///   - named: the peers that the welcome names. If the welcome would be longer than a message may be, some of it is
  ///     sent after the state: first the peers' presence, and with thousands of peers some of the names, too.
  init(newcomerAt ordinal: UInt64, among peers: [Peer], messageBytesMax: UInt64, named: inout [Peer]) {
    self.ordinal = ordinal
    peopleOrdinal = ordinal
    self.peers = peers.map { $0.actor }
    pairs = []
    arePairsTold = false
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

  /// The notices of the pairs that began or ended since.
  func overlapNotices(to standing: [ShapePair], encoder: MessageEncoder) -> [OverlapNotice] {
    let known = Set(standing)
    let began = standing.filter { !pairs.contains($0) }
    let ended = pairs.filter { !known.contains($0) }.sorted()
    guard !began.isEmpty || !ended.isEmpty else { return [] }
    return encoder.notices(began: began, ended: ended)
  }

  /// The most bytes of a welcome without its peers.
  private static let welcomeBytesMax = 1_024
}

extension Peer {
  /// The most bytes of a peer in a message, without its presence. Each byte of a name may be escaped as six.
  fileprivate var bytesMax: Int { 6 * name.utf8Count + 96 }
}
