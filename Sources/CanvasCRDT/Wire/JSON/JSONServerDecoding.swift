// The server's messages, as a client reads them.

extension JSONEncoding {
  /// Decodes a server's message. A state comes as the operations in which it was written.
  public static func decodeServerMessage(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ServerMessage {
    var reader = try readerOfObject(bytes)
    switch try type(of: reader) {
    case "welcome": return .welcome(try readWelcome(from: &reader))
    case "ops": return .operations(try readDelivery(from: &reader))
    case "ack": return .acknowledgement(try readAcknowledgement(from: &reader))
    case "reject": return .rejection(try readRejection(from: &reader))
    case "presence": return .presence(try readPeerStates(from: &reader))
    case "join":
      var peer: Peer?
      try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
        switch key {
        case "peer": peer = try readPeer(from: &reader)
        default: reader.passOver()
        }
      }
      return .join(try peer.orField("join must name a peer"))
    case "leave":
      var actor: Identifier?
      try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
        switch key {
        case "actor": actor = try reader.identifier().orField("actor must be an identifier")
        default: reader.passOver()
        }
      }
      return .leave(try actor.orField("leave must name an actor"))
    case "overlaps": return .overlaps(try readOverlaps(from: &reader))
    case "pong": return try readPong(from: &reader)
    case "digest": return try readDigest(from: &reader)
    case "error": return try readError(from: &reader)
    default: throw .unknownType("a server sends no message of this type")
    }
  }

  public static func decodeServerMessage(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in try decodeServerMessage(bytes) }
  }
}

// MARK: - Connecting

extension JSONEncoding {
  private static func readWelcome(from reader: inout JSONReader) throws(MessageError) -> Welcome {
    var room: Text?
    var actor: Identifier?
    var role: Role?
    var milliseconds: UInt64?
    var limits: RoomLimits?
    var peers: [Peer] = []
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "room": room = try reader.text().orField("room must be text")
      case "actor": actor = try reader.identifier().orField("actor must be an identifier")
      case "role":
        role = try reader.named { Role(wireName: $0) }.orField("role must be editor or viewer")
      case "time": milliseconds = try reader.wholeNumber().orField("time must be milliseconds")
      case "limits": limits = try readLimits(from: &reader)
      case "peers":
        try forEachElement(of: &reader) { (reader) throws(MessageError) in peers.append(try readPeer(from: &reader)) }
      default: reader.passOver()
      }
    }
    return Welcome(
      room: try room.orField("welcome must name the room"),
      actor: try actor.orField("welcome must name the actor"),
      role: try role.orField("welcome must have a role"),
      milliseconds: try milliseconds.orField("welcome must tell the time"),
      limits: try limits.orField("welcome must tell the limits"),
      peers: peers
    )
  }

  private static func readLimits(from reader: inout JSONReader) throws(MessageError) -> RoomLimits {
    var limits = RoomLimits().inOrder
    var missing = limits.count
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      guard let place = limits.indices.first(where: { RoomLimits.wireName(ofLimit: $0) ~= key }) else {
        return reader.passOver()
      }
      limits[place] = try reader.wholeNumber().orField("a limit must be a whole number")
      missing -= 1
    }
    guard missing == 0 else { throw .badField("welcome must tell every limit once") }
    return RoomLimits(inOrder: limits)
  }

  /// An empty state counts as none.
  private static func readPeer(from reader: inout JSONReader) throws(MessageError) -> Peer {
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
        let object = try reader.object().orField("state must be an object, and not nested too deep")
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

  private static func readPeerStates(from reader: inout JSONReader) throws(MessageError) -> [PeerState] {
    var states: [PeerState]?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      guard case "peers" = key else { return reader.passOver() }
      var read: [PeerState] = []
      try forEachElement(of: &reader) { (reader) throws(MessageError) in
        var actor: Identifier?
        var state: JSONText?
        try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
          switch key {
          case "actor": actor = try reader.identifier().orField("actor must be an identifier")
          case "state": state = try reader.object().orField("state must be an object, and not nested too deep")
          default: reader.passOver()
          }
        }
        read.append(
          PeerState(
            actor: try actor.orField("a peer must have an actor"),
            state: try state.orField("a peer must have a state")
          )
        )
      }
      states = read
    }
    return try states.orField("presence must have peers")
  }
}

// MARK: - Operations

