import CanvasCRDT

/// Everyone who is in a room. Each member has a seat, an index that another member can get later.
///
/// Guests are people who are connected to other nodes. They have seats, so that the room announces them like everyone
/// else, but nothing is sent to them. A guest's claim says which node it is connected to.
///
/// What always holds:
/// - A taken seat has a member, and also a reader unless the member is a guest. A free seat is on the list of free
///   seats. `MemberID` tells apart the members that had a seat one after the other.
/// - Each actor has one seat, and the seat's member is that actor.
/// - The members of each channel are counted.
/// - A member who shows something new is in `news` until a broadcast has sent it. Every member has been named, or waits
///   to be named: see `Roster`.
struct Audience: Sendable {
  private let limits: Limits
  private var members: [Member?] = []
  private var freeSeats: [Int32] = []
  private var actors: [Identifier: Int32] = [:]
  private var channelCounts = ForEachChannel<Int>(repeating: 0)
  /// For each channel, the broadcast since which the channel has always had a member. Earlier broadcasts were not
  /// encoded for the channel.
  private var channelStarts = ForEachChannel<UInt64>(repeating: 0)
  private var nextSerial: UInt32 = 0
  private var guestCount = 0
  private var news = PeerNews()
  private var roster: Roster
  private var budget: PresenceBudget
  private var nextTurn: UInt64 = 1
  /// How much of the room's broadcasts each member has been sent.
  var readers: Readers

  init(limits: Limits) {
    self.limits = limits
    roster = Roster(limits: limits)
    budget = PresenceBudget(limits: limits)
    readers = Readers(limits: limits)
  }

  // MARK: Who is here

  /// How many people are here, including guests.
  var count: Int { actors.count }
  /// How many people are connected to this node.
  var connectionCount: Int { actors.count - guestCount }
  var isEmpty: Bool { connectionCount == 0 }
  var isFull: Bool { UInt64(actors.count) >= limits.connectionsPerRoom }
  var wantsOverlaps: Bool { Channel.all.contains { $0.hasOverlaps && channelCounts[$0.index] > 0 } }
  /// By channel: whether it has any member.
  var channels: ForEachChannel<Bool> { InlineArray { channelCounts[$0] > 0 } }
  /// The members that are connected to this node.
  var ids: [MemberID] { members.compactMap { $0?.isGuest == false ? $0?.id : nil } }

  /// The members that are connected to another node.
  func guests(at node: UInt64) -> [Member] { members.compactMap { $0 }.filter { $0.isGuest && $0.claim.node == node } }

  func holds(_ id: MemberID) -> Bool { members.indices.contains(id.seat) && members[id.seat]?.id == id }
  func member(_ id: MemberID) -> Member? { holds(id) ? members[id.seat] : nil }
  func channel(of id: MemberID) -> Channel? { holds(id) ? members[id.seat]?.channel : nil }
  func id(of actor: Identifier) -> MemberID? { actors[actor].flatMap { members[Int($0)]?.id } }
  func member(of actor: Identifier) -> Member? { actors[actor].flatMap { members[Int($0)] } }

  /// Everyone who is in the room, ordered by actor. Each person has the newest presence.
  var peers: [Peer] {
    var peers: [Peer] = []
    peers.reserveCapacity(actors.count)
    for actor in actors.keys.sorted() {
      if let seat = actors[actor], let member = members[Int(seat)] { peers.append(member.peer) }
    }
    return peers
  }

  // MARK: Coming and going

  /// The list of people in the welcome of a client that joins: everyone who has been announced, except the client
  /// itself. Broadcasts will announce the others.
  mutating func named(but actor: Identifier) -> [Peer] {
    let peers = roster.peers()
    return roster[actor] == nil ? peers : peers.filter { $0.actor != actor }
  }

  /// Gives a newcomer a seat. A later broadcast announces the newcomer to the others (`newsDueAt` says when).
  mutating func add(
    _ peer: Peer,
    _ claim: Claim,
    channel: Channel,
    party: String,
    told: Told,
    position: UInt64?
  ) -> MemberID {
    let id = seat(peer, claim, channel: channel)
    readers.seat(Reader(id: id, channel: channel, actor: peer.actor, party: party, told: told, position: position))
    if channelCounts[channel.index] == 0 { channelStarts[channel.index] = told.ordinal }
    channelCounts[channel.index] += 1
    return id
  }

  /// Gives a seat to somebody who is connected to another node.
  mutating func add(guest peer: Peer, _ claim: Claim) {
    let id = seat(peer, claim, channel: nil)
    readers.keepFree(id)
    guestCount += 1
  }

  private mutating func seat(_ peer: Peer, _ claim: Claim, channel: Channel?) -> MemberID {
    nextSerial &+= 1
    let seat: Int32
    if let free = freeSeats.popLast() {
      seat = free
    } else {
      seat = Int32(members.count)
      members.append(nil)
    }
    let id = MemberID(index: seat, serial: nextSerial)
    members[id.seat] = Member(id: id, claim: claim, channel: channel, peer: peer)
    actors[peer.actor] = seat
    roster.came(id)
    return id
  }

