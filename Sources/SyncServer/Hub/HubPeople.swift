import CanvasCRDT
import RoomLog
import WebSocketLoop

// The people in each room, at this node and others, and how operators remove them.

extension Hub {
  /// Everyone who is in a room, by actor.
  func people(in room: String) -> [Person] {
    let here = rooms[room].map { open in open.room.audience.ids.compactMap { person($0, in: open) } } ?? []
    let actors = Set(here.map(\.actor))
    let elsewhere = neighbours?.people(in: room).filter { !actors.contains($0.actor) } ?? []
    return (here + elsewhere).sorted { $0.actor < $1.actor }
  }

  /// The person behind a member. `nil` for a member that is connected to another node.
  private func person(_ id: MemberID, in open: OpenRoom) -> Person? {
    guard let member = open.room.audience.member(id), let session = open.session(id) else { return nil }
    return Person(
      actor: member.actor,
      name: member.peer.name,
      color: member.peer.color,
      role: member.role,
      token: session.grant.label,
      address: session.address
    )
  }

  private func person(at place: PersonPlace) -> Person? {
    guard let open = rooms[place.room], let id = open.room.audience.id(of: place.actor) else { return nil }
    return person(id, in: open)
  }

  func listing(of open: OpenRoom) -> RoomListing {
    var listing = open.room.listing
    if let neighbours {
      // A large room knows only some of the people at other nodes, so their number comes from `neighbours`.
      listing.peers = open.room.audience.connectionCount + neighbours.count(in: open.name)
    }
    return listing
  }

  // MARK: Coming and going

  func seat(_ session: Session, _ id: MemberID, in open: OpenRoom) {
    open.seat(session, id)
    noteChange(of: session)
  }

  /// - Returns: the session that had the seat (index in the room) before.
  @discardableResult
  func unseat(_ id: MemberID, in open: OpenRoom) -> Session? {
    guard let session = open.unseat(id) else { return nil }
    noteChange(of: session)
    return session
  }

  /// To be called when something has changed that the list of people shows about a session.
  func noteChange(of session: Session) {
    guard let actor = session.actor else { return }
    neighbours?.hasChanged(PersonPlace(session.room, actor))
  }

  // MARK: Other nodes

  /// Tells the other nodes about the people connected to this node.
  func tellNeighbours() {
    let message = neighbours?.takeNews {
      person(at: $0)
    } all: {
      rooms.all.flatMap { open in
        open.room.audience.ids.compactMap { id in
          person(id, in: open).map { (PersonPlace(open.name, $0.actor), $0) }
        }
      }
    }
    if let message { log.send(.tell(room: nil, bytes: message)) }
  }

  func heardOfNeighbours(_ bytes: [UInt8]) {
    guard let part = NewsPart(bytes), let unwanted = neighbours?.heard(part, now: now) else { return }
    let wasHere = unwanted.filter { sendAway($0.actor, from: $0.room) }
    if !wasHere.isEmpty { tellNeighbours() }
  }

  // MARK: Removing

  /// Removes somebody at an operator's request, whichever node the person is connected to.
  func remove(_ actor: Identifier, from room: String, by request: Request) async -> Removal {
    let place = PersonPlace(room, actor)
    let wasHere = sendAway(actor, from: room)
    let isElsewhere = neighbours?.has(place) ?? false
    guard wasHere || isElsewhere else { return .absent }
    record("removed", request, room: room, actor: actor.text)
    guard isElsewhere else { return .done }
    for look in 0..<Hub.looksAtRemoval where neighbours?.has(place) == true {
      if look % Hub.looksBetweenWishes == 0 {
        neighbours?.wantsRemoved(place)
        tellNeighbours()
      }
      await pause(milliseconds: 20)
    }
    return neighbours?.has(place) == true ? .unanswered : .done
  }

  /// How many times the hub checks whether the person has left the other node. It checks every 20 ms, so it gives up
  /// after five seconds. A live node answers within milliseconds, and a dead node is noticed within five seconds.
  private static let looksAtRemoval = 250
  private static let looksBetweenWishes = 50

  /// Closes an actor's connection to this node.
  /// - Returns: whether the actor was connected to this node.
  private func sendAway(_ actor: Identifier, from room: String) -> Bool {
    let found = sessions.all.filter { $0.room == room && $0.actor == actor && !$0.isGone }
    for session in found { close(session, .forbidden, "an operator has removed you from this room", error: "removed") }
    return !found.isEmpty
  }
}
