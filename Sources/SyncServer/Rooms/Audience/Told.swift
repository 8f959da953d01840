import CanvasCRDT

/// What a connection knows besides operations, when it has just joined or has fallen behind.
///
/// A reader that gets all broadcasts from `ordinal` on learns from them what it lacks. Any other reader is sent the
/// difference between what it knows and the room as it is now.
struct Told: Sendable {
  /// The ordinal of the first broadcast that the connection has not been sent.
  let ordinal: UInt64
  /// The ordinal of the first broadcast whose joins and leaves are news to the connection. It is later than `ordinal`
  /// if the connection has learned of earlier joins and leaves in another way, for instance from its welcome.
  let peopleOrdinal: UInt64
  /// The people whom the connection knows of.
  let peers: [Identifier]
  /// The overlapping pairs that the connection has been sent.
  let pairs: Set<ShapePair>
  /// Whether the connection has been sent all pairs. True even if there were none to send.
  let arePairsTold: Bool
  /// How many digests the connection has asked for and not been sent yet.
  var digestsWanted = 0
  /// Whether the connection is new, and has been sent nothing yet.
  private(set) var isNew = false
  /// Whether the welcome left out the others' presence, because it would have been too long.
  private(set) var owesStates = false
  /// The people whom the welcome left out altogether, because it would have been too long even without presence.
  private(set) var unnamed: Set<Identifier> = []

  /// What a connection knew when the ring buffer dropped its next broadcast.
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
  ///   - ordinal: the ordinal of the next broadcast.
  ///   - peers: everyone here, with their presence.
  ///   - named: the peers that the welcome names. If the welcome would be too long, it leaves out the peers'
  ///     presence, which is sent after the state. With thousands of peers, it leaves out some peers, too.
  init(newcomerAt ordinal: UInt64, among peers: [Peer], peopleBytesMax: UInt64, named: inout [Peer]) {
    self.ordinal = ordinal
    peopleOrdinal = ordinal
    self.peers = peers.map { $0.actor }
    pairs = []
    arePairsTold = false
    isNew = true
    named = peers
    var left = Int(clamping: peopleBytesMax) - Told.welcomeBytesMax
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

  /// The notices about the overlaps that have begun or ended after the connection was sent its last notices.
  func overlapNotices(to standing: [ShapePair], encoder: MessageEncoder) -> [OverlapNotice] {
    let known = Set(standing)
    let began = standing.filter { !pairs.contains($0) }
    let ended = pairs.filter { !known.contains($0) }.sorted()
    guard !began.isEmpty || !ended.isEmpty else { return [] }
    return encoder.notices(began: began, ended: ended)
  }

  /// The upper bound on the bytes of a welcome, not counting its peers.
  private static let welcomeBytesMax = 1_024
}

extension Peer {
  /// The upper bound on the bytes that one peer's entry takes in a message, without the peer's presence. Escaping may
  /// turn each byte of the name into six. Everything else takes at most 96 bytes.
  fileprivate var bytesMax: Int { 6 * name.utf8Count + 96 }
}
