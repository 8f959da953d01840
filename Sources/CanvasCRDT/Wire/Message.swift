// The messages between a client and a server.
//
// The client speaks first, with `hello`. The server answers `welcome` and then sends the room's state and everything
// that happens after it, all as `operations`. A client's own operations come back to it among the others'. Each of its
// messages is answered by an `acknowledgement` or a `rejection`. Nothing is told to anyone before it is durable.
//
// The messages are the same in both encodings, `JSONEncoding` and `BinaryEncoding`. Values here have been checked: a
// decoder refuses what the contract does not allow, so the receiver of a message need not check again.

/// How far in a room's log a client has come. Opaque: a client compares it for equality, keeps it and sends it back.
public struct Cursor: Hashable, Sendable {
  public let text: Text

  public init(_ text: Text) { self.text = text }
}

/// A client's name for one of its messages: a number or a text. The server echoes it unchanged.
public struct MessageIdentifier: Hashable, Sendable {
  /// The JSON of it, as the client wrote it.
  public let json: JSONText

  /// Nil unless the value is a number or a text.
  public init?(json: JSONText) {
    guard json.kind == .number || json.kind == .string else { return nil }
    self.json = json
  }
}

// MARK: - From the client

public enum ClientMessage: Hashable, Sendable {
  case hello(Hello)
  case operations(Submission)
  case presence(JSONText)
  case ping(MessageIdentifier?)
  case digest
}

public struct Hello: Hashable, Sendable {
  public var name: Text?
  public var color: Color?
  /// The actor that the client was before and wants to be again.
  public var actor: Identifier?
  /// The place from which the client wants to go on: the server sends only what is newer.
  public var since: Cursor?
  public var overlaps = false
  public var readonly = false

  public init() {}
}

/// Operations that are taken all together or not at all.
public struct Submission: Hashable, Sendable {
  public var id: MessageIdentifier?
  public var operations: [ProposedOperation]

  public init(id: MessageIdentifier?, operations: [ProposedOperation]) {
    self.id = id
    self.operations = operations
  }
}

/// An operation that may lack a stamp; then the server stamps it.
public struct ProposedOperation: Hashable, Sendable {
  public var shape: Identifier
  public var at: Stamp?
  public var set: Properties

  public init(shape: Identifier, at: Stamp?, set: Properties) {
    self.shape = shape
    self.at = at
    self.set = set
  }

  public init(_ operation: Operation) {
    self.init(shape: operation.shape, at: operation.at, set: operation.set)
  }
}

// MARK: - From the server

public enum ServerMessage: Equatable, Sendable {
  indirect case welcome(Welcome)
  case operations(Delivery)
  case acknowledgement(Acknowledgement)
  case rejection(Rejection)
  case presence([PeerState])
  case join(Peer)
  case leave(Identifier)
  case overlaps(OverlapNotice)
  case pong(id: MessageIdentifier?, milliseconds: UInt64)
  case digest(cursor: Cursor, hash: UInt64)
  case error(code: Text, message: Text)
}

public struct Welcome: Hashable, Sendable {
  public var room: Text
  public var actor: Identifier
  public var role: Role
  /// The server's clock, in Unix milliseconds.
  public var milliseconds: UInt64
  public var limits: RoomLimits
  public var peers: [Peer]

  public init(
    room: Text,
    actor: Identifier,
    role: Role,
    milliseconds: UInt64,
    limits: RoomLimits,
    peers: [Peer]
  ) {
    self.room = room
    self.actor = actor
    self.role = role
    self.milliseconds = milliseconds
    self.limits = limits
    self.peers = peers
  }
}

/// What a connection may do.
public enum Role: UInt8, CaseIterable, Hashable, Sendable {
  case editor
  case viewer

  public var wireName: StaticString {
    switch self {
    case .editor: "editor"
    case .viewer: "viewer"
    }
  }
}

/// The room's limits: the server refuses what exceeds them.
public struct RoomLimits: Hashable, Sendable {
  public var messageBytes: UInt64 = 1_048_576
  public var operationsPerMessage: UInt64 = 1_024
  public var operationsPerSecond: UInt64 = 2_000
  public var shapes: UInt64 = 100_000
  public var clockAheadMilliseconds: UInt64 = 60_000
  public var presenceBytes: UInt64 = 4_096
  public var horizonMilliseconds: UInt64 = 2_592_000_000