  mutating func remove(_ id: MemberID) {
    guard holds(id), let member = members[id.seat] else { return }
    members[id.seat] = nil
    readers.vacate(id.seat)
    freeSeats.append(id.index)
    if let channel = member.channel { channelCounts[channel.index] -= 1 } else { guestCount -= 1 }
    actors[member.peer.actor] = nil
    if member.isPresenceUntold { news.went(seat: id.index) }
    roster.went(id, member.peer.actor)
    if isEmpty { clear() }
  }

  /// Called when the last member of this node has left. The guests (people on other nodes) are removed too, because no
  /// client here needs to know about them.
  private mutating func clear() {
    members = []
    actors = [:]
    guestCount = 0
    freeSeats = []
    news = PeerNews()
    roster.clear()
    readers.removeAll()
  }

  // MARK: What peers are told of each other

  /// Notes what a member shows to the others, such as its pointer.
  /// - Returns: the time from which this can be sent to the others. `nil` if that time was scheduled already.
  mutating func show(_ state: JSONText, by id: MemberID) -> UInt64? {
    guard holds(id), let dueAt = members[id.seat]?.show(state) else { return nil }
    news.shows(id.index)
    return budget.isUsedUp ? max(dueAt, budget.nextAt) : dueAt
  }

  /// Whether the room is small enough to announce joins and leaves at once.
  var isSmall: Bool { roster.isSmall(count) }
  /// When a broadcast should announce who came and went, on the monotonic clock. `nil` if there is nothing to announce.
  var newsDueAt: UInt64? { roster.newsDueAt(people: count) }
  /// The number of people here, as it was last sent to clients that ask for it. 0 if clients get a list of all names instead.
  var crowdTold: UInt64 { roster.crowdTold }

  /// What the broadcast `ordinal` has to say about people: who came, who left, and the presence that may be sent now.
  /// - Returns: the changes, and when the presence that has to wait is due.
  mutating func takeNews(beat ordinal: UInt64, now: Moment) -> (changes: PeerChanges, next: UInt64?) {
    var changes = PeerChanges()
    let (members, count) = (members, count)
    roster.tell(&changes, beat: ordinal, people: count, now: now) { id in
      guard let member = members[id.seat], member.id == id else { return nil }
      return member.peer
    }
    // Nobody has been sent what these new members have shown so far, so it is scheduled now.
    for peer in changes.joined {
      guard let seat = actors[peer.actor], let state = members[Int(seat)]?.peer.state else { continue }
      if self.members[Int(seat)]?.show(state) != nil { news.shows(seat) }
    }
    var next = takeStates(&changes, beat: ordinal, now: now)
    if let due = newsDueAt { next = min(next ?? due, due) }
    return (changes, next)
  }

  /// Takes the presence that may be sent now, beginning with the members whose presence was sent longest ago. So all
  /// members share the budget evenly, and somebody who moves after a pause is seen at once.
  private mutating func takeStates(_ changes: inout PeerChanges, beat ordinal: UInt64, now: Moment) -> UInt64? {
    guard !news.showing.isEmpty else { return nil }
    budget.fill(now)
    var waiting: [Int32] = []
    var next: UInt64?
    var isFull = false
    for seat in news.showing.sorted(by: { turn(of: $0) < turn(of: $1) }) {
      guard let member = members[Int(seat)], let state = member.peer.state else { continue }
      let time = budget.isUsedUp ? max(member.presenceDueAt, budget.nextAt) : member.presenceDueAt
      guard time <= now.monotonicMilliseconds else {
        waiting.append(seat)
        next = min(next ?? time, time)
        continue
      }
      if isFull, !roster.names(member.id, member.actor) {
        members[Int(seat)]?.presenceIsPassedOver()
        continue
      }
      guard roster.admit(member.id, member.peer, &changes, beat: ordinal, now: now) else {
        isFull = true
        members[Int(seat)]?.presenceIsPassedOver()
        continue
      }
      let shown = PeerState(actor: member.actor, state: state)
      roster.told(state, of: member.actor, beat: ordinal, now: now)
      members[Int(seat)]?.presenceIsTold(
        turn: nextTurn,
        intervalMilliseconds: limits.presenceMilliseconds,
        now: now
      )
      nextTurn += 1
      budget.spend(shown)
      changes.states.append(shown)
    }
    news.told(butFor: waiting)
    return next
  }

  private func turn(of seat: Int32) -> UInt64 { members[Int(seat)]?.presenceTurn ?? 0 }

