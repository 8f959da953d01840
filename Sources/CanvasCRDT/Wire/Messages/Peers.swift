// Messages about the people in a room: who is there, who joins and who leaves.

/// Another person or program in the room.
public struct Peer: Hashable, Sendable {
  public var actor: Identifier
  public var name: Text
  public var color: Color
  /// The peer's newest presence, a JSON object. `nil` if the peer has set none yet.
  public var state: JSONText?

  public init(actor: Identifier, name: Text, color: Color, state: JSONText? = nil) {
    self.actor = actor
    self.name = name
    self.color = color
    self.state = state
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func writeJoin(_ peer: Peer, to writer: inout JSONWriter) {
    writer.key("peer")
    write(peer, state: peer.state, to: &writer)
  }

  static func readJoin(from reader: inout JSONReader) throws(MessageError) -> Peer {
    var peer: Peer?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "peer": peer = try readPeer(from: &reader)
      default: reader.passOver()
      }
    }
    return try peer.orField("join must name a peer")
  }

  static func writeLeave(_ actor: Identifier, to writer: inout JSONWriter) {
    writer.key("actor")
    writer.value(actor)
  }

  static func readLeave(from reader: inout JSONReader) throws(MessageError) -> Identifier {
    var actor: Identifier?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "actor": actor = try reader.identifier().orField("actor must be an identifier")
      default: reader.passOver()
      }
    }
    return try actor.orField("leave must name an actor")
  }

  static func write(_ peer: Peer, state: JSONText?, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("actor")
    writer.value(peer.actor)
    writer.key("name")
    writer.value(text: peer.name)
    writer.key("color")
    writer.value(peer.color)
    if let state {
      writer.key("state")
      writer.value(state)
    }
    writer.endObject()
  }

  /// Reads a peer. An empty object as presence counts as none.
  static func readPeer(from reader: inout JSONReader) throws(MessageError) -> Peer {
    var actor: Identifier?
    var name: Text?
    var color: Color?
    var state: JSONText?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "actor": actor = try reader.identifier().orField("actor must be an identifier")
      case "name": name = try reader.text().orField("name must be text")
      case "color": color = try reader.color().orField("color must be a colour as #RRGGBB")
      case "state":
        let object = try reader.presenceState()
        state = object == JSONText.emptyObject ? nil : object
      default: reader.passOver()
      }
    }
    return Peer(
      actor: try actor.orField("a peer must have an actor"),
      name: try name.orField("a peer must have a name"),
      color: try color.orField("a peer must have a colour"),
      state: state
    )
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func write(_ peer: Peer, to writer: inout ByteWriter) {
    writer.append(peer.actor)
    writer.appendCounted(peer.name)
    writer.append(peer.color)
    // No JSON value is empty, so zero bytes can mean that there is no presence.
    writer.appendCounted(peer.state?.bytes ?? [])
  }

  static func readPeer(from reader: inout ByteReader) throws(BinaryFailure) -> Peer {
    let actor = try reader.identifier()
    let name = try reader.countedText()
    let color = try reader.color()
    let state = try reader.countedBytes()
    return Peer(
      actor: actor,
      name: name,
      color: color,
      state: state.isEmpty ? nil : try JSONText(presenceState: state)
    )
  }
}
