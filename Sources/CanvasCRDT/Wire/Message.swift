// The messages between a client and a server.
//
// The client speaks first, with `hello`. The server answers `welcome`, and then sends the room's state and everything
// that happens after it, all as `operations`. Every client also gets its own operations back, in their order in the
// log. The server answers each `operations` message of a client with an `acknowledgement` or a `rejection`. No
// operation is sent to anyone before it is durable.
//
// The messages are the same in both encodings, `JSONEncoding` and `BinaryEncoding`. The decoders
// reject everything that the protocol doesn't allow, so a decoded message is valid and needs no further checks.
//
// Each message has a file in `Messages`, with its fields and how they are written and read in both encodings. This file
// lists the messages with their names, and calls the functions in those files. No `switch` here has a `default`, so the
// compiler shows every place that a new message needs.

public enum ClientMessage: Hashable, Sendable {
  case hello(Hello)
  case operations(Submission)
  case presence(JSONText)
  case ping(MessageIdentifier?)
  case digest
  case token(Text)
}

public enum ServerMessage: Equatable, Sendable {
  indirect case welcome(Welcome)
  case operations(Delivery)
  case acknowledgement(Acknowledgement)
  case rejection(Rejection)
  case presence([PeerState])
  case join(Peer)
  case leave(Identifier)
  /// How many people are in the room, including the receiver. 0 if all of them are sent as peers.
  case crowd(people: UInt64)
  case overlaps(OverlapNotice)
  case pong(id: MessageIdentifier?, milliseconds: UInt64)
  case digest(cursor: Cursor, hash: UInt64)
  case error(code: Text, message: Text)
  case token(until: UInt64?)
}

// MARK: - Names

/// The kinds of messages from a client. The raw value is the first byte of a message in the binary encoding.
enum ClientMessageKind: UInt8, WireNamed {
  case hello = 0x01
  case operations = 0x02
  case presence = 0x03
  case ping = 0x04
  case digest = 0x05
  case token = 0x06

  /// The message's `type` in JSON.
  var wireName: StaticString {
    switch self {
    case .hello: "hello"
    case .operations: "ops"
    case .presence: "presence"
    case .ping: "ping"
    case .digest: "digest"
    case .token: "token"
    }
  }
}

extension ClientMessage {
  var kind: ClientMessageKind {
    switch self {
    case .hello: .hello
    case .operations: .operations
    case .presence: .presence
    case .ping: .ping
    case .digest: .digest
    case .token: .token
    }
  }
}

/// The kinds of messages from a server. The raw value is the first byte of a message in the binary encoding, and always
/// has the bit 0x40 set.
///
/// Binary deliveries have two kinds: operations and state. In JSON both have the same name. A search by that name must
/// find `delivery`, so `delivery` comes before `state`.
enum ServerMessageKind: UInt8, WireNamed {
  case welcome = 0x41
  case delivery = 0x42
  case state = 0x43
  case acknowledgement = 0x44
  case rejection = 0x45
  case presence = 0x46
  case join = 0x47
  case leave = 0x48
  case overlaps = 0x49
  case pong = 0x4A
  case digest = 0x4B
  case error = 0x4C
  case token = 0x4D
  case crowd = 0x4E

  /// The message's `type` in JSON.
  var wireName: StaticString {
    switch self {
    case .welcome: "welcome"
    case .delivery, .state: "ops"
    case .acknowledgement: "ack"
    case .rejection: "reject"
    case .presence: "presence"
    case .join: "join"
    case .leave: "leave"
    case .overlaps: "overlaps"
    case .pong: "pong"
    case .digest: "digest"
    case .error: "error"
    case .token: "token"
    case .crowd: "crowd"
    }
  }

  /// Whether messages of this kind are for one receiver only, such as a welcome, an answer or an error. The other
  /// messages report what happens in the room.
  var isPersonal: Bool {
    switch self {
    case .welcome, .acknowledgement, .rejection, .pong, .digest, .error, .token: true
    case .delivery, .state, .presence, .join, .leave, .overlaps, .crowd: false
    }
  }
}

extension ServerMessage {
  var kind: ServerMessageKind {
    switch self {
    case .welcome: .welcome
    case .operations(let delivery): delivery.kind
    case .acknowledgement: .acknowledgement
    case .rejection: .rejection
    case .presence: .presence
    case .join: .join
    case .leave: .leave
    case .overlaps: .overlaps
    case .pong: .pong
    case .digest: .digest
    case .error: .error
    case .token: .token
    case .crowd: .crowd
    }
  }
}

// MARK: - As JSON

extension JSONEncoding {
  /// Writes the members after `type`.
  static func writeMembers(of message: ClientMessage, to writer: inout JSONWriter) {
    switch message {
    case .hello(let hello): write(hello, to: &writer)
    case .operations(let submission): write(submission, to: &writer)
    case .presence(let state): writePresence(state, to: &writer)
    case .ping(let id): writePing(id, to: &writer)
    case .digest: break
    case .token(let token): writeToken(token, to: &writer)
    }
  }

