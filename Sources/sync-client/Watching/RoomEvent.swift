import CanvasCRDT

/// An event in a room, in the form in which people are told of it.
struct RoomEvent: Hashable, Sendable {
  enum What: Hashable, Sendable {
    case made(ShapeName, Properties)
    /// The properties that changed, with their newest values.
    case changed(ShapeName, Properties)
    case deleted(ShapeName, intoBlackHole: Bool)
    /// The shapes began to overlap. `share` is the common area divided by the smaller shape's area.
    case overlapBegan(ShapeName, ShapeName, share: Double)
    case overlapEnded(ShapeName, ShapeName)
    case came(Person)
    case went(Person)
    case offline(String)
    case back
  }

  /// Unix time.
  var milliseconds: UInt64
  var what: What
  var by: Writer?
  /// The present names of the shapes to which a line is tied.
  var tied: [Identifier: Text] = [:]

  /// The person who caused the event.
  enum Writer: Hashable, Sendable {
    case person(Person)
    /// Several people, who wrote while this client was offline.
    case several
    case oneself

    /// Whether both count as the same writer. Each request over HTTP comes from a new actor without a name; all such
    /// actors count as one.
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
  /// The person's name; nil for an actor who only wrote over HTTP.
  let name: Text?
  let color: Color?

  var shownName: String { name?.string ?? "someone (\(actor.text))" }
}

extension Peer {
  var shownName: String { name.isEmpty ? "Someone" : name.string.printable }
}

/// The people who are or were in a room.
struct People: Sendable {
  private var known: [Identifier: Person] = [:]

  mutating func note(_ peer: Peer) {
    known[peer.actor] = Person(actor: peer.actor, name: peer.name, color: peer.color)
  }

  subscript(actor: Identifier) -> Person { known[actor] ?? Person(actor: actor, name: nil, color: nil) }
}
