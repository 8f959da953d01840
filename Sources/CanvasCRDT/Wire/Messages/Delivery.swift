/// Operations in the order of the room's log, or a part of its state.
public struct Delivery: Equatable, Sendable {
  public var cursor: Cursor
  public var content: Content
  /// Whether the delivery continues in another message.
  public var more: Bool
  /// Whether the client has to drop its confirmed canvas before it applies this delivery.
  public var reset: Bool

  /// Operations, or a part of a state. The binary encoding has a special form for states. JSON writes a state as
  /// operations.
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

  var kind: ServerMessageKind {
    switch content {
    case .operations: .delivery
    case .state: .state
    }
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ delivery: Delivery, to writer: inout JSONWriter) {
    write(delivery.cursor, to: &writer)
    writer.key("ops")
    switch delivery.content {
    case .operations(let operations): writeOperations(operations, to: &writer)
    case .state(let part): writeOperations(part, to: &writer)
    }
    if delivery.more { writeTrue("more", to: &writer) }
    if delivery.reset { writeTrue("reset", to: &writer) }
  }

  static func readDelivery(from reader: inout JSONReader) throws(MessageError) -> Delivery {
    var cursor: Cursor?
    var operations: [Operation]?
    var more = false
    var reset = false
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "cursor": cursor = try reader.cursor()
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
}

// MARK: - Binary

/// The flags of a delivery. Their sum is the first byte after the message's kind.
private enum DeliveryFlag {
  static let more: UInt8 = 1
  static let reset: UInt8 = 2
  static let all: UInt8 = 3
}

extension BinaryEncoding {
  static func write(_ delivery: Delivery, to writer: inout ByteWriter) {
    writer.append((delivery.more ? DeliveryFlag.more : 0) | (delivery.reset ? DeliveryFlag.reset : 0))
    writer.append(delivery.cursor)
    switch delivery.content {
    case .operations(let operations): BinaryOperations.write(operations, to: &writer)
    case .state(let part): StateColumnsWriter.write(part, to: &writer)
    }
  }

  static func readDelivery(from reader: inout ByteReader) throws(BinaryFailure) -> Delivery {
    let (cursor, flags) = try readDeliveryHead(from: &reader)
    return Delivery(
      cursor: cursor,
      content: .operations(try readStamped(from: &reader)),
      more: flags & DeliveryFlag.more != 0,
      reset: flags & DeliveryFlag.reset != 0
    )
  }

  static func readStateDelivery(from reader: inout ByteReader) throws(BinaryFailure) -> Delivery {
    let (cursor, flags) = try readDeliveryHead(from: &reader)
    let columns = try StateColumnsReader.read(reader)
    reader = columns.rest
    return Delivery(
      cursor: cursor,
      content: .state(columns.part),
      more: flags & DeliveryFlag.more != 0,
      reset: flags & DeliveryFlag.reset != 0
    )
  }

  private static func readDeliveryHead(
    from reader: inout ByteReader
  ) throws(BinaryFailure) -> (cursor: Cursor, flags: UInt8) {
    let flags = try reader.byte()
    guard flags & ~DeliveryFlag.all == 0 else { throw .field("a flag of ops that there is not") }
    return (try reader.cursor(), flags)
  }

  private static func readStamped(from reader: inout ByteReader) throws(BinaryFailure) -> [Operation] {
    var list = try BinaryOperationReader(reader)
    var operations: [Operation] = []
    operations.reserveCapacity(list.count)
    while let operation = try list.nextStamped() { operations.append(operation) }
    reader = list.reader
    return operations
  }
}
