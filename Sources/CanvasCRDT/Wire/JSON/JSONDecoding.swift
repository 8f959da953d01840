extension JSONEncoding {
  /// Decodes a client's message. One of more than `operationsMax` operations is refused.
  public static func decodeClientMessage(
    _ bytes: UnsafeRawBufferPointer,
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    var reader = try readerOfObject(bytes)
    switch try type(of: reader) {
    case "hello":
      do throws(MessageError) { return .hello(try readHello(from: &reader)) } catch {
        guard case .badField(let words) = error else { throw error }
        throw .badHello(words)
      }
    case "ops": return .operations(try readSubmission(from: &reader, operationsMax: operationsMax))
    case "presence":
      var state: JSONText?
      try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
        switch key {
        case "state": state = try reader.object().orField("state must be an object, and not nested too deep")
        default: reader.passOver()
        }
      }
      return .presence(try state.orField("presence must have a state"))
    case "ping": return .ping(try readIdentifierAlone(from: &reader))
    case "digest": return .digest
    default: throw .unknownType("a client sends no message of this type")
    }
  }

  /// Decodes the body `{"ops":[…]}` of an HTTP request. It needs no `type`, and its `id` is read as in a message.
  public static func decodeSubmission(
    _ bytes: UnsafeRawBufferPointer,
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> Submission {
    var reader = try readerOfObject(bytes)
    return try readSubmission(from: &reader, operationsMax: operationsMax)
  }

  public static func decodeClientMessage(
    _ bytes: [UInt8],
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in
      try decodeClientMessage(bytes, operationsMax: operationsMax)
    }
  }

  public static func decodeSubmission(
    _ bytes: [UInt8],
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> Submission {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in
      try decodeSubmission(bytes, operationsMax: operationsMax)
    }
  }
}

// MARK: - Every message

extension JSONEncoding {
  /// Checks that the text is JSON and one object.
  static func readerOfObject(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> JSONReader {
    do throws(JSONFailure) {
      let reader = try JSONReader(validating: bytes)
      guard reader.kind == .object else { throw JSONFailure(.unexpectedKind, at: reader.offset) }
      return reader
    } catch {
      switch error.reason {
      case .unexpectedKind: throw .malformed("a message must be an object")
      default: throw .malformed(Text("not valid JSON: ").appending(error.message))
      }
    }
  }

  /// The message's type, wherever it stands. Most often it comes first, and then nothing else is read.
  static func type(of object: JSONReader) throws(MessageError) -> JSONString {
    var reader = object
    guard reader.entersObject() else { throw .malformed("a message must be an object") }
    while let key = reader.memberKey() {
      guard case "type" = key else {
        reader.passOver()
        continue
      }
      guard let type = reader.string() else { throw .unknownType("type must be text") }
      return type
    }
    throw .unknownType("a message must have a type")
  }

  /// Calls `body` for each member of the object that `reader` is at; `body` reads the value or skips it. A member whose
  /// value is `null` counts as left out, since many libraries write absent values that way.
  @inline(__always)
  static func forEachMember(
    of reader: inout JSONReader,
    _ body: (JSONString, inout JSONReader) throws(MessageError) -> Void
  ) throws(MessageError) {
    guard reader.entersObject() else { throw .badField("an object was expected") }
    while let key = reader.memberKey() {
      if reader.kind == .null { reader.passOver() } else { try body(key, &reader) }
    }
  }

  /// Calls `body` for each element of the list that `reader` is at.
  @inline(__always)
  static func forEachElement(
    of reader: inout JSONReader,
    _ body: (inout JSONReader) throws(MessageError) -> Void
  ) throws(MessageError) {
    guard reader.entersArray() else { throw .badField("a list was expected") }
    while reader.hasElement() { try body(&reader) }
  }

  /// Reads the identifier of a `ping`, or nil where it has none.
  private static func readIdentifierAlone(from reader: inout JSONReader) throws(MessageError) -> MessageIdentifier? {
    var id: MessageIdentifier?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      default: reader.passOver()
      }
    }
    return id
  }
}

extension JSONReader {
  mutating func messageIdentifier() -> MessageIdentifier? { json().flatMap { MessageIdentifier(json: $0) } }
}

extension Optional {
  /// The value, or an error that names the wrong field.
  func orField(_ words: StaticString) throws(MessageError) -> Wrapped {
    guard let value = self else { throw .badField(Text(words)) }
    return value
  }
}

// MARK: - From the client

extension JSONEncoding {
  private static func readHello(from reader: inout JSONReader) throws(MessageError) -> Hello {
    var hello = Hello()
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "name":
        let name = reader.text().flatMap { PropertyRules.allowsName($0) ? $0 : nil }
        guard let name else { throw .badField(PropertyProblem(.name).message) }
        hello.name = name
      case "color": hello.color = try reader.color().orField("color must be a colour as #RRGGBB")
      case "actor": hello.actor = try reader.identifier().orField("actor must be an identifier such as k3j-9x2-m1p")
      case "since": hello.since = Cursor(try reader.text().orField("since must be the text of a cursor"))
      case "overlaps": hello.overlaps = try reader.boolean().orField("overlaps must be true or false")
      case "readonly": hello.readonly = try reader.boolean().orField("readonly must be true or false")
      default: reader.passOver()
      }
    }
    return hello
  }

  /// Reads in one pass. If operations are refused before the message's `id` was read, the pass goes on to find it.
  private static func readSubmission(
    from reader: inout JSONReader,
    operationsMax: UInt64
  ) throws(MessageError) -> Submission {
    var submission = Submission(id: nil, operations: [])
    var refusal: MessageError? = .refused(.badMessage, "a message of this type must have a list of operations, ops")
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id":
        guard let id = reader.messageIdentifier() else {
          throw .refused(.badMessage, "id must be a number or text")
        }
        submission.id = id
      case "ops":
        let list = reader
        do throws(MessageError) {
          submission.operations = try readProposed(from: &reader, operationsMax: operationsMax)
          refusal = nil
        } catch {
          refusal = error
          reader = list
          reader.passOver()
        }
      default: reader.passOver()
      }
    }
    if let refusal { throw refusal.naming(submission.id) }
    return submission
  }

  private static func readProposed(
    from reader: inout JSONReader,
    operationsMax: UInt64
  ) throws(MessageError) -> [ProposedOperation] {
    var list = try JSONOperationReader(reader)
    var operations: [ProposedOperation] = []
    while let operation = try list.next() {
      guard UInt64(operations.count) < operationsMax else { throw .refused(.tooManyOperations, "too many operations") }
      operations.append(operation)
    }
    guard !operations.isEmpty else { throw .refused(.badMessage, "a message of no operations") }
    reader = list.reader
    return operations
  }
}
