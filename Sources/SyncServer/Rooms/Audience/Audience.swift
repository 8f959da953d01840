import CanvasCRDT

/// Everyone who is in a room, each in a seat that is given on once it is free.
///
/// What always holds:
/// - A seat has a member and a reader, or it is free and listed as such. `MemberID` tells those apart who had it one after
///   the other.
/// - Each actor has one seat, and the seat's member is that actor.
/// - A channel counts those of its members who are here, and remembers since which beat there has been one.
/// - Everyone who came, went or shows something new is in the news until a beat has told it.
struct Audience: Sendable {
  private let limits: Limits
  private var members: [Member?] = []
  private var freeSeats: [Int32] = []
  private var actors: [Identifier: Int32] = [:]
  private var channelCounts: InlineArray<4, Int> = [0, 0, 0, 0]
  /// By channel: the beat since which somebody has been in it. Those before were not encoded for it.
  private var channelStarts: InlineArray<4, UInt64> = [0, 0, 0, 0]
  private var nextSerial: UInt32 = 0
  private var news = PeerNews()
  /// How far each has come.
  var readers: Readers

  init(limits: Limits) {
    self.limits = limits
    readers = Readers(limits: limits)
  }

  // MARK: Who is here

  var count: Int { actors.count }
  var isEmpty: Bool { actors.isEmpty }
  var isFull: Bool { UInt64(actors.count) >= limits.connectionsPerRoom }
  var wantsOverlaps: Bool { channelCounts[2] + channelCounts[3] > 0 }
  /// By channel: whether anyone is in it.
  var channels: InlineArray<4, Bool> {
    [channelCounts[0] > 0, channelCounts[1] > 0, channelCounts[2] > 0, channelCounts[3] > 0]
  }
  var ids: [MemberID] { members.compactMap { $0?.id } }

  func holds(_ id: MemberID) -> Bool { members.indices.contains(id.seat) && members[id.seat]?.id == id }
  func member(_ id: MemberID) -> Member? { holds(id) ? members[id.seat] : nil }
  func channel(of id: MemberID) -> Channel? { holds(id) ? members[id.seat]?.channel : nil }
  func id(of actor: Identifier) -> MemberID? { actors[actor].flatMap { members[Int($0)]?.id } }

  /// Everyone, by actor, with the newest of what they show.
  var peers: [Peer] {
    var peers: [Peer] = []
    peers.reserveCapacity(actors.count)
    for actor in actors.keys.sorted() {
      if let seat = actors[actor], let member = members[Int(seat)] { peers.append(member.peer) }
    }
    return peers
  }

  func newActor(using generator: inout some RandomNumberGenerator) -> Identifier {
    var actor = Identifier.random(using: &generator)
    while actors[actor] != nil { actor = Identifier.random(using: &generator) }
    return actor
  }

  // MARK: Coming and going

  /// Seats a newcomer. Others are not told before `announce`.
  mutating func add(_ peer: Peer, role: Role, channel: Channel, told: Told, position: UInt64?) -> MemberID {
    nextSerial &+= 1
    let seat: Int32
    if let free = freeSeats.popLast() {
      seat = free
    } else {
      seat = Int32(members.count)
      members.append(nil)
    }
    let id = MemberID(index: seat, serial: nextSerial)
    members[id.seat] = Member(id: id, role: role, channel: channel, peer: peer, joinedAt: told.ordinal)
    readers.seat(Reader(id: id, channel: channel, actor: peer.actor, told: told, position: position))
    if channelCounts[channel.index] == 0 { channelStarts[channel.index] = told.ordinal }
    channelCounts[channel.index] += 1
    actors[peer.actor] = seat
    return id
  }

  mutating func announce(_ actor: Identifier) { news.came(actor) }

  mutating func remove(_ id: MemberID) {
    guard holds(id), let member = members[id.seat] else { return }
    members[id.seat] = nil
    readers.vacate(id.seat)
    freeSeats.append(id.index)
    channelCounts[member.channel.index] -= 1
    actors[member.peer.actor] = nil
    news.went(member.peer.actor, seat: id.index)
    if actors.isEmpty { clear() }
  }

