/// The messages as JSON, `canvas.v1.json`: one object a text frame.
///
/// Members are written in the order of docs/PROTOCOL.md's examples and read in any order. Optional members that are
/// false or empty are left out, so that equal messages are equal bytes.
public enum JSONEncoding {
  public static func encode(_ message: ClientMessage) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("type")
    switch message {
    case .hello(let hello): write(hello, to: &writer)
    case .operations(let submission):
      writer.value("ops")
      write(submission.id, to: &writer)
      writer.key("ops")
      writeOperations(submission.operations, to: &writer)
    case .presence(let state):
      writer.value("presence")
      writer.key("state")
      writer.value(state)
    case .ping(let id):
      writer.value("ping")
      write(id, to: &writer)
    case .digest: writer.value("digest")
    }
    writer.endObject()
    return writer.finish()
  }

  public static func encode(_ message: ServerMessage) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("type")
    switch message {
    case .welcome(let welcome): write(welcome, to: &writer)
    case .operations(let delivery): write(delivery, to: &writer)
    case .acknowledgement(let acknowledgement): write(acknowledgement, to: &writer)
    case .rejection(let rejection): write(rejection, to: &writer)
    case .presence(let states): write(states, to: &writer)
    case .join(let peer):
      writer.value("join")
      writer.key("peer")
      writer.beginObject()
      write(peer, to: &writer)
      if let state = peer.state { write(state: state, to: &writer) }
      writer.endObject()
    case .leave(let actor):
      writer.value("leave")
      writer.key("actor")
      writer.value(actor)
    case .overlaps(let notice): write(notice, to: &writer)
    case .pong(let id, let milliseconds):
      writer.value("pong")
      write(id, to: &writer)
      writer.key("time")
      writer.value(milliseconds)
    case .digest(let cursor, let hash):
      writer.value("digest")
      write(cursor, to: &writer)
      writer.key("hash")
      writer.value(text: hexadecimal(hash))
    case .error(let code, let message):
      writer.value("error")
      writer.key("code")
      writer.value(text: code)
      writer.key("message")
      writer.value(text: message)
    }
    writer.endObject()
    return writer.finish()
  }
}

// MARK: - From the client

extension JSONEncoding {
  private static func write(_ hello: Hello, to writer: inout JSONWriter) {
    writer.value("hello")
    if let name = hello.name {
      writer.key("name")
      writer.value(text: name)
    }
    if let color = hello.color {
      writer.key("color")
      writer.value(color)
    }
    if let actor = hello.actor {
      writer.key("actor")
      writer.value(actor)
    }
    if let since = hello.since {
      writer.key("since")
      writer.value(text: since.text)
    }
    writer.key("overlaps")
    writer.value(hello.overlaps)
    writer.key("readonly")
    writer.value(hello.readonly)
  }
}

// MARK: - From the server

extension JSONEncoding {
  private static func write(_ welcome: Welcome, to writer: inout JSONWriter) {
    writer.value("welcome")
    writer.key("room")
    writer.value(text: welcome.room)
    writer.key("actor")
    writer.value(welcome.actor)
    writer.key("role")
    writer.value(welcome.role.wireName)
    writer.key("time")
    writer.value(welcome.milliseconds)
    writer.key("limits")
    writer.beginObject()
    let limits = welcome.limits.inOrder
    for place in limits.indices {
      writer.key(RoomLimits.wireName(ofLimit: place))
      writer.value(limits[place])
    }
    writer.endObject()
    writer.key("peers")
    writer.beginArray()
    for peer in welcome.peers {
      writer.beginObject()
      write(peer, to: &writer)
      // A page reads the state of each peer that it is told of, so a peer without one gets an empty one.
      write(state: peer.state ?? JSONText.emptyObject, to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(_ delivery: Delivery, to writer: inout JSONWriter) {
    writer.value("ops")
    write(delivery.cursor, to: &writer)
    writer.key("ops")
    switch delivery.content {
    case .operations(let operations): writeOperations(operations, to: &writer)
    case .state(let part): writeOperations(part, to: &writer)
    }
    if delivery.more { writeTrue("more", to: &writer) }
    if delivery.reset { writeTrue("reset", to: &writer) }
  }

  private static func write(_ acknowledgement: Acknowledgement, to writer: inout JSONWriter) {
    writer.value("ack")
    write(acknowledgement.id, to: &writer)
    write(acknowledgement.cursor, to: &writer)
    guard !acknowledgement.superseded.isEmpty else { return }
    writer.key("superseded")
    writer.beginArray()
    for superseded in acknowledgement.superseded {
      writer.beginObject()
      writer.key("op")
      writer.value(superseded.operation)
      writer.key("property")
      writer.value(superseded.property.wireName)
      writer.key("by")
      writer.value(superseded.by)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(_ rejection: Rejection, to writer: inout JSONWriter) {
    writer.value("reject")
    write(rejection.id, to: &writer)
    if let operation = rejection.operation {
      writer.key("op")
      writer.value(operation)
    }
    writer.key("code")
    writer.value(rejection.code.wireName)
    writer.key("message")
    writer.value(text: rejection.message)
  }

  private static func write(_ states: [PeerState], to writer: inout JSONWriter) {
    writer.value("presence")
    writer.key("peers")
    writer.beginArray()
    for state in states {
      writer.beginObject()
      writer.key("actor")
      writer.value(state.actor)
      write(state: state.state, to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(_ notice: OverlapNotice, to writer: inout JSONWriter) {
    writer.value("overlaps")
    writer.key("began")
    write(notice.began, to: &writer)
    writer.key("ended")
    write(notice.ended, to: &writer)
    if notice.more { writeTrue("more", to: &writer) }
  }
}

// MARK: - Parts of messages

extension JSONEncoding {
  /// HTTP's answers use this too.
  public static func write(_ pairs: [ShapePair], to writer: inout JSONWriter) {
    writer.beginArray()
    for pair in pairs {
      writer.beginArray()
      writer.value(pair.first)
      writer.value(pair.second)
      writer.endArray()
    }
    writer.endArray()
  }

  private static func write(_ peer: Peer, to writer: inout JSONWriter) {
    writer.key("actor")
    writer.value(peer.actor)
    writer.key("name")
    writer.value(text: peer.name)
    writer.key("color")
    writer.value(peer.color)
  }

  private static func write(state: JSONText, to writer: inout JSONWriter) {
    writer.key("state")
    writer.value(state)
  }

  private static func write(_ id: MessageIdentifier?, to writer: inout JSONWriter) {
    guard let id else { return }
    writer.key("id")
    writer.value(id.json)
  }

  private static func write(_ cursor: Cursor, to writer: inout JSONWriter) {
    writer.key("cursor")
    writer.value(text: cursor.text)
  }

  private static func writeTrue(_ name: StaticString, to writer: inout JSONWriter) {
    writer.key(name)
    writer.value(true)
  }

  /// Sixteen digits, in lower case.
  private static func hexadecimal(_ value: UInt64) -> Text {
    var writer = ByteWriter(capacity: 16)
    var shift: UInt64 = 64
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
      writer.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    return writer.withBytes { Text(uncheckedUTF8: $0) }
  }
}

extension RoomLimits {
  /// The name of the limit at an index of `inOrder`.
  static func wireName(ofLimit place: Int) -> StaticString {
    switch place {
    case 0: "messageBytes"
    case 1: "opsPerMessage"
    case 2: "opsPerSecond"
    case 3: "shapes"
    case 4: "clockAheadMs"
    case 5: "presenceBytes"
    default: "horizonMs"
    }
  }
}