  public init() {}
}

/// Someone in the room.
public struct Peer: Hashable, Sendable {
  public var actor: Identifier
  public var name: Text
  public var color: Color
  /// The newest presence: a JSON object. A peer that has only just come has none.
  public var state: JSONText?

  public init(actor: Identifier, name: Text, color: Color, state: JSONText? = nil) {
    self.actor = actor
    self.name = name
    self.color = color
    self.state = state
  }
}

public struct PeerState: Hashable, Sendable {
  public var actor: Identifier
  public var state: JSONText

  public init(actor: Identifier, state: JSONText) {
    self.actor = actor
    self.state = state
  }
}

/// Operations in the order of the room's log, or a part of its state.
public struct Delivery: Equatable, Sendable {
  public var cursor: Cursor
  public var content: Content
  /// Whether another part follows.
  public var more: Bool
  /// Whether the client has to drop its confirmed canvas first.
  public var reset: Bool

  /// The binary encoding has its own form for state. JSON writes it as operations.
  public enum Content: Equatable, Sendable {
    case operations([Operation])
    case state(StatePart)
  }

  public init(cursor: Cursor, content: Content, more: Bool = false, reset: Bool = false) {
    self.cursor = cursor
    self.content = content
    self.more = more
    self.reset = reset
  }

  public init(cursor: Cursor, operations: [Operation], more: Bool = false, reset: Bool = false) {
    self.init(cursor: cursor, content: .operations(operations), more: more, reset: reset)
  }
}

public struct Acknowledgement: Hashable, Sendable {
  public var id: MessageIdentifier?
  public var cursor: Cursor
  public var superseded: [Superseded]

  public init(id: MessageIdentifier?, cursor: Cursor, superseded: [Superseded] = []) {
    self.id = id
    self.cursor = cursor
    self.superseded = superseded
  }
}

/// A value that had already lost to a newer one when it was made durable.
public struct Superseded: Hashable, Sendable {
  /// The index of the operation in its message.
  public var operation: Int
  public var property: Property
  public var by: Stamp

  public init(operation: Int, property: Property, by: Stamp) {
    self.operation = operation
    self.property = property
    self.by = by
  }
}

/// A message that was refused. Nothing of it is applied.
public struct Rejection: Hashable, Sendable, Error {
  public var id: MessageIdentifier?
  /// The index of the refused operation; nil where the whole message was refused.
  public var operation: Int?
  public var code: RejectCode
  /// The reason, in words.
  public var message: Text

  public init(id: MessageIdentifier? = nil, operation: Int? = nil, code: RejectCode, message: Text) {
    self.id = id
    self.operation = operation
    self.code = code
    self.message = message
  }
}

public enum RejectCode: UInt8, CaseIterable, Hashable, Sendable {
  case badMessage
  case badShape
  case badStamp
  case badProperty
  case badValue
  case clockAhead
  case tooOld
  case readOnly
  case roomFull
  case tooManyOperations
  case rateLimited
  case unavailable

  public var wireName: StaticString {
    switch self {
    case .badMessage: "bad_message"
    case .badShape: "bad_shape"
    case .badStamp: "bad_stamp"
    case .badProperty: "bad_property"
    case .badValue: "bad_value"
    case .clockAhead: "clock_ahead"
    case .tooOld: "too_old"
    case .readOnly: "read_only"
    case .roomFull: "room_full"
    case .tooManyOperations: "too_many_ops"
    case .rateLimited: "rate_limited"
    case .unavailable: "unavailable"
    }
  }

  /// Whether the same operations may be taken later.
  public var isPassing: Bool { self == .rateLimited || self == .unavailable }
}

/// Pairs of live, visible shapes that came to share area, or ceased to.
public struct OverlapNotice: Hashable, Sendable {
  public var began: [ShapePair]
  public var ended: [ShapePair]
  public var more: Bool

  public init(began: [ShapePair], ended: [ShapePair], more: Bool = false) {
    self.began = began
    self.ended = ended
    self.more = more
  }
}