  /// The presence that a slow connection is sent now. It is bounded, so that it doesn't delay operations, and begins
  /// with the members who have waited longest.
  /// - Parameter news: the presence in the broadcasts that the connection lacks.
  /// - Returns: the presence to send now, and the members whose presence is still to be sent.
  func portion(of news: [PeerState], at seat: Int, bytesMax: Int) -> (told: [PeerState], owed: [Identifier]) {
    let owed = readers.owed(at: seat)
    let isOwed = Set(owed)
    var told: [PeerState] = []
    var waiting: [Identifier] = []
    var left = bytesMax
    for actor in owed + news.map(\.actor).filter({ !isOwed.contains($0) }) {
      // Members that have left are skipped.
      guard let state = roster[actor]?.peer.state else { continue }
      guard left > 0 else {
        waiting.append(actor)
        continue
      }
      told.append(PeerState(actor: actor, state: state))
      left -= PresenceBudget.bytes(of: state)
    }
    return (told, waiting)
  }

  // MARK: What somebody missed

  /// The state that a connection has to be sent because it lacks broadcasts that are no longer kept.
  func want(_ seat: Int, of fold: borrowing Fold, _ ring: borrowing Ring) -> StateStreams.Want? {
    guard let channel = members[seat]?.channel else { return nil }
    let position = readers.position(of: seat)
    return StateStreams.Want(
      channel: channel,
      position: position,
      since: fold.differenceStart(position),
      party: readers.party(of: seat),
      losses: readers.statesLost(seat),
      ringStart: max(ring.start, channelStarts[channel.index])
    )
  }

  /// After a connection has been sent the state as of a log position, sends it everything else that it missed. After
  /// that it gets broadcasts again.
  /// - Parameters:
  ///   - pairs: all pairs that overlapped at that position. `nil` if a later broadcast sends all pairs.
  ///   - allPairs: makes the notices of all pairs, for a connection that has been sent none.
  ///   - digest: makes the answer to a digest that the connection asked for meanwhile.
  mutating func catchUp(
    _ seat: Int,
    at position: UInt64,
    pairs: [ShapePair]?,
    _ ring: borrowing Ring,
    encoder: MessageEncoder,
    allPairs: () -> [[UInt8]],
    digest: (Vocabulary) -> ServerMessage
  ) {
    guard let (told, place) = readers.reach(position, at: seat, ring), let member = members[seat],
      let channel = member.channel
    else { return }
    let encoding = channel.encoding
    var notices: [[UInt8]] = []
    // If the ring buffer still has all broadcasts that the connection lacks, those broadcasts announce who came and
    // left.
    var peopleToldBefore = told.peopleOrdinal
    if told.ordinal < place || told.owesStates {
      peopleToldBefore = ring.end
      var bytes: [UInt8] = []
      encoder.append(changes(since: told, for: member, ring), for: channel, to: &bytes)
      if !bytes.isEmpty { notices.append(bytes) }
    }
    if channel.hasOverlaps, let pairs {
      if told.arePairsTold {
        for notice in told.overlapNotices(to: pairs, encoder: encoder) {
          notices.append(encoder.encode(.overlaps(notice), encoding))
        }
      } else {
        notices += allPairs()
      }
    }
    let digests =
      told.digestsWanted == 0
      ? []
      : Array(repeating: encoder.encode(digest(encoder.vocabulary(of: channel)), encoding), count: told.digestsWanted)
    readers.catchUp(seat, notices, digests: digests, peopleToldBefore: peopleToldBefore, ring)
  }

  /// The joins, leaves and presence that a connection lacks, up to the newest broadcast.
  private mutating func changes(since told: Told, for member: Member, _ ring: borrowing Ring) -> PeerChanges {
    // If the ring buffer still has all broadcasts that the connection lacks, the joins and leaves in them are sent.
    // This takes fewer bytes than a message made by comparing everyone.
    if told.peopleOrdinal >= ring.start, !told.owesStates, told.unnamed.isEmpty {
      return ring.people(from: told.peopleOrdinal).without(member.actor)
    }
    var changes = PeerChanges()
    changes.crowd = crowdTold
    let known = Set(told.peers).subtracting(told.unnamed).subtracting([member.actor])
    for actor in known.sorted() where roster[actor] == nil { changes.left.append(actor) }
    for peer in named(but: member.actor) {
      guard let entry = roster[peer.actor] else { continue }
      let isBack = entry.namedAt >= told.peopleOrdinal
      // The actor left and came back, perhaps with another name, so the leave and the join are both sent.
      if isBack, known.contains(peer.actor) { changes.left.append(peer.actor) }
      let isNews = isBack || told.unnamed.contains(peer.actor) || !known.contains(peer.actor)
      if isNews {
        var newcomer = peer
        newcomer.state = nil
        changes.joined.append(newcomer)
      }
      if let state = peer.state, isNews || entry.stateAt >= told.peopleOrdinal || told.owesStates {
        changes.states.append(PeerState(actor: peer.actor, state: state))
      }
    }
    return changes
  }
}