  static func writeMembers(of message: ServerMessage, to writer: inout JSONWriter) {
    switch message {
    case .welcome(let welcome): write(welcome, to: &writer)
    case .operations(let delivery): write(delivery, to: &writer)
    case .acknowledgement(let acknowledgement): write(acknowledgement, to: &writer)
    case .rejection(let rejection): write(rejection, to: &writer)
    case .presence(let states): write(states, to: &writer)
    case .join(let peer): writeJoin(peer, to: &writer)
    case .leave(let actor): writeLeave(actor, to: &writer)
    case .overlaps(let notice): write(notice, to: &writer)
    case .pong(let id, let milliseconds): writePong(id, milliseconds, to: &writer)
    case .digest(let cursor, let hash): writeDigest(cursor, hash, to: &writer)
    case .error(let code, let message): writeError(code, message, to: &writer)
    case .token(let until): writeToken(until: until, to: &writer)
    case .crowd(let people): writeCrowd(people, to: &writer)
    }
  }

  static func readClientMessage(
    _ kind: ClientMessageKind,
    from reader: inout JSONReader,
    operationsMax: UInt64
  ) throws(MessageError) -> ClientMessage {
    switch kind {
    case .hello: .hello(try readHello(from: &reader))
    case .operations: .operations(try readSubmission(from: &reader, operationsMax: operationsMax))
    case .presence: .presence(try readPresence(from: &reader))
    case .ping: .ping(try readPing(from: &reader))
    case .digest: .digest
    case .token: .token(try readToken(from: &reader))
    }
  }

  static func readServerMessage(
    _ kind: ServerMessageKind,
    from reader: inout JSONReader
  ) throws(MessageError) -> ServerMessage {
    switch kind {
    case .welcome: .welcome(try readWelcome(from: &reader))
    case .delivery, .state: .operations(try readDelivery(from: &reader))
    case .acknowledgement: .acknowledgement(try readAcknowledgement(from: &reader))
    case .rejection: .rejection(try readRejection(from: &reader))
    case .presence: .presence(try readPeerStates(from: &reader))
    case .join: .join(try readJoin(from: &reader))
    case .leave: .leave(try readLeave(from: &reader))
    case .overlaps: .overlaps(try readOverlaps(from: &reader))
    case .pong: try readPong(from: &reader)
    case .digest: try readDigest(from: &reader)
    case .error: try readError(from: &reader)
    case .token: try readTokenAnswer(from: &reader)
    case .crowd: .crowd(people: try readCrowd(from: &reader))
    }
  }
}

// MARK: - As binary

extension BinaryEncoding {
  /// Writes the fields after the first byte, which is the message's kind.
  static func writeFields(of message: ClientMessage, to writer: inout ByteWriter) {
    switch message {
    case .hello(let hello): write(hello, to: &writer)
    case .operations(let submission): write(submission, to: &writer)
    case .presence(let state): writePresence(state, to: &writer)
    case .ping(let id): writePing(id, to: &writer)
    case .digest: break
    case .token(let token): writer.appendCounted(token)
    }
  }

  static func writeFields(of message: ServerMessage, to writer: inout ByteWriter) {
    switch message {
    case .welcome(let welcome): write(welcome, to: &writer)
    case .operations(let delivery): write(delivery, to: &writer)
    case .acknowledgement(let acknowledgement): write(acknowledgement, to: &writer)
    case .rejection(let rejection): write(rejection, to: &writer)
    case .presence(let states): write(states, to: &writer)
    case .join(let peer): write(peer, to: &writer)
    case .leave(let actor): writer.append(actor)
    case .overlaps(let notice): write(notice, to: &writer)
    case .pong(let id, let milliseconds): writePong(id, milliseconds, to: &writer)
    case .digest(let cursor, let hash): writeDigest(cursor, hash, to: &writer)
    case .error(let code, let message): writeError(code, message, to: &writer)
    case .token(let until): writer.appendVarint(until ?? 0)
    case .crowd(let people): writer.appendVarint(people)
    }
  }

  /// Reads a client's message. `id` is set as soon as the message's `id` has been read. So if a later part is invalid,
  /// the error can still name the `id`.
  static func readClientMessage(
    _ kind: ClientMessageKind,
    from reader: inout ByteReader,
    id: inout MessageIdentifier?,
    operationsMax: UInt64
  ) throws(BinaryFailure) -> ClientMessage {
    switch kind {
    case .hello: .hello(try readHello(from: &reader))
    case .operations: .operations(try readSubmission(from: &reader, id: &id, operationsMax: operationsMax))
    case .presence: .presence(try readPresence(from: &reader))
    case .ping: .ping(try readPing(from: &reader))
    case .digest: .digest
    case .token: .token(try readToken(from: &reader))
    }
  }

  static func readServerMessage(
    _ kind: ServerMessageKind,
    from reader: inout ByteReader
  ) throws(BinaryFailure) -> ServerMessage {
    switch kind {
    case .welcome: .welcome(try readWelcome(from: &reader))
    case .delivery: .operations(try readDelivery(from: &reader))
    case .state: .operations(try readStateDelivery(from: &reader))
    case .acknowledgement: .acknowledgement(try readAcknowledgement(from: &reader))
    case .rejection: .rejection(try readRejection(from: &reader))
    case .presence: .presence(try readPeerStates(from: &reader))
    case .join: .join(try readPeer(from: &reader))
    case .leave: .leave(try reader.identifier())
    case .overlaps: .overlaps(try readOverlaps(from: &reader))
    case .pong: try readPong(from: &reader)
    case .digest: try readDigest(from: &reader)
    case .error: try readError(from: &reader)
    case .token: try readTokenAnswer(from: &reader)
    case .crowd: .crowd(people: try reader.varint())
    }
  }
}
