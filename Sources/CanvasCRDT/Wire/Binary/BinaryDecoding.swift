extension BinaryEncoding {
  /// Decodes a client's message. One of more than `operationsMax` operations is refused before they are read.
  public static func decodeClientMessage(
    _ bytes: UnsafeRawBufferPointer,
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    var reader = ByteReader(bytes)
    var id: MessageIdentifier?
    do throws(BinaryFailure) {
      let message = try readClientMessage(from: &reader, id: &id, operationsMax: operationsMax)
      guard reader.isAtEnd else { throw .malformed("bytes behind the message") }
      return message
    } catch {
      throw error.error(id: id)
    }
  }

  /// Decodes a client's message that has to be a hello.
  public static func decodeHello(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> Hello {
    var reader = ByteReader(bytes)
    do throws(BinaryFailure) {
      guard try reader.byte() == Kind.hello else { throw .hello("no hello") }
      let hello = try readHello(from: &reader)
      guard reader.isAtEnd else { throw .malformed("bytes behind the message") }
      return hello
    } catch {
      throw error.error()
    }
  }

  /// Decodes a server's message.
  public static func decodeServerMessage(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ServerMessage {
    var reader = ByteReader(bytes)
    do throws(BinaryFailure) {
      let message = try readServerMessage(from: &reader)
      guard reader.isAtEnd else { throw .malformed("bytes behind the message") }
      return message
    } catch {
      throw error.error()
    }
  }

  public static func decodeClientMessage(
    _ bytes: [UInt8],
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in
      try decodeClientMessage(bytes, operationsMax: operationsMax)
    }
  }

  public static func decodeServerMessage(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in try decodeServerMessage(bytes) }
  }
}

// MARK: - From the client

extension BinaryEncoding {
  private static func readClientMessage(
    from reader: inout ByteReader,
    id: inout MessageIdentifier?,
    operationsMax: UInt64
  ) throws(BinaryFailure) -> ClientMessage {
    switch try reader.byte() {
    case Kind.hello: return .hello(try readHello(from: &reader))
    case Kind.operations:
      id = try readMessageIdentifier(from: &reader)
      var list = try BinaryOperationReader(reader)
      guard list.count > 0 else { throw .refused(.badMessage, "a message of no operations") }
      guard UInt64(list.count) <= operationsMax else { throw .refused(.tooManyOperations, "too many operations") }
      var operations: [ProposedOperation] = []
      operations.reserveCapacity(list.count)
      while let operation = try list.next() { operations.append(operation) }
      reader = list.reader
      return .operations(Submission(id: id, operations: operations))
    case Kind.presence: return .presence(try readObject(from: &reader))
    case Kind.ping: return .ping(try readMessageIdentifier(from: &reader))
    case Kind.digest: return .digest
    case let kind: throw .unknownKind(kind)
    }
  }

  private static func readHello(from reader: inout ByteReader) throws(BinaryFailure) -> Hello {
    let flags = try reader.byte()
    guard flags & ~HelloFlag.all == 0 else { throw .hello("a flag of hello that there is not") }
    var hello = Hello()
    if HelloFlag.isSet(.name, in: flags) {
      let name = try reader.countedText()
      guard PropertyRules.allowsName(name) else {
        throw .hello("name must be text of 1 to 128 bytes without control characters")
      }
      hello.name = name
    }
    if HelloFlag.isSet(.color, in: flags) { hello.color = try readColor(from: &reader) }
    if HelloFlag.isSet(.actor, in: flags) {
      guard let actor = Identifier(packed: try reader.packed48()) else { throw .hello("actor must be an identifier") }
      hello.actor = actor
    }
    if HelloFlag.isSet(.since, in: flags) { hello.since = Cursor(try reader.countedText()) }
    hello.overlaps = HelloFlag.isSet(.overlaps, in: flags)
    hello.readonly = HelloFlag.isSet(.readonly, in: flags)
    return hello
  }
}

// MARK: - From the server

extension BinaryEncoding {
  private static func readServerMessage(from reader: inout ByteReader) throws(BinaryFailure) -> ServerMessage {
    switch try reader.byte() {
    case Kind.welcome: return .welcome(try readWelcome(from: &reader))
    case Kind.delivery:
      let (cursor, flags) = try readDeliveryHead(from: &reader)
      return .operations(
        Delivery(
          cursor: cursor,
          content: .operations(try readStamped(from: &reader)),
          more: flags & DeliveryFlag.more != 0,
          reset: flags & DeliveryFlag.reset != 0
        )
      )
    case Kind.state:
      let (cursor, flags) = try readDeliveryHead(from: &reader)
      let columns = try StateColumnsReader.read(reader)
      reader = columns.rest
      return .operations(
        Delivery(
          cursor: cursor,
          content: .state(columns.part),
          more: flags & DeliveryFlag.more != 0,
          reset: flags & DeliveryFlag.reset != 0
        )
      )
    case Kind.acknowledgement: return .acknowledgement(try readAcknowledgement(from: &reader))
    case Kind.rejection: return .rejection(try readRejection(from: &reader))
    case Kind.peerStates:
      var states: [PeerState] = []
      for _ in 0..<(try reader.count(bytesEach: 7)) {
        states.append(PeerState(actor: try reader.identifier(), state: try readObject(from: &reader)))
      }
      return .presence(states)
    case Kind.join: return .join(try readPeer(from: &reader))
    case Kind.leave: return .leave(try reader.identifier())
    case Kind.overlaps:
      let more = try reader.byte()
      guard more < 2 else { throw .field("a flag of overlaps that there is not") }
      return .overlaps(
        OverlapNotice(began: try readPairs(from: &reader), ended: try readPairs(from: &reader), more: more == 1)
      )
    case Kind.pong:
      return .pong(id: try readMessageIdentifier(from: &reader), milliseconds: try reader.varint())
    case Kind.digestAnswer:
      let cursor = Cursor(try reader.countedText())
      let hash = try reader.slice(8)
      return .digest(cursor: cursor, hash: UInt64(bigEndian: hash.loadUnaligned(as: UInt64.self)))
    case Kind.error: return .error(code: try reader.countedText(), message: try reader.countedText())
    case let kind: throw .unknownKind(kind)
    }
  }