extension JSONEncoding {
  private static func readDelivery(from reader: inout JSONReader) throws(MessageError) -> Delivery {
    var cursor: Cursor?
    var operations: [Operation]?
    var more = false
    var reset = false
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "cursor": cursor = Cursor(try reader.text().orField("cursor must be text"))
      case "ops": operations = try readStamped(from: &reader)
      case "more": more = try reader.boolean().orField("more must be true or false")
      case "reset": reset = try reader.boolean().orField("reset must be true or false")
      default: reader.passOver()
      }
    }
    return Delivery(
      cursor: try cursor.orField("ops must have a cursor"),
      operations: try operations.orField("ops must have a list of operations, ops"),
      more: more,
      reset: reset
    )
  }

  private static func readStamped(from reader: inout JSONReader) throws(MessageError) -> [Operation] {
    var list = try JSONOperationReader(reader)
    var operations: [Operation] = []
    while let operation = try list.next() {
      let stamp = try operation.at.orField("an operation from the server without a stamp")
      operations.append(Operation(shape: operation.shape, at: stamp, set: operation.set))
    }
    reader = list.reader
    return operations
  }

  private static func readAcknowledgement(from reader: inout JSONReader) throws(MessageError) -> Acknowledgement {
    var id: MessageIdentifier?
    var cursor: Cursor?
    var superseded: [Superseded] = []
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      case "cursor": cursor = Cursor(try reader.text().orField("cursor must be text"))
      case "superseded":
        try forEachElement(of: &reader) { (reader) throws(MessageError) in
          superseded.append(try readSuperseded(from: &reader))
        }
      default: reader.passOver()
      }
    }
    return Acknowledgement(id: id, cursor: try cursor.orField("ack must have a cursor"), superseded: superseded)
  }

  private static func readSuperseded(from reader: inout JSONReader) throws(MessageError) -> Superseded {
    var operation: Int?
    var property: Property?
    var stamp: Stamp?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "op": operation = try reader.place().orField("op must be a place in the message")
      case "property": property = try reader.named { Property(wireName: $0) }.orField("no such property")
      case "by": stamp = try reader.stamp().orField("by must be a stamp")
      default: reader.passOver()
      }
    }
    return Superseded(
      operation: try operation.orField("superseded must name an operation"),
      property: try property.orField("superseded must name a property"),
      by: try stamp.orField("superseded must name a stamp")
    )
  }

  private static func readRejection(from reader: inout JSONReader) throws(MessageError) -> Rejection {
    var id: MessageIdentifier?
    var operation: Int?
    var code: RejectCode?
    var message: Text?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      case "op": operation = try reader.place().orField("op must be a place in the message")
      case "code": code = try reader.named { RejectCode(wireName: $0) }.orField("no such reject code")
      case "message": message = try reader.text().orField("message must be text")
      default: reader.passOver()
      }
    }
    return Rejection(
      id: id,
      operation: operation,
      code: try code.orField("reject must have a code"),
      message: try message.orField("reject must have a message")
    )
  }
}

// MARK: - The rest

extension JSONEncoding {
  private static func readOverlaps(from reader: inout JSONReader) throws(MessageError) -> OverlapNotice {
    var began: [ShapePair]?
    var ended: [ShapePair]?
    var more = false
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "began": began = try readPairs(from: &reader)
      case "ended": ended = try readPairs(from: &reader)
      case "more": more = try reader.boolean().orField("more must be true or false")
      default: reader.passOver()
      }
    }
    return OverlapNotice(
      began: try began.orField("overlaps must have a list of pairs, began"),
      ended: try ended.orField("overlaps must have a list of pairs, ended"),
      more: more
    )
  }

  private static func readPairs(from reader: inout JSONReader) throws(MessageError) -> [ShapePair] {
    var pairs: [ShapePair] = []
    try forEachElement(of: &reader) { (reader) throws(MessageError) in
      guard reader.entersArray(), reader.hasElement(), let first = reader.identifier(), reader.hasElement(),
        let second = reader.identifier(), !reader.hasElement(), first < second
      else { throw .badField("a pair must be two shapes, the smaller identifier first") }
      pairs.append(ShapePair(first, second))
    }
    return pairs
  }

  private static func readPong(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var id: MessageIdentifier?
    var milliseconds: UInt64?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      case "time": milliseconds = try reader.wholeNumber().orField("time must be milliseconds")
      default: reader.passOver()
      }
    }
    return .pong(id: id, milliseconds: try milliseconds.orField("pong must tell the time"))
  }

  private static func readDigest(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var cursor: Cursor?
    var hash: UInt64?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "cursor": cursor = Cursor(try reader.text().orField("cursor must be text"))
      case "hash": hash = try reader.hexadecimal().orField("hash must be sixteen hexadecimal digits")
      default: reader.passOver()
      }
    }
    return .digest(
      cursor: try cursor.orField("digest must have a cursor"),
      hash: try hash.orField("digest must have a hash")
    )
  }

  private static func readError(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var code: Text?
    var message: Text?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "code": code = try reader.text().orField("code must be text")
      case "message": message = try reader.text().orField("message must be text")
      default: reader.passOver()
      }
    }
    return .error(
      code: try code.orField("error must have a code"),
      message: try message.orField("error has no message")
    )
  }
}

extension JSONReader {
  /// The index of an operation in its message.
  fileprivate mutating func place() -> Int? { wholeNumber().flatMap { Int(exactly: $0) } }

  /// Sixteen digits in lower case, the form in which they are written.
  fileprivate mutating func hexadecimal() -> UInt64? {
    string()?.withBytes { bytes -> UInt64? in
      guard bytes.count == 16 else { return nil }
      var value: UInt64 = 0
      for byte in bytes {
        let digit: UInt8
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
        default: return nil
        }
        value = value << 4 | UInt64(digit)
      }
      return value
    }
  }
}
