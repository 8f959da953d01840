/// The rejection of a message. No part of the message is applied.
public struct Rejection: Hashable, Sendable, Error {
  public var id: MessageIdentifier?
  /// The index of the rejected operation. `nil` if the whole message was rejected.
  public var operation: Int?
  public var code: RejectCode
  /// The reason, as text for people.
  public var message: Text

  public init(id: MessageIdentifier? = nil, operation: Int? = nil, code: RejectCode, message: Text) {
    self.id = id
    self.operation = operation
    self.code = code
    self.message = message
  }
}

public enum RejectCode: UInt8, CaseIterable, Hashable, Sendable, WireNamed {
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
  /// The client's address or token has written more than a day's quota.
  case quotaExceeded
  /// The server's disk is nearly full, so it accepts only deletions.
  case storageLow

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
    case .quotaExceeded: "quota_exceeded"
    case .storageLow: "storage_low"
    }
  }

  /// Whether the server might accept the same operations later.
  public var isPassing: Bool { self == .rateLimited || self == .unavailable || self == .storageLow }
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ rejection: Rejection, to writer: inout JSONWriter) {
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

  static func readRejection(from reader: inout JSONReader) throws(MessageError) -> Rejection {
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

// MARK: - Binary

extension BinaryEncoding {
  static func write(_ rejection: Rejection, to writer: inout ByteWriter) {
    write(rejection.id, to: &writer)
    writer.appendVarint(rejection.operation.map { UInt64($0) + 1 } ?? 0)
    writer.append(rejection.code.rawValue)
    writer.appendCounted(rejection.message)
  }

  static func readRejection(from reader: inout ByteReader) throws(BinaryFailure) -> Rejection {
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
}
