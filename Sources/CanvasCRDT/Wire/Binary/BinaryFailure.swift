/// Why bytes are not in the binary form. Indirect, so that the reader's functions return one reference and not six
/// words. Only a failure allocates.
indirect enum BinaryFailure: Error, Hashable, Sendable {
  case truncated
  /// Bytes that are not as they have to be.
  case malformed(StaticWords)
  case unknownKind(UInt8)
  /// A wrong field: of hello, or (`field`) of another message that has no operations.
  case hello(StaticWords)
  case field(StaticWords)
  /// Operations as a whole.
  case refused(RejectCode, StaticWords)
  case value(operation: Int, PropertyProblem)
  case reference(operation: Int, RejectCode, StaticWords)

  /// Words that cost nothing until somebody reads them.
  struct StaticWords: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: StaticString

    init(stringLiteral value: StaticString) { text = value }

    static func == (left: StaticWords, right: StaticWords) -> Bool { Text(left.text) == Text(right.text) }
    func hash(into hasher: inout Hasher) { hasher.combine(Text(text)) }
  }

  /// The error to send back, with the identifier that the sender gave the message.
  func error(id: MessageIdentifier? = nil) -> MessageError {
    switch self {
    case .truncated: .malformed("the message ends before it is whole")
    case .malformed(let words): .malformed(Text(words.text))
    case .unknownKind: .unknownType("a message of a kind that there is not")
    case .hello(let words): .badHello(Text(words.text))
    case .field(let words): .badField(Text(words.text))
    case .refused(let code, let words): .rejected(Rejection(id: id, code: code, message: Text(words.text)))
    case .value(let operation, let problem):
      .rejected(Rejection(id: id, operation: operation, code: .badValue, message: problem.message))
    case .reference(let operation, let code, let words):
      .rejected(Rejection(id: id, operation: operation, code: code, message: Text(words.text)))
    }
  }
}

// MARK: - What every part of the binary form reads

extension ByteReader {
  @inline(__always)
  mutating func varint() throws(BinaryFailure) -> UInt64 {
    do { return try readVarint() } catch {
      switch error {
      case .truncated: throw .truncated
      case .malformedVarint: throw .malformed("a varint that is longer than it has to be")
      }
    }
  }

  @inline(__always)
  mutating func byte() throws(BinaryFailure) -> UInt8 {
    do { return try readByte() } catch { throw .truncated }
  }

  mutating func littleEndian64() throws(BinaryFailure) -> UInt64 {
    do { return try readLittleEndian() } catch { throw .truncated }
  }

  mutating func slice(_ count: Int) throws(BinaryFailure) -> UnsafeRawBufferPointer {
    do { return try readBytes(count) } catch { throw .truncated }
  }

  mutating func countedBytes() throws(BinaryFailure) -> UnsafeRawBufferPointer {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw .truncated }
    return try slice(Int(count))
  }

  mutating func countedText() throws(BinaryFailure) -> Text {
    guard let text = Text(utf8: try countedBytes()) else { throw .malformed("text that is not UTF-8") }
    return text
  }

  /// Six bytes, highest first.
  @inline(__always)
  mutating func identifier() throws(BinaryFailure) -> Identifier {
    guard let identifier = Identifier(packed: try packed48()) else {
      throw .malformed("an identifier past zzz-zzz-zzz")
    }
    return identifier
  }

  @inline(__always)
  mutating func packed48() throws(BinaryFailure) -> UInt64 {
    let bytes = try slice(6)
    let high = UInt64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    return high << 16 | UInt64(bytes[4]) << 8 | UInt64(bytes[5])
  }

  /// Eight bytes of milliseconds and counter, highest first, and the actor.
  mutating func stamp() throws(BinaryFailure) -> Stamp {
    let bytes = try slice(8)
    return Stamp(time: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)), actor: try identifier())
  }

  /// How many of something follow, each of which takes `bytesEach` or more. A count that the rest of the bytes can't
  /// hold is refused before anything is allocated for it.
  mutating func count(bytesEach: Int) throws(BinaryFailure) -> Int {
    let count = try varint()
    guard count <= UInt64(remaining / bytesEach) else { throw .truncated }
    return Int(count)
  }
}

extension ByteWriter {
  mutating func append(_ identifier: Identifier) {
    append(upTo: 8) { room in
      // Writes two bytes more than it keeps: one store instead of six.
      room.storeBytes(of: (identifier.packed << 16).bigEndian, as: UInt64.self)
      return 6
    }
  }

  mutating func append(_ stamp: Stamp) {
    appendBigEndian(stamp.time)
    append(stamp.actor)
  }

  mutating func appendCounted(_ text: Text) {
    appendVarint(UInt64(text.utf8Count))
    append(text)
  }

  mutating func appendCounted(_ bytes: [UInt8]) {
    appendVarint(UInt64(bytes.count))
    append(bytes)
  }
}
