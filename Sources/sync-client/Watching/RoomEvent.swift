import CanvasCRDT

/// An event in a room, to be shown to people.
struct RoomEvent: Hashable, Sendable {
  enum What: Hashable, Sendable {
    case made(ShapeName, Properties)
    /// A shape's properties were changed. The values are the newest ones.
    case changed(ShapeName, Properties)
    case deleted(ShapeName, intoBlackHole: Bool)
    /// Two shapes began to overlap. `share` is the common area as a fraction of the smaller shape's area. `nil` if it
    /// isn't worked out, because that would take too long.
    case overlapBegan(ShapeName, ShapeName, share: Double?)
    case overlapEnded(ShapeName, ShapeName)
    /// There are too many overlaps to list them, from now on. They haven't ended.
    case overlapsUnlisted
    /// The overlaps can be listed again. There are this many.
    case overlapsListed(Int)
    case came(Person)
    case went(Person)
    case offline(String)
    case back
  }

  /// Unix time.
  var milliseconds: UInt64
  var what: What
  var by: Writer?
  /// The names of the shapes to which lines in the event are attached, by the identifier of the named shape.
  var tied: [Identifier: Text] = [:]

  /// Whether one of these shapes was changed, or began or stopped to overlap another.
  func isAbout(any shapes: Set<Identifier>) -> Bool {
    switch what {
    case .made(let shape, _), .changed(let shape, _), .deleted(let shape, intoBlackHole: _): shapes.contains(shape.id)
    case .overlapBegan(let first, let second, share: _), .overlapEnded(let first, let second):
      shapes.contains(first.id) || shapes.contains(second.id)
    case .overlapsUnlisted, .overlapsListed, .came, .went, .offline, .back: false
    }
  }

  /// Who caused an event.
  enum Writer: Hashable, Sendable {
    case person(Person)
    /// Several people made the changes while this client was offline.
    case several
    case oneself

    /// Whether both count as the same person. Each HTTP request has a new actor without a name, so all actors without a
    /// name count as one person.
    func isSameHand(as other: Writer) -> Bool {
      if case .person(let person) = self, case .person(let another) = other, person.name == nil, another.name == nil {
        return true
      }
      return self == other
    }
  }
}

struct ShapeName: Hashable, Sendable {
  let id: Identifier
  let name: Text
}

struct Person: Hashable, Sendable {
  let actor: Identifier
  /// The person's name. `nil` for an actor that isn't known, for example because it only wrote over HTTP.
  let name: Text?
  let color: Color?

  var shownName: String { name?.string ?? "someone (\(actor.text))" }
}

extension Peer {
  var shownName: String { name.isEmpty ? "Someone" : name.string.printable }
}

/// The people who are in a room, and the last ones who have left. A change may be told a moment after its writer has
/// left.
struct People: Sendable {
  /// How many of those who have left are remembered.
  static let goneMax = 64

  private var known: [Identifier: Person] = [:]
  /// Those who have left, in the order in which they did.
  private var gone: [Identifier] = []

  mutating func note(_ peer: Peer) {
    known[peer.actor] = Person(actor: peer.actor, name: peer.name, color: peer.color)
    gone.removeAll { $0 == peer.actor }
  }

  /// From now on, these are the people in the room.
  mutating func note(all peers: [Peer]) {
    let here = Set(peers.map(\.actor))
    for actor in known.keys.sorted() where !here.contains(actor) { noteLeft(actor) }
    for peer in peers { note(peer) }
  }

  mutating func noteLeft(_ actor: Identifier) {
    guard known[actor] != nil, !gone.contains(actor) else { return }
    gone.append(actor)
    if gone.count > People.goneMax { known[gone.removeFirst()] = nil }
  }

  var count: Int { known.count }

  subscript(actor: Identifier) -> Person { known[actor] ?? Person(actor: actor, name: nil, color: nil) }
}
