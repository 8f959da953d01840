import CanvasCRDT

// People who are connected to other nodes that have the room open.

extension Room {
  /// Another node tells of its people.
  mutating func heard(_ part: NewsPart, now: Moment) {
    // Nobody is here to be told.
    guard var company, part.node != company.number, !audience.isEmpty else { return }
    let news = company.heard(part, now: now)
    self.company = company
    if let news { take(news, of: part.node, now: now) }
    gatherPeople(now)
    tellCompany(now)
  }

  private mutating func take(_ news: NodeNews, of node: UInt64, now: Moment) {
    for actor in news.left + (company?.missing(in: news, of: node) ?? []) where company?.isAt(node, actor) == true {
      dismiss(guest: actor)
    }
    compare(news.standing)
    let shown = Set(news.states.map(\.actor))
    for person in news.joined {
      let peer = person.peer
      // Whoever has come anew shows nothing yet, whatever it showed before.
      let showed = guest(peer.actor).flatMap { audience.member($0)?.peer.state } != nil
      let isAnew = !news.isWhole || showed && !shown.contains(peer.actor)
      if isAnew, company?.isAt(node, peer.actor) == true { dismiss(guest: peer.actor) }
      came(person, to: node, now: now)
    }
    for state in news.states where self.company?.isAt(node, state.actor) == true {
      guard let id = guest(state.actor), let dueAt = audience.show(state.state, by: id) else { continue }
      gather(dueAt: dueAt, now)
    }
  }

  private mutating func dismiss(guest actor: Identifier) {
    company?.forget(actor)
    if let id = guest(actor) { audience.remove(id) }
  }

  /// At the same place of one log, two nodes have the same room, or one of them is wrong.
  private mutating func compare(_ theirs: NodeNews.Standing?) {
    guard let theirs, theirs.cursor == fold.cursor, theirs.digest != fold.canvas.digest else { return }
    effects.append(.differs)
  }

  private func guest(_ actor: Identifier) -> MemberID? {
    guard let id = audience.id(of: actor), audience.member(id)?.isGuest == true else { return nil }
    return id
  }

  private mutating func came(_ person: NodeNews.Person, to node: UInt64, now: Moment) {
    let peer = person.peer
    // The last who was here may have been sent away for one who came there.
    guard !audience.isEmpty else { return }
    if let id = audience.id(of: peer.actor), let member = audience.member(id) {
      if member.isGuest {
        guard company?.isAt(node, peer.actor) == false else { return }
        audience.remove(id)
      } else {
        guard company?.yields(member, to: person.role, at: node, now: now) == true else {
          company?.came(peer.actor)
          return
        }
        sendAway(id, .actorElsewhere, "this actor has joined over another connection", now: now)
        guard !audience.isEmpty else { return }
      }
    }
    audience.add(guest: peer, role: person.role, now: now)
    company?.place(peer.actor, at: node)
  }

  /// Tells other nodes what is new of the people here, if any have the room open.
  mutating func tellCompany(_ now: Moment) {
    guard company != nil else { return }
    let audience = audience
    let told = company?.takeNews(now: now) { actor in
      audience.id(of: actor).flatMap { audience.member($0) }.flatMap { $0.isGuest ? nil : NodeNews.Person($0) }
    } all: {
      audience.ids.compactMap { audience.member($0).map { NodeNews.Person($0) } }
    }
    guard let (news, next) = told else { return }
    if var news {
      // What others show is told twenty times a second, and the digest with what is rarer.
      if news.states.isEmpty { news.standing = NodeNews.Standing(cursor: fold.cursor, digest: fold.canvas.digest) }
      effects.append(.tell(company?.parts(of: news) ?? []))
    }
    if let next { gather(dueAt: next, now) }
  }

  /// Forgets the people of nodes that are gone, and says that this one is there. To be called once a second.
  mutating func keepCompany(_ now: Moment) {
    guard company != nil, !audience.isEmpty else { return }
    for actor in company?.takeSilent(now: now) ?? [] {
      if let id = guest(actor) { audience.remove(id) }
    }
    gatherPeople(now)
    tellCompany(now)
  }
}

extension NodeNews.Person {
  fileprivate init(_ member: Member) { self.init(peer: member.peer, role: member.role) }
}
