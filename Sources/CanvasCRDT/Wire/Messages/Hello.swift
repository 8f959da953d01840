/// A client's first message.
public struct Hello: Hashable, Sendable {
  public var name: Text?
  public var color: Color?
  /// The actor of the client's previous connection, if the client wants to keep it.
  public var actor: Identifier?
  /// The key that the server sent with the actor. Empty if the client has none and asks for one. `nil` if the client is
  /// too old to know keys.
  public var key: Text?
  /// The position in the log where the client wants to continue. The server sends only what is newer.
  public var since: Cursor?
  public var overlaps = false
  public var readonly = false
  /// Whether the client wants `crowd` messages. They say how many people are in a room, if not all of them are sent as
  /// peers.
  public var crowd = false
  /// The number of the client's vocabulary, from 1: which properties and kinds it knows. A newer client can send a
  /// number that this program doesn't know.
  public var vocabularyNumber: UInt8 = 1

  public init() {}

  /// An upper bound on a key's bytes. No server makes a longer key.
  public static let keyBytesMax = 128
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ hello: Hello, to writer: inout JSONWriter) {
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
    if let key = hello.key {
      writer.key("key")
      writer.value(text: key)
    }
    if let since = hello.since {
      writer.key("since")
      writer.value(text: since.text)
    }
    writer.key("overlaps")
    writer.value(hello.overlaps)
    writer.key("readonly")
    writer.value(hello.readonly)
    if hello.crowd {
      writer.key("crowd")
      writer.value(true)
    }
    if hello.vocabularyNumber > 1 {
      writer.key("vocabulary")
      writer.value(Int(hello.vocabularyNumber))
    }
  }

  static func readHello(from reader: inout JSONReader) throws(MessageError) -> Hello {
    do throws(MessageError) { return try readHelloMembers(from: &reader) } catch {
      guard case .badField(let words) = error else { throw error }
      throw .badHello(words)
    }
  }

  private static func readHelloMembers(from reader: inout JSONReader) throws(MessageError) -> Hello {
    var hello = Hello()
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "name":
        let name = reader.text().flatMap { PropertyRules.allowsName($0) ? $0 : nil }
        guard let name else { throw .badField(PropertyProblem(.name).message) }
        hello.name = name
      case "color": hello.color = try reader.color().orField("color must be a colour as #RRGGBB")
      case "actor": hello.actor = try reader.identifier().orField("actor must be an identifier such as k3j-9x2-m1p")
      case "key":
        let key = reader.text().flatMap { $0.utf8Count <= Hello.keyBytesMax ? $0 : nil }
        hello.key = try key.orField("key must be text of at most 128 bytes")
      case "since": hello.since = Cursor(try reader.text().orField("since must be the text of a cursor"))
      case "overlaps": hello.overlaps = try reader.boolean().orField("overlaps must be true or false")
      case "readonly": hello.readonly = try reader.boolean().orField("readonly must be true or false")
      case "crowd": hello.crowd = try reader.boolean().orField("crowd must be true or false")
      case "vocabulary":
        let number = reader.number().flatMap { UInt8(exactly: $0) }
        guard let number, number > 0 else { throw .badField("vocabulary must be a whole number from 1 to 255") }
        hello.vocabularyNumber = number
      default: reader.passOver()
      }
    }
    return hello
  }
}

// MARK: - Binary

extension BinaryEncoding {
  /// The flags of a hello. Their sum is its first field. The page's JavaScript writes hellos too, with the same values.
  public enum HelloFlag: UInt8, CaseIterable {
    case name = 1
    case color = 2
    case actor = 4
    case since = 8
    case overlaps = 16
    case readonly = 32
    case key = 64
    case crowd = 128

    static func isSet(_ flag: HelloFlag, in flags: UInt8) -> Bool { flags & flag.rawValue != 0 }
  }

  /// The first byte of an earlier form of hello. It is still read, because the form was described in docs/PROTOCOL.md.
  static let earlierHello: UInt8 = 0x11

  /// Decodes a client's message that must be a hello.
  public static func decodeHello(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> Hello {
    var reader = ByteReader(bytes)
    do throws(BinaryFailure) {
      guard try reader.byte() == ClientMessageKind.hello.rawValue else { throw .hello("no hello") }
      let hello = try readHello(from: &reader)
      guard reader.isAtEnd else { throw .malformed("bytes behind the message") }
      return hello
    } catch {
      throw error.error()
    }
  }

  static func write(_ hello: Hello, to writer: inout ByteWriter) {
    var flags: UInt8 = 0
    if hello.name != nil { flags |= HelloFlag.name.rawValue }
    if hello.color != nil { flags |= HelloFlag.color.rawValue }
    if hello.actor != nil { flags |= HelloFlag.actor.rawValue }
    if hello.since != nil { flags |= HelloFlag.since.rawValue }
    if hello.overlaps { flags |= HelloFlag.overlaps.rawValue }
    if hello.readonly { flags |= HelloFlag.readonly.rawValue }
    if hello.key != nil { flags |= HelloFlag.key.rawValue }
    if hello.crowd { flags |= HelloFlag.crowd.rawValue }
    writer.append(flags)
    if let name = hello.name { writer.appendCounted(name) }
    if let color = hello.color { writer.append(color) }
    if let actor = hello.actor { writer.append(actor) }
    if let since = hello.since { writer.append(since) }
    if let key = hello.key { writer.appendCounted(key) }
    if hello.vocabularyNumber > 1 { writer.append(hello.vocabularyNumber) }
  }

  /// - Parameter isEarlier: whether it has the earlier form. The flags are then a varint in which 256 is set too, and
  ///   there has to be a vocabulary.
  static func readHello(isEarlier: Bool = false, from reader: inout ByteReader) throws(BinaryFailure) -> Hello {
    let sum = isEarlier ? try reader.varint() ^ 256 : UInt64(try reader.byte())
    guard let flags = UInt8(exactly: sum) else { throw .hello("a flag of hello that there is not") }
    var hello = Hello()
    if HelloFlag.isSet(.name, in: flags) {
      let name = try reader.countedText()
      guard PropertyRules.allowsName(name) else {
        throw .hello("name must be text of 1 to 128 bytes without control characters or invisible ones")
      }
      hello.name = name
    }
    if HelloFlag.isSet(.color, in: flags) { hello.color = try reader.color() }
    if HelloFlag.isSet(.actor, in: flags) {
      guard let actor = Identifier(packed: try reader.packed48()) else { throw .hello("actor must be an identifier") }
      hello.actor = actor
    }
    if HelloFlag.isSet(.since, in: flags) { hello.since = try reader.cursor() }
    hello.overlaps = HelloFlag.isSet(.overlaps, in: flags)
    hello.readonly = HelloFlag.isSet(.readonly, in: flags)
    hello.crowd = HelloFlag.isSet(.crowd, in: flags)
    if HelloFlag.isSet(.key, in: flags) {
      guard !reader.isAtEnd else { throw .hello("the key is missing") }
      let key = try reader.countedText()
      guard key.utf8Count <= Hello.keyBytesMax else { throw .hello("key must be text of at most 128 bytes") }
      hello.key = key
    }
    if isEarlier || !reader.isAtEnd {
      hello.vocabularyNumber = try reader.byte()
      guard hello.vocabularyNumber > 1 else { throw .hello("vocabulary must be from 2 to 255") }
    }
    return hello
  }
}
