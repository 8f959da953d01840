import CanvasCRDT

// The people who are connected to other nodes that have the room open.

extension Room {
  /// Takes in a message from another node about its people.
  mutating func heard(_ part: NewsPart, now: Moment) {
    // While nobody is here, nobody has to be told about people at other nodes.
    guard var company, part.node != company.number, !audience.isEmpty else { return }
    let news = company.heard(part, now: now)
    self.company = company
    if let news { take(news, of: part.node, now: now) }
    gatherPeople(now)
    tellCompany(now)
  }

  private mutating func take(_ news: NodeNews, of node: UInt64, now: Moment) {
    for actor in news.left { if let guest = guest(actor, at: node) { audience.remove(guest.id) } }
    if news.isWhole {
      let there = Set(news.joined.map(\.peer.actor))
      for guest in audience.guests(at: node) where !there.contains(guest.actor) { audience.remove(guest.id) }
    }
    compare(news.standing)
    for person in news.joined { came(person, to: node, now: now) }
    for state in news.states {
      guard let guest = guest(state.actor, at: node), let dueAt = audience.show(state.state, by: guest.id) else {
        continue
      }
      gather(dueAt: dueAt, now)
    }
  }

  private func guest(_ actor: Identifier, at node: UInt64) -> Member? {
    guard let member = audience.member(of: actor), member.isGuest, member.claim.node == node else { return nil }
    return member
  }

  /// Two nodes at the same position of one log must have the same room. If their digests differ, one of them is wrong.
  private mutating func compare(_ theirs: NodeNews.Standing?) {
    guard let theirs, theirs.cursor == fold.cursor, theirs.digest != fold.canvas.digest else { return }
    effects.append(.differs)
  }

  private mutating func came(_ person: NodeNews.Person, to node: UInt64, now: Moment) {
    let (actor, claim) = (person.peer.actor, person.claim(at: node))
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

  /// Asks the other nodes for their people, and sends them those of this node. To be called when messages between nodes
  /// might have been lost.
  mutating func askForCompany(now: Moment) {
    guard !audience.isEmpty else { return }
    company?.askAnew()
    tellCompany(now)
  }

  /// Tells the other nodes that have the room open about the people here.
  mutating func tellCompany(_ now: Moment) {
    guard company != nil else { return }
    let audience = audience
    let told = company?.takeNews(now: now) { actor in
      audience.member(of: actor).flatMap { $0.isGuest ? nil : NodeNews.Person($0) }
    } all: {
      audience.ids.compactMap { audience.member($0).map { NodeNews.Person($0) } }
    }
    guard let (news, next) = told else { return }
    if var news {
      // The digest is added only to messages without presence, because presence is sent twenty times a second.
      if news.states.isEmpty { news.standing = NodeNews.Standing(cursor: fold.cursor, digest: fold.canvas.digest) }
      if let message = company?.message(news) { effects.append(.tell(message)) }
    }
    if let next { gather(dueAt: next, now) }
  }

  /// Forgets the people of nodes that have gone silent, and sends this node's heartbeat. To be called once a second.
  mutating func keepCompany(_ now: Moment) {
    guard company != nil, !audience.isEmpty else { return }
    for node in company?.takeSilent(now: now) ?? [] {
      let guests = audience.guests(at: node)
      for guest in guests { audience.remove(guest.id) }
      // Some people of the silent node can also be connected to a third node, whose news about them was ignored. So the
      // other nodes are asked for their people.
      if !guests.isEmpty { company?.ask() }
    }
    gatherPeople(now)
    tellCompany(now)
  }
}

extension NodeNews.Person {
  fileprivate init(_ member: Member) {
    self.init(peer: member.peer, role: member.claim.role, arrival: member.claim.arrival)
  }
}
