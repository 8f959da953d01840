import CanvasCRDT

// The people who are connected to other nodes that have the room open.

extension Room {
  /// Takes in what another node says of its people in this room.
  mutating func heard(_ news: RoomNews, of node: UInt64, now: Moment) {
    // While nobody is here, nobody has to be told about people at other nodes.
    guard company != nil, !audience.isEmpty else { return }
    if news.asks { company?.isAsked() }
    for actor in news.left { if let guest = guest(actor, at: node) { audience.remove(guest.id) } }
    if news.isWhole { keep(Set(news.joined.map(\.actor)), at: node) }
    compare(news.standing)
    for person in news.joined { came(person, to: node, now: now) }
    for state in news.states {
      guard let guest = guest(state.actor, at: node), let dueAt = audience.show(state.state, by: guest.id) else {
        continue
      }
      gather(dueAt: dueAt, now)
    }
    gatherPeople(now)
  }

  /// Removes the guests of a node who aren't there any more.
  private mutating func keep(_ there: Set<Identifier>, at node: UInt64) {
    let guests = audience.guests(at: node).filter { !there.contains($0.actor) }
    for guest in guests { audience.remove(guest.id) }
    // Some of these people can also be connected to a third node, whose news about them was ignored. So the other nodes
    // are asked for their people.
    if !guests.isEmpty { company?.ask() }
  }

  private func guest(_ actor: Identifier, at node: UInt64) -> Member? {
    guard let member = audience.member(of: actor), member.isGuest, member.claim.node == node else { return nil }
    return member
  }

  /// Two nodes at the same position of one log must have the same room. If their digests differ, one of them is wrong.
  private mutating func compare(_ theirs: RoomNews.Standing?) {
    guard let theirs, theirs.cursor == fold.cursor, theirs.digest != fold.canvas.digest else { return }
    effects.append(.differs)
  }

  private mutating func came(_ person: Person, to node: UInt64, now: Moment) {
    let (actor, claim) = (person.actor, person.claim(at: node))
    // An earlier iteration of this `for` loop might have ended the last session here, because its actor joined at
    // another node.
    guard !audience.isEmpty else { return }
    if let member = audience.member(of: actor) {
      // From the same node, any newer claim replaces the known one. Between claims of two nodes, the greater one
      // counts.
      let replaces = member.claim.node == node ? member.claim != claim : member.claim < claim
      if member.isGuest {
        guard replaces else { return }
        audience.remove(member.id)
      } else {
        // If the claim here is greater, the other node closes its connection when it hears of this claim.
        guard replaces else {
          company?.came(actor)
          return
        }
        company?.sentAway(actor, for: claim)
        sendAway(member.id, .actorElsewhere, "this actor has joined over another connection", now: now)
        guard !audience.isEmpty else { return }
      }
    }
    audience.add(guest: person.peer, claim)
  }

  // MARK: Telling other nodes

  /// What other nodes are to be told now of the people here. `nil` if there is nothing. To be called after `flush`,
  /// which sets anew when the next broadcast is due.
  /// - Parameters:
  ///   - isShared: whether other nodes have people in the room.
  ///   - origin: where a member comes from. `nil` for one that is no longer connected.
  mutating func takeNews(isShared: Bool, now: Moment, origin: (MemberID) -> Person.Origin?) -> RoomNews? {
    guard let (due, next) = company?.takeDue(isShared: isShared, now: now) else { return nil }
    if let next { gather(dueAt: next, now) }
    guard let due else { return nil }
    var news: RoomNews
    if due.isWhole {
      news = wholeNews(isShared: isShared, origin: origin)
    } else {
      news = RoomNews(room: name.string, left: due.went.sorted())
      for actor in due.came.union(due.shows).sorted() {
        guard let member = audience.member(of: actor), !member.isGuest else { continue }
        if due.came.contains(actor), let origin = origin(member.id) { news.joined.append(Person(member, origin)) }
        if isShared, let state = member.peer.state { news.states.append(PeerState(actor: actor, state: state)) }
      }
    }
    news.asks = due.asks
    if due.comparesDigests { news.standing = RoomNews.Standing(cursor: fold.cursor, digest: fold.canvas.digest) }
    return news
  }

  /// Everyone who is connected to this node, for other nodes.
  func wholeNews(isShared: Bool, origin: (MemberID) -> Person.Origin?) -> RoomNews {
    var news = RoomNews(room: name.string, isWhole: true, joined: people(origin))
    for person in isShared ? news.joined : [] {
      guard let state = audience.member(of: person.actor)?.peer.state else { continue }
      news.states.append(PeerState(actor: person.actor, state: state))
    }
    return news
  }

  /// Everyone who is connected to this node.
  func people(_ origin: (MemberID) -> Person.Origin?) -> [Person] {
    audience.ids.compactMap { id in
      guard let member = audience.member(id), let origin = origin(id) else { return nil }
      return Person(member, origin)
    }
  }

  /// Other nodes have to be told of a member again, because its token is another one.
  mutating func tellAgain(_ id: MemberID) { if let actor = audience.member(id)?.actor { company?.came(actor) } }
}
