import CanvasCRDT

/// Everyone who is in a room. Each member has a seat, which is reused once it is free.
///
/// What always holds:
/// - A seat has a member and a reader, or it is free and listed as free. `MemberID` tells apart the members that had it
///   one after the other.
/// - Each actor has one seat, and the seat's member is that actor.
/// - A channel counts its members who are here, and remembers since which beat it has had any.
/// - Every member who came, went or shows something new is in the news until a beat has told it.
struct Audience: Sendable {
  private let limits: Limits
  private var members: [Member?] = []
  private var freeSeats: [Int32] = []
  private var actors: [Identifier: Int32] = [:]
  private var channelCounts: InlineArray<4, Int> = [0, 0, 0, 0]
  /// By channel: the beat since which it has had a member. Earlier beats were not encoded for it.
  private var channelStarts: InlineArray<4, UInt64> = [0, 0, 0, 0]
  private var nextSerial: UInt32 = 0
  private var news = PeerNews()
  /// How far each member has read.
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
  /// By channel: whether it has any member.
  var channels: InlineArray<4, Bool> {
    [channelCounts[0] > 0, channelCounts[1] > 0, channelCounts[2] > 0, channelCounts[3] > 0]
  }
  var ids: [MemberID] { members.compactMap { $0?.id } }

  func holds(_ id: MemberID) -> Bool { members.indices.contains(id.seat) && members[id.seat]?.id == id }
  func member(_ id: MemberID) -> Member? { holds(id) ? members[id.seat] : nil }
  func channel(of id: MemberID) -> Channel? { holds(id) ? members[id.seat]?.channel : nil }
  func id(of actor: Identifier) -> MemberID? { actors[actor].flatMap { members[Int($0)]?.id } }

  /// Everyone who is here, by actor, with the newest state that each shows.
  var peers: [Peer] {
    var peers: [Peer] = []
    peers.reserveCapacity(actors.count)
    for actor in actors.keys.sorted() {
      if let seat = actors[actor], let member = members[Int(seat)] { peers.append(member.peer) }
    }
    return peers
  }

  // MARK: Coming and going

  /// Seats a newcomer. Others are not told of it before `announce`.
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

  /// - Returns: when others may be told, unless that was scheduled already.
  mutating func show(_ state: JSONText, by id: MemberID) -> UInt64? {
    guard holds(id), let dueAt = members[id.seat]?.show(state) else { return nil }
    news.shows(id.index)
    return dueAt
  }

  /// For the beat `ordinal`: who came, who went, and the states that may be shown now. The other states wait for their
  /// time.
  /// - Returns: the changes, and when the first of the waiting states is due.
  mutating func takeNews(beat ordinal: UInt64, now: Moment) -> (changes: PeerChanges, next: UInt64?) {
    var changes = PeerChanges()
    changes.left = news.left
    for actor in news.joined {
      guard let seat = actors[actor], var peer = members[Int(seat)]?.peer else { continue }
      // What the newcomer shows is told as presence.
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

  /// What a connection lacks and needs a stream of state for.
  func want(_ seat: Int, of fold: borrowing Fold, _ ring: borrowing Ring) -> StateStreams.Want? {
    guard let channel = members[seat]?.channel else { return nil }
    return StateStreams.Want(
      channel: channel,
      since: fold.differenceStart(readers.position(of: seat)),
      ringStart: max(ring.start, channelStarts[channel.index])
    )
  }

  /// A connection has been sent a state as of a position in the log. It is told what else it missed, and is back on the
  /// ring.
  /// - Parameters:
  ///   - pairs: all pairs that overlapped then. `nil` if a later beat tells them all.
  ///   - allPairs: the notices that tell all of them to somebody who has been told of none.
  ///   - digest: the answer, if it asked for a digest meanwhile.
  mutating func catchUp(
    _ seat: Int,
    at position: UInt64,
    pairs: [ShapePair]?,
    _ ring: borrowing Ring,
    encoder: MessageEncoder,
    allPairs: () -> [[UInt8]],
    digest: () -> ServerMessage
  ) {
    guard let (told, place) = readers.reach(position, at: seat, ring), let member = members[seat] else { return }
    let encoding = member.channel.encoding
    var notices: [[UInt8]] = []
    // If it gets all beats since then, the beats tell it who came and went.
    var peopleToldBefore = told.peopleOrdinal
    if told.ordinal < place || told.owesStates {
      peopleToldBefore = ring.end
      var bytes: [UInt8] = []
      encoder.append(changes(since: told, for: member.id), encoding, to: &bytes)
      if !bytes.isEmpty { notices.append(bytes) }
    }
    if member.channel.hasOverlaps, let pairs {
      if told.arePairsTold {
        for notice in told.overlapNotices(to: pairs, encoder: encoder) {
          notices.append(encoder.encode(.overlaps(notice), encoding))
        }
      } else {
        notices += allPairs()
      }
    }
    let answer = told.wantsDigest ? encoder.encode(digest(), encoding) : nil
    readers.catchUp(seat, notices, digest: answer, peopleToldBefore: peopleToldBefore, ring)
  }

  private func changes(since told: Told, for id: MemberID) -> PeerChanges {
    var changes = PeerChanges()
    let known = Set(told.peers).subtracting(told.unnamed)
    for actor in known.sorted() where actors[actor] == nil { changes.left.append(actor) }
    for peer in peers {
      guard let seat = actors[peer.actor], let other = members[Int(seat)], other.id != id else { continue }
      let isBack = other.joinedAt >= told.peopleOrdinal
      // The actor went and came again, and may have another name now.
      if isBack, known.contains(peer.actor) { changes.left.append(peer.actor) }
      let isNews = isBack || told.unnamed.contains(peer.actor)
      if isNews {
        var newcomer = peer
        newcomer.state = nil
        changes.joined.append(newcomer)
      }
      if let state = peer.state, isNews || other.stateAt >= told.peopleOrdinal || told.owesStates {
        changes.states.append(PeerState(actor: peer.actor, state: state))
      }
    }
    return changes
  }
}
