import CanvasCRDT
import RoomLog
import WebSocketLoop

// The people in each room, at this node and others, and how operators remove them.

extension Hub {
  /// Everyone who is in a room, by actor.
  func people(in room: String) -> [Person] {
    let here = rooms[room].map { $0.room.people($0.origin) } ?? []
    let actors = Set(here.map(\.actor))
    let elsewhere = cluster?.neighbours.people(in: room).filter { !actors.contains($0.actor) } ?? []
    return (here + elsewhere).sorted { $0.actor < $1.actor }
  }

  func listing(of open: OpenRoom) -> RoomListing {
    var listing = open.room.listing
    if let neighbours = cluster?.neighbours {
      // A large room knows only some of the people at other nodes, so their number comes from `Neighbours`.
      listing.peers = open.room.audience.connectionCount + neighbours.count(in: open.name)
    }
    return listing
  }

  // MARK: Other nodes

  /// Gathers what a room has to tell other nodes.
  func gatherNews(of room: inout Room, _ open: OpenRoom, now: Moment) {
    guard let isShared = cluster?.neighbours.isShared(open.name) else { return }
    if let news = room.takeNews(isShared: isShared, now: now, origin: open.origin) { cluster?.neighbours.add(news) }
  }

  /// Tells the other nodes what has gathered.
  func tellNeighbours() {
    guard log.isOpen, let known = cluster?.neighbours, known.hasNews else { return }
    let inhabited = known.tellsAll(now: now) ? rooms.all.filter { !$0.room.audience.isEmpty } : nil
    let everyone = inhabited?.sorted { $0.name < $1.name }.map { open in
      open.room.wholeNews(isShared: known.isShared(open.name), origin: open.origin)
    }
    let message = cluster?.neighbours.takeMessage(everyone: everyone, now: now) { place in
      rooms[place.room]?.room.audience.member(of: place.actor)?.peer.state
    }
    if let message { cluster?.bus.tell(message) }
  }

  func take(_ news: BusNews) {
    switch news {
    case .heard(let message): heard(message)
    case .missed: cluster?.neighbours.askAnew()
    }
  }

  private func heard(_ bytes: [UInt8]) {
    guard let news = cluster?.neighbours.heard(bytes, now: now) else { return }
    take(news.rooms, of: news.node)
    for place in news.unwanted { sendAway(place.actor, from: place.room) }
  }

  /// To be called once a second.
  func keepNeighbours() {
    for (node, rooms) in cluster?.neighbours.beat(now: now) ?? [] { take(rooms, of: node) }
  }

  /// Tells the rooms here what another node says of them.
  private func take(_ news: [RoomNews], of node: UInt64) {
    for news in news { if let open = rooms[news.room] { change(open) { $0.heard(news, of: node, now: now) } } }
  }

  // MARK: Removing

  /// Removes somebody at an operator's request, whichever node the person is connected to.
  func remove(_ actor: Identifier, from room: String, by request: Request) async -> Removal {
    let place = PersonPlace(room: room, actor: actor)
    let wasHere = sendAway(actor, from: room)
    let isElsewhere = cluster?.neighbours.has(place) ?? false
    guard wasHere || isElsewhere else { return .absent }
    record("removed", request, room: room, actor: actor.text)
    guard isElsewhere else { return .done }
    for look in 0..<Hub.looksAtRemoval where cluster?.neighbours.has(place) == true {
      if look % Hub.looksBetweenWishes == 0 { cluster?.neighbours.wantsRemoved(place) }
      await pause(milliseconds: 20)
    }
    return cluster?.neighbours.has(place) == true ? .unanswered : .done
  }

  /// How many times the hub checks whether the person has left the other node. It checks every 20 ms, so it gives up
  /// after five seconds. A live node answers within milliseconds, and a dead node is noticed within five seconds.
  private static let looksAtRemoval = 250
  private static let looksBetweenWishes = 50

  /// Closes an actor's connection to this node.
  /// - Returns: whether the actor was connected to this node.
  @discardableResult
  private func sendAway(_ actor: Identifier, from room: String) -> Bool {
    let found = sessions.all.filter { $0.room == room && $0.actor == actor && !$0.isGone }
    for session in found { close(session, .forbidden, "an operator has removed you from this room", error: "removed") }
    return !found.isEmpty
  }
}
