/// The server's answer to `hello`.
public struct Welcome: Hashable, Sendable {
  public var room: Text
  public var actor: Identifier
  /// The key with which the client can get this actor again. `nil` for a client that is too old to know keys.
  public var key: Text?
  public var role: Role
  /// The time of the server's clock, in Unix milliseconds.
  public var milliseconds: UInt64
  public var limits: RoomLimits
  public var peers: [Peer]

  public init(
    room: Text,
    actor: Identifier,
    key: Text? = nil,
    role: Role,
    milliseconds: UInt64,
    limits: RoomLimits,
    peers: [Peer]
  ) {
    self.room = room
    self.actor = actor
    self.key = key
    self.role = role
    self.milliseconds = milliseconds
    self.limits = limits
    self.peers = peers
  }
}

public enum Role: UInt8, CaseIterable, Hashable, Sendable, WireNamed {
  case editor
  case viewer

  public var wireName: StaticString {
    switch self {
    case .editor: "editor"
    case .viewer: "viewer"
    }
  }
}

/// The room's limits. The server rejects what exceeds them.
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

extension RoomLimits {
  static let count = 7

  /// The limits in the order in which `welcome` lists them.
  var inOrder: [UInt64] {
    [
      messageBytes, operationsPerMessage, operationsPerSecond, shapes, clockAheadMilliseconds, presenceBytes,
      horizonMilliseconds,
    ]
  }

  init(inOrder limits: [UInt64]) {
    messageBytes = limits[0]
    operationsPerMessage = limits[1]
    operationsPerSecond = limits[2]
    shapes = limits[3]
    clockAheadMilliseconds = limits[4]
    presenceBytes = limits[5]
    horizonMilliseconds = limits[6]
  }

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

// MARK: - JSON

extension JSONEncoding {
  static func write(_ welcome: Welcome, to writer: inout JSONWriter) {
    writer.key("room")
    writer.value(text: welcome.room)
    writer.key("actor")
    writer.value(welcome.actor)
    if let key = welcome.key {
      writer.key("key")
      writer.value(text: key)
    }
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
    // Pages expect every peer in a welcome to have a presence, so an empty object is written for a peer without one.
    for peer in welcome.peers { write(peer, state: peer.state ?? JSONText.emptyObject, to: &writer) }
    writer.endArray()
  }

  static func readWelcome(from reader: inout JSONReader) throws(MessageError) -> Welcome {
    var room: Text?
    var actor: Identifier?
    var actorKey: Text?
    var role: Role?
    var milliseconds: UInt64?
    var limits: RoomLimits?
    var peers: [Peer] = []
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "room": room = try reader.text().orField("room must be text")
      case "actor": actor = try reader.identifier().orField("actor must be an identifier")
      case "key": actorKey = try reader.text().orField("key must be text")
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
      key: actorKey,
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
}

// MARK: - Binary

extension BinaryEncoding {
  static func write(_ welcome: Welcome, to writer: inout ByteWriter) {
    writer.appendCounted(welcome.room)
    writer.append(welcome.actor)
    writer.append(welcome.role.rawValue | (welcome.key == nil ? 0 : keyFlag))
    writer.appendVarint(welcome.milliseconds)
    for limit in welcome.limits.inOrder { writer.appendVarint(limit) }
    writer.appendVarint(UInt64(welcome.peers.count))
    for peer in welcome.peers { write(peer, to: &writer) }
    if let key = welcome.key { writer.appendCounted(key) }
  }

  /// A flag in the byte with the role. It says that a key follows the peers.
  private static let keyFlag: UInt8 = 2

  static func readWelcome(from reader: inout ByteReader) throws(BinaryFailure) -> Welcome {
    let room = try reader.countedText()
    let actor = try reader.identifier()
    let roleByte = try reader.byte()
    guard let role = Role(rawValue: roleByte & ~keyFlag) else { throw .field("a role that there is not") }
    let milliseconds = try reader.varint()
    var limits: [UInt64] = []
    for _ in 0..<RoomLimits.count { limits.append(try reader.varint()) }
    var peers: [Peer] = []
    for _ in 0..<(try reader.count(bytesEach: 11)) { peers.append(try readPeer(from: &reader)) }
    let key = roleByte & keyFlag == 0 ? nil : try reader.countedText()
    return Welcome(
      room: room,
      actor: actor,
      key: key,
      role: role,
      milliseconds: milliseconds,
      limits: RoomLimits(inOrder: limits),
      peers: peers
    )
  }
}
