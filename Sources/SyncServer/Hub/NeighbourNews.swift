import CanvasCRDT

/// A message from a node to all other nodes, about the people connected to it.
struct NeighbourNews: Sendable {
  enum Row: Hashable, Sendable {
    case here(PersonPlace, Person)
    case gone(PersonPlace)
    /// A request to the node of this person's connection. That node has to close the connection.
    case remove(PersonPlace)
  }

  /// Whether the other nodes should send the list of all people who are connected to them.
  var asks = false
  /// Whether the message lists everyone at the node. If so, people who are not listed have left the node.
  var isWhole = false
  var rows: [Row] = []

  init() {}

  private enum Flags {
    static let asks: UInt8 = 1
    static let isWhole: UInt8 = 2
  }

  private enum Kind: UInt8 {
    case here, gone, remove
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 64 + 128 * rows.count)
    writer.append((asks ? Flags.asks : 0) | (isWhole ? Flags.isWhole : 0))
    for row in rows { NeighbourNews.append(row, to: &writer) }
    return writer.finish()
  }

  private static func append(_ row: Row, to writer: inout ByteWriter) {
    func append(_ kind: Kind, _ place: PersonPlace) {
      writer.append(kind.rawValue)
      writer.append(counted: place.room)
      writer.appendVarint(place.actor.packed)
    }
    switch row {
    case .gone(let place): append(.gone, place)
    case .remove(let place): append(.remove, place)
    case .here(let place, let person):
      append(.here, place)
      writer.append(counted: person.name.string)
      writer.appendVarint(UInt64(person.color.packed))
      writer.append(person.role.rawValue)
      writer.append(person.token == nil ? 0 : 1)
      writer.append(counted: person.token ?? "")
      writer.append(counted: person.address)
    }
  }

  /// - Returns: `nil` if a server of another version wrote the bytes.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { bytes -> NeighbourNews? in
      var reader = ByteReader(bytes)
      return try? NeighbourNews(&reader)
    }
    guard let read else { return nil }
    self = read
  }

  private struct Unreadable: Error {}

  private init(_ reader: inout ByteReader) throws {
    let flags = try reader.readByte()
    guard flags <= Flags.asks | Flags.isWhole else { throw Unreadable() }
    asks = flags & Flags.asks != 0
    isWhole = flags & Flags.isWhole != 0
    while !reader.isAtEnd { rows.append(try NeighbourNews.row(&reader)) }
  }

  private static func row(_ reader: inout ByteReader) throws -> Row {
    guard let kind = Kind(rawValue: try reader.readByte()) else { throw Unreadable() }
    switch kind {
    case .gone: return .gone(try place(&reader))
    case .remove: return .remove(try place(&reader))
    case .here:
      let place = try place(&reader)
      let name = try reader.readText()
      let color = Color(packed: UInt32(clamping: try reader.readVarint()))
      guard let role = Role(rawValue: try reader.readByte()) else { throw Unreadable() }
      let hasToken = try reader.readByte() == 1
      let token = try reader.readText()
      return .here(
        place,
        Person(
          actor: place.actor,
          name: Text(name),
          color: color,
          role: role,
          token: hasToken ? token : nil,
          address: try reader.readText()
        )
      )
    }
  }

  private static func place(_ reader: inout ByteReader) throws -> PersonPlace {
    let room = try reader.readText()
    guard let actor = Identifier(packed: try reader.readVarint()) else { throw Unreadable() }
    return PersonPlace(room, actor)
  }
}

extension ByteWriter {
  fileprivate mutating func append(counted text: String) {
    appendVarint(UInt64(text.utf8.count))
    append(Array(text.utf8))
  }
}

extension ByteReader {
  fileprivate mutating func readText() throws(Failure) -> String {
    String(decoding: try readCountedBytes(), as: UTF8.self)
  }
}
