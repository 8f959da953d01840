import CanvasCRDT

// The bytes of messages between nodes.

extension NodeNews {
  private static let version: UInt8 = 1

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 64 + 128 * rooms.count)
    writer.append(NodeNews.version)
    writer.appendLittleEndian(node)
    writer.appendVarint(number)
    writer.append(asks, isWhole)
    writer.append(unwanted) { writer, place in
      writer.append(counted: place.room)
      writer.appendVarint(place.actor.packed)
    }
    writer.append(rooms) { $0.append($1) }
    return writer.finish()
  }

  /// - Returns: `nil` if another version of the server wrote the bytes.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { bytes -> NodeNews? in
      var reader = ByteReader(bytes)
      guard let news = try? NodeNews(&reader), reader.isAtEnd else { return nil }
      return news
    }
    guard let read else { return nil }
    self = read
  }

  private init(_ reader: inout ByteReader) throws {
    guard try reader.readByte() == NodeNews.version else { throw UnreadableNews() }
    node = try reader.readLittleEndian()
    number = try reader.readVarint()
    (asks, isWhole) = try reader.flags()
    unwanted = try reader.list { PersonPlace(room: try $0.text(), actor: try $0.actor()) }
    rooms = try reader.list { try $0.roomNews() }
  }
}

private struct UnreadableNews: Error {}

extension ByteWriter {
  fileprivate mutating func append(_ news: RoomNews) {
    append(counted: news.room)
    append(news.asks, news.isWhole)
    append(news.left) { $0.appendVarint($1.packed) }
    append(news.joined) { $0.append($1) }
    append(news.states) { writer, shown in
      writer.appendVarint(shown.actor.packed)
      writer.append(counted: shown.state.bytes)
    }
    append(news.standing.map { [$0] } ?? []) { writer, standing in
      writer.append(counted: standing.cursor.text.string)
      writer.appendLittleEndian(standing.digest)
    }
  }

  private mutating func append(_ person: Person) {
    appendVarint(person.actor.packed)
    append(counted: person.peer.name.string)
    appendVarint(UInt64(person.peer.color.packed))
    append(person.role.rawValue)
    appendVarint(person.arrival)
    append(person.origin.token.map { [$0] } ?? []) { $0.append(counted: $1) }
    append(counted: person.origin.address)
  }

  fileprivate mutating func append(_ first: Bool, _ second: Bool) { append((first ? 1 : 0) | (second ? 2 : 0)) }

  fileprivate mutating func append(counted text: String) { append(counted: Array(text.utf8)) }

  private mutating func append(counted bytes: [UInt8]) {
    appendVarint(UInt64(bytes.count))
    append(bytes)
  }

  fileprivate mutating func append<Element>(_ list: [Element], _ one: (inout ByteWriter, Element) -> Void) {
    appendVarint(UInt64(list.count))
    for element in list { one(&self, element) }
  }
}

extension ByteReader {
  fileprivate mutating func roomNews() throws -> RoomNews {
    var news = RoomNews(room: try text())
    (news.asks, news.isWhole) = try flags()
    news.left = try list { try $0.actor() }
    news.joined = try list { try $0.person() }
    news.states = try list { reader in
      let actor = try reader.actor()
      let bytes = try reader.readCountedBytes()
      return PeerState(actor: actor, state: try JSONText(validating: bytes, maximumBytes: bytes.count))
    }
    let standings = try list { reader in
      RoomNews.Standing(cursor: Cursor(Text(try reader.text())), digest: try reader.readLittleEndian())
    }
    news.standing = standings.last
    return news
  }

  private mutating func person() throws -> Person {
    let peer = Peer(
      actor: try actor(),
      name: Text(try text()),
      color: Color(packed: UInt32(clamping: try readVarint()))
    )
    guard let role = Role(rawValue: try readByte()) else { throw UnreadableNews() }
    let arrival = try readVarint()
    let token = try list { try $0.text() }.last
    return Person(peer: peer, role: role, arrival: arrival, origin: Person.Origin(token: token, address: try text()))
  }

  fileprivate mutating func actor() throws -> Identifier {
    guard let actor = Identifier(packed: try readVarint()) else { throw UnreadableNews() }
    return actor
  }

  fileprivate mutating func flags() throws -> (Bool, Bool) {
    let flags = try readByte()
    guard flags <= 3 else { throw UnreadableNews() }
    return (flags & 1 != 0, flags & 2 != 0)
  }

  fileprivate mutating func text() throws -> String { String(decoding: try readCountedBytes(), as: UTF8.self) }

  /// Each element has at least a byte, so a count that is too high ends with the bytes.
  fileprivate mutating func list<Element>(_ one: (inout ByteReader) throws -> Element) throws -> [Element] {
    var list: [Element] = []
    for _ in 0..<(try readVarint()) { list.append(try one(&self)) }
    return list
  }
}