  private static func readWelcome(from reader: inout ByteReader) throws(BinaryFailure) -> Welcome {
    let room = try reader.countedText()
    let actor = try reader.identifier()
    guard let role = Role(rawValue: try reader.byte()) else { throw .field("a role that there is not") }
    let milliseconds = try reader.varint()
    var limits: [UInt64] = []
    for _ in 0..<RoomLimits.count { limits.append(try reader.varint()) }
    var peers: [Peer] = []
    for _ in 0..<(try reader.count(bytesEach: 11)) { peers.append(try readPeer(from: &reader)) }
    return Welcome(
      room: room,
      actor: actor,
      role: role,
      milliseconds: milliseconds,
      limits: RoomLimits(inOrder: limits),
      peers: peers
    )
  }

  private static func readDeliveryHead(
    from reader: inout ByteReader
  ) throws(BinaryFailure) -> (cursor: Cursor, flags: UInt8) {
    let flags = try reader.byte()
    guard flags & ~DeliveryFlag.all == 0 else { throw .field("a flag of ops that there is not") }
    return (Cursor(try reader.countedText()), flags)
  }

  private static func readStamped(from reader: inout ByteReader) throws(BinaryFailure) -> [Operation] {
    var list = try BinaryOperationReader(reader)
    var operations: [Operation] = []
    operations.reserveCapacity(list.count)
    while let operation = try list.nextStamped() { operations.append(operation) }
    reader = list.reader
    return operations
  }

  private static func readAcknowledgement(from reader: inout ByteReader) throws(BinaryFailure) -> Acknowledgement {
    var acknowledgement = Acknowledgement(
      id: try readMessageIdentifier(from: &reader),
      cursor: Cursor(try reader.countedText())
    )
    for _ in 0..<(try reader.count(bytesEach: 16)) {
      guard let operation = Int(exactly: try reader.varint()), let property = Property(rawValue: try reader.byte())
      else { throw .field("a superseded value that there is not") }
      acknowledgement.superseded.append(
        Superseded(operation: operation, property: property, by: try reader.stamp())
      )
    }
    return acknowledgement
  }

  private static func readRejection(from reader: inout ByteReader) throws(BinaryFailure) -> Rejection {
    let id = try readMessageIdentifier(from: &reader)
    let place = try reader.varint()
    guard let operation = Int(exactly: place), let code = RejectCode(rawValue: try reader.byte()) else {
      throw .field("a reason to refuse that there is not")
    }
    return Rejection(
      id: id,
      operation: operation == 0 ? nil : operation - 1,
      code: code,
      message: try reader.countedText()
    )
  }

  private static func readPeer(from reader: inout ByteReader) throws(BinaryFailure) -> Peer {
    let actor = try reader.identifier()
    let name = try reader.countedText()
    let color = try readColor(from: &reader)
    let json = try reader.countedBytes()
    return Peer(actor: actor, name: name, color: color, state: json.isEmpty ? nil : try object(json))
  }

  private static func readPairs(from reader: inout ByteReader) throws(BinaryFailure) -> [ShapePair] {
    let count = try reader.count(bytesEach: 12)
    var pairs: [ShapePair] = []
    pairs.reserveCapacity(count)
    for _ in 0..<count {
      let first = try reader.identifier()
      let second = try reader.identifier()
      guard first < second else { throw .field("a pair of shapes out of order") }
      pairs.append(ShapePair(first, second))
    }
    return pairs
  }
}

// MARK: - Parts of messages

extension BinaryEncoding {
  private static func readColor(from reader: inout ByteReader) throws(BinaryFailure) -> Color {
    let bytes = try reader.slice(3)
    return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  private static func readObject(from reader: inout ByteReader) throws(BinaryFailure) -> JSONText {
    try object(try reader.countedBytes())
  }

  /// Compact JSON of an object. JSON that is not in its shortest form is refused.
  private static func object(_ bytes: UnsafeRawBufferPointer) throws(BinaryFailure) -> JSONText {
    guard let json = compactJSON(bytes), json.kind == .object else {
      throw .field("a state that is not a compact JSON object")
    }
    return json
  }

  private static func compactJSON(_ bytes: UnsafeRawBufferPointer) -> JSONText? {
    guard let json = try? JSONText(validating: bytes, maximumBytes: bytes.count), json.bytes.count == bytes.count else {
      return nil
    }
    return json
  }

  private static func readMessageIdentifier(
    from reader: inout ByteReader
  ) throws(BinaryFailure) -> MessageIdentifier? {
    switch try reader.byte() {
    case 0: return nil
    case 1:
      let number = try reader.varint()
      guard number < 1_000_000_000_000_000 else { throw .field("an id of more than fifteen digits") }
      return MessageIdentifier(number)
    case 2:
      let bytes = try reader.countedBytes()
      guard let json = compactJSON(bytes), let id = MessageIdentifier(json: json), id.wholeNumber == nil
      else { throw .field("an id that is neither a number nor a text, or could be said more shortly") }
      return id
    default: throw .field("an id of no known form")
    }
  }
}
