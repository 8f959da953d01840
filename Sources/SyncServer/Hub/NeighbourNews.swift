import CanvasCRDT
import RoomLog

/// A part of what a node tells all other nodes of the people who are connected to it.
struct NeighbourNews: Sendable {
  enum Row: Hashable, Sendable {
    /// Everyone at the node follows, up to `allTold`.
    case allFollow
    case allTold
    case here(PersonPlace, Person)
    case gone(PersonPlace)
    /// The node at which this person is, is to remove it.
    case remove(PersonPlace)
  }

  /// The number of the node's run.
  let node: UInt64
  /// Counts the parts that the node has told.
  let number: UInt64
  /// Whether the others are to tell of all their people.
  let asks: Bool
  private(set) var rows: [Row] = []

  private static let version: UInt8 = 1

  /// In parts that a log takes; at least one.
  static func parts(of rows: [Row], from node: UInt64, after number: UInt64, asks: Bool) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    func head() -> [UInt8] {
      var writer = ByteWriter(capacity: 64)
      writer.append(version)
      writer.appendLittleEndian(node)
      writer.appendLittleEndian(number + UInt64(parts.count) + 1)
      writer.append(UInt8(asks && parts.isEmpty ? 1 : 0))
      return writer.finish()
    }
    var part = head()
    for row in rows {
      let bytes = encoded(row)
      if part.count + bytes.count > LogRequest.toldBytesMax {
        parts.append(part)
        part = head()
      }
      part += bytes
    }
    return parts + [part]
  }

  private enum Kind: UInt8 {
    case allFollow, allTold, here, gone, remove
  }

  private static func encoded(_ row: Row) -> [UInt8] {
    var writer = ByteWriter(capacity: 128)
    func append(_ kind: Kind, _ place: PersonPlace) {
      writer.append(kind.rawValue)
      writer.append(counted: place.room)
      writer.appendVarint(place.actor.packed)
    }
    switch row {
    case .allFollow: writer.append(Kind.allFollow.rawValue)
    case .allTold: writer.append(Kind.allTold.rawValue)
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
    return writer.finish()
  }

  /// `nil` if another version wrote it.
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
    guard try reader.readByte() == NeighbourNews.version else { throw Unreadable() }
    node = try reader.readLittleEndian()
    number = try reader.readLittleEndian()
    asks = try reader.readByte() == 1
    while !reader.isAtEnd { rows.append(try NeighbourNews.row(&reader)) }
  }

  private static func row(_ reader: inout ByteReader) throws -> Row {
    guard let kind = Kind(rawValue: try reader.readByte()) else { throw Unreadable() }
    switch kind {
    case .allFollow: return .allFollow
    case .allTold: return .allTold
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
