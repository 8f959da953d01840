// Presence, for example a pointer: a JSON object that a client sends and that the server passes on to others.

/// One peer's newest presence.
public struct PeerState: Hashable, Sendable {
  public var actor: Identifier
  public var state: JSONText

  public init(actor: Identifier, state: JSONText) {
    self.actor = actor
    self.state = state
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func writePresence(_ state: JSONText, to writer: inout JSONWriter) {
    writer.key("state")
    writer.value(state)
  }

  static func readPresence(from reader: inout JSONReader) throws(MessageError) -> JSONText {
    var state: JSONText?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "state": state = try reader.presenceState()
      default: reader.passOver()
      }
    }
    return try state.orField("presence must have a state")
  }

  static func write(_ states: [PeerState], to writer: inout JSONWriter) {
    writer.key("peers")
    writer.beginArray()
    for state in states {
      writer.beginObject()
      writer.key("actor")
      writer.value(state.actor)
      writer.key("state")
      writer.value(state.state)
      writer.endObject()
    }
    writer.endArray()
  }

  static func readPeerStates(from reader: inout JSONReader) throws(MessageError) -> [PeerState] {
    var states: [PeerState]?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      guard case "peers" = key else { return reader.passOver() }
      var read: [PeerState] = []
      try forEachElement(of: &reader) { (reader) throws(MessageError) in
        read.append(try readPeerState(from: &reader))
      }
      states = read
    }
    return try states.orField("presence must have peers")
  }

  private static func readPeerState(from reader: inout JSONReader) throws(MessageError) -> PeerState {
    var actor: Identifier?
    var state: JSONText?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "actor": actor = try reader.identifier().orField("actor must be an identifier")
      case "state": state = try reader.presenceState()
      default: reader.passOver()
      }
    }
    return PeerState(
      actor: try actor.orField("a peer must have an actor"),
      state: try state.orField("a peer must have a state")
    )
  }
}

extension JSONReader {
  mutating func presenceState() throws(MessageError) -> JSONText {
    try object().orField("state must be an object, and not nested too deep")
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func writePresence(_ state: JSONText, to writer: inout ByteWriter) { writer.appendCounted(state.bytes) }

  static func readPresence(from reader: inout ByteReader) throws(BinaryFailure) -> JSONText {
    try reader.presenceState()
  }

  static func write(_ states: [PeerState], to writer: inout ByteWriter) {
    writer.appendVarint(UInt64(states.count))
    for state in states {
      writer.append(state.actor)
      writer.appendCounted(state.state.bytes)
    }
  }

  static func readPeerStates(from reader: inout ByteReader) throws(BinaryFailure) -> [PeerState] {
    var states: [PeerState] = []
    for _ in 0..<(try reader.count(bytesEach: 7)) {
      states.append(PeerState(actor: try reader.identifier(), state: try reader.presenceState()))
    }
    return states
  }
}

extension ByteReader {
  mutating func presenceState() throws(BinaryFailure) -> JSONText { try JSONText(presenceState: try countedBytes()) }
}

extension JSONText {
  /// Reads a JSON object. An object with superfluous whitespace is rejected.
  init(presenceState bytes: UnsafeRawBufferPointer) throws(BinaryFailure) {
    guard let json = JSONText(compact: bytes), json.kind == .object else {
      throw .field("a state that is not a compact JSON object")
    }
    self = json
  }
}
