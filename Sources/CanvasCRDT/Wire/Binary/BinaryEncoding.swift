/// The compact encoding of the messages, `canvas.v1.bin`: one message a binary frame.
///
/// A message is a byte for its kind, then its fields in a fixed order. Numbers are LEB128 varints in their shortest
/// form. An identifier is six bytes. A text is a varint of its length and then its UTF-8. One message has one encoding,
/// and a decoder refuses every other, so equal messages are equal bytes. docs/PROTOCOL.md has it byte by byte.
public enum BinaryEncoding {
  /// The first byte of each message. Messages from the server have the bit 0x40.
  enum Kind {
    static let hello: UInt8 = 0x01
    static let operations: UInt8 = 0x02
    static let presence: UInt8 = 0x03
    static let ping: UInt8 = 0x04
    static let digest: UInt8 = 0x05

    static let welcome: UInt8 = 0x41
    static let delivery: UInt8 = 0x42
    static let state: UInt8 = 0x43
    static let acknowledgement: UInt8 = 0x44
    static let rejection: UInt8 = 0x45
    static let peerStates: UInt8 = 0x46
    static let join: UInt8 = 0x47
    static let leave: UInt8 = 0x48
    static let overlaps: UInt8 = 0x49
    static let pong: UInt8 = 0x4A
    static let digestAnswer: UInt8 = 0x4B
    static let error: UInt8 = 0x4C
  }

  /// The first byte of a hello's fields is a sum of these. JavaScript writes hellos too.
  public enum HelloFlag: UInt8, CaseIterable {
    case name = 1
    case color = 2
    case actor = 4
    case since = 8
    case overlaps = 16
    case readonly = 32

    static func isSet(_ flag: HelloFlag, in flags: UInt8) -> Bool { flags & flag.rawValue != 0 }
    static var all: UInt8 { allCases.reduce(0) { $0 | $1.rawValue } }
  }

  enum DeliveryFlag {
    static let more: UInt8 = 1
    static let reset: UInt8 = 2
    static let all: UInt8 = 3
  }
}

// MARK: - Encoding