  private mutating func clear() {
    members = []
    freeSeats = []
    news = PeerNews()
    readers.removeAll()
  }

  // MARK: What peers are told of each other

  /// - Returns: when others may be told, where they were not to be told already.
  mutating func show(_ state: JSONText, by id: MemberID) -> UInt64? {
    guard holds(id), let dueAt = members[id.seat]?.show(state) else { return nil }
    news.shows(id.index)
    return dueAt
  }

  /// Who came, who went, and the states that may be shown now, for the beat `ordinal`; the other states wait for their time.
  /// - Returns: also when the first of those is due.
  mutating func takeNews(beat ordinal: UInt64, now: Moment) -> (changes: PeerChanges, next: UInt64?) {
    var changes = PeerChanges()
    changes.left = news.left
    for actor in news.joined {
      guard let seat = actors[actor], var peer = members[Int(seat)]?.peer else { continue }
      // What it shows of itself comes as presence.
      peer.state = nil
      changes.joined.append(peer)
    }
    var waiting: [Int32] = []
    var next: UInt64?
    for seat in news.showing {
      switch members[Int(seat)]?.tellPresence(
        beat: ordinal,
        intervalMilliseconds: limits.presenceMilliseconds,
        now: now
      ) {
      case .state(let state): changes.states.append(state)
      case .waits(let until):
        waiting.append(seat)
        next = min(next ?? until, until)
      case .nothing, nil: break
      }
    }
    news.told(butFor: waiting)
    return (changes, next)
  }

  // MARK: What somebody missed

  /// What a connection lacks, for a stream of state.
  func want(_ seat: Int, of fold: borrowing Fold, _ ring: borrowing Ring) -> StateStreams.Want? {
    guard let channel = members[seat]?.channel else { return nil }
    return StateStreams.Want(
      channel: channel,
      since: fold.differenceStart(readers.position(of: seat)),
      ringStart: max(ring.start, channelStarts[channel.index])
    )
  }

  /// A connection has had a state as of a position in the log: it is told what else it missed, and is back on the ring.
  /// - Parameters:
  ///   - pairs: all that overlapped then.
  ///   - digest: the answer to a question that it asked meanwhile.
  mutating func catchUp(
    _ seat: Int,
    at position: UInt64,
    pairs: [ShapePair],
    _ ring: borrowing Ring,
    encoder: MessageEncoder,
    digest: () -> ServerMessage
  ) {
    guard let (told, place) = readers.reach(position, at: seat, ring), let member = members[seat] else { return }
    let encoding = member.channel.encoding
    var notices: [[UInt8]] = []
    // Where it gets all beats since, they tell.
    if told.ordinal < place || told.owesStates {
      var bytes: [UInt8] = []
      encoder.append(changes(since: told, for: member.id), encoding, to: &bytes)
      if !bytes.isEmpty { notices.append(bytes) }
    }
    if member.channel.hasOverlaps {
      for notice in told.overlapNotices(to: pairs, encoder: encoder) {
        notices.append(encoder.encode(.overlaps(notice), encoding))
      }
    }
    readers.catchUp(seat, notices, digest: told.wantsDigest ? encoder.encode(digest(), encoding) : nil, ring)
  }

  private func changes(since told: Told, for id: MemberID) -> PeerChanges {
    var changes = PeerChanges()
    for actor in told.peers where actors[actor] == nil { changes.left.append(actor) }
    for peer in peers {
      guard let seat = actors[peer.actor], let other = members[Int(seat)], other.id != id else { continue }
      let isNews = other.joinedAt >= told.ordinal || told.unnamed.contains(peer.actor)
      if isNews {
        var newcomer = peer
        newcomer.state = nil
        changes.joined.append(newcomer)
      }
      if let state = peer.state, isNews || other.stateAt >= told.ordinal || told.owesStates {
        changes.states.append(PeerState(actor: peer.actor, state: state))
      }
    }
    return changes
  }
}