extension BinaryEncoding {
  public static func encode(_ message: ClientMessage) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    switch message {
    case .hello(let hello): write(hello, to: &writer)
    case .operations(let submission):
      writer.append(Kind.operations)
      write(submission.id, to: &writer)
      BinaryOperations.write(submission.operations, to: &writer)
    case .presence(let state):
      writer.append(Kind.presence)
      writer.appendCounted(state.bytes)
    case .ping(let id):
      writer.append(Kind.ping)
      write(id, to: &writer)
    case .digest: writer.append(Kind.digest)
    }
    return writer.finish()
  }

  public static func encode(_ message: ServerMessage) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    switch message {
    case .welcome(let welcome): write(welcome, to: &writer)
    case .operations(let delivery): write(delivery, to: &writer)
    case .acknowledgement(let acknowledgement): write(acknowledgement, to: &writer)
    case .rejection(let rejection):
      writer.append(Kind.rejection)
      write(rejection.id, to: &writer)
      writer.appendVarint(rejection.operation.map { UInt64($0) + 1 } ?? 0)
      writer.append(rejection.code.rawValue)
      writer.appendCounted(rejection.message)
    case .presence(let states):
      writer.append(Kind.peerStates)
      writer.appendVarint(UInt64(states.count))
      for state in states {
        writer.append(state.actor)
        writer.appendCounted(state.state.bytes)
      }
    case .join(let peer):
      writer.append(Kind.join)
      write(peer, to: &writer)
    case .leave(let actor):
      writer.append(Kind.leave)
      writer.append(actor)
    case .overlaps(let notice):
      writer.append(Kind.overlaps)
      writer.append(notice.more ? 1 : 0)
      for pairs in [notice.began, notice.ended] {
        writer.appendVarint(UInt64(pairs.count))
        for pair in pairs {
          writer.append(pair.first)
          writer.append(pair.second)
        }
      }
    case .pong(let id, let milliseconds):
      writer.append(Kind.pong)
      write(id, to: &writer)
      writer.appendVarint(milliseconds)
    case .digest(let cursor, let hash):
      writer.append(Kind.digestAnswer)
      writer.appendCounted(cursor.text)
      writer.appendBigEndian(hash)
    case .error(let code, let message):
      writer.append(Kind.error)
      writer.appendCounted(code)
      writer.appendCounted(message)
    }
    return writer.finish()
  }

  private static func write(_ hello: Hello, to writer: inout ByteWriter) {
    writer.append(Kind.hello)
    var flags: UInt8 = 0
    if hello.name != nil { flags |= HelloFlag.name.rawValue }
    if hello.color != nil { flags |= HelloFlag.color.rawValue }
    if hello.actor != nil { flags |= HelloFlag.actor.rawValue }
    if hello.since != nil { flags |= HelloFlag.since.rawValue }
    if hello.overlaps { flags |= HelloFlag.overlaps.rawValue }
    if hello.readonly { flags |= HelloFlag.readonly.rawValue }
    writer.append(flags)
    if let name = hello.name { writer.appendCounted(name) }
    if let color = hello.color { write(color, to: &writer) }
    if let actor = hello.actor { writer.append(actor) }
    if let since = hello.since { writer.appendCounted(since.text) }
  }

  private static func write(_ welcome: Welcome, to writer: inout ByteWriter) {
    writer.append(Kind.welcome)
    writer.appendCounted(welcome.room)
    writer.append(welcome.actor)
    writer.append(welcome.role.rawValue)
    writer.appendVarint(welcome.milliseconds)
    for limit in welcome.limits.inOrder { writer.appendVarint(limit) }
    writer.appendVarint(UInt64(welcome.peers.count))
    for peer in welcome.peers { write(peer, to: &writer) }
  }

  private static func write(_ delivery: Delivery, to writer: inout ByteWriter) {
    let flags = (delivery.more ? DeliveryFlag.more : 0) | (delivery.reset ? DeliveryFlag.reset : 0)
    switch delivery.content {
    case .operations(let operations):
      writer.append(Kind.delivery)
      writer.append(flags)
      writer.appendCounted(delivery.cursor.text)
      BinaryOperations.write(operations, to: &writer)
    case .state(let part):
      writer.append(Kind.state)
      writer.append(flags)
      writer.appendCounted(delivery.cursor.text)
      StateColumnsWriter.write(part, to: &writer)
    }
  }

  private static func write(_ acknowledgement: Acknowledgement, to writer: inout ByteWriter) {
    writer.append(Kind.acknowledgement)
    write(acknowledgement.id, to: &writer)
    writer.appendCounted(acknowledgement.cursor.text)
    writer.appendVarint(UInt64(acknowledgement.superseded.count))
    for superseded in acknowledgement.superseded {
      writer.appendVarint(UInt64(superseded.operation))
      writer.append(superseded.property.rawValue)
      writer.append(superseded.by)
    }
  }

  private static func write(_ peer: Peer, to writer: inout ByteWriter) {
    writer.append(peer.actor)
    writer.appendCounted(peer.name)
    write(peer.color, to: &writer)
    // No JSON is empty, so zero bytes can mean that there is no state.
    writer.appendCounted(peer.state?.bytes ?? [])
  }

  private static func write(_ color: Color, to writer: inout ByteWriter) {
    writer.append(color.red)
    writer.append(color.green)
    writer.append(color.blue)
  }

  /// Writes a varint where the identifier is a whole number that fits, otherwise its JSON.
  private static func write(_ id: MessageIdentifier?, to writer: inout ByteWriter) {
    guard let id else { return writer.append(0) }
    if let number = id.wholeNumber {
      writer.append(1)
      writer.appendVarint(number)
    } else {
      writer.append(2)
      writer.appendCounted(id.json.bytes)
    }
  }
}

extension MessageIdentifier {
  /// The number, if the JSON is one to fifteen digits without leading zeros.
  public var wholeNumber: UInt64? {
    let bytes = json.bytes
    guard bytes.count <= 15, bytes.count == 1 || bytes.first != UInt8(ascii: "0") else { return nil }
    var number: UInt64 = 0
    for byte in bytes {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + UInt64(digit)
    }
    return number
  }

  /// A whole number as an identifier.
  public init(_ number: UInt64) {
    json = JSONText(number)
  }
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
}
