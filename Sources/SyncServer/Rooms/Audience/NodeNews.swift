import CanvasCRDT

/// A message to the other nodes that have the room open, about the people who are connected to this node.
struct NodeNews: Sendable {
  /// Whether the other nodes should send all their people.
  var asks = false
  /// Whether `joined` names everyone at the node. If so, people who are not in it have left the node.
  var isWhole = false
  var left: [Identifier] = []
  var joined: [Person] = []
  var states: [PeerState] = []
  /// The log position up to which the node has the room, and the digest of the room at that position.
  var standing: Standing?

  /// Somebody who is connected to the node.
  struct Person: Sendable {
    var peer: Peer
    let role: Role
    let arrival: UInt64

    func claim(at node: UInt64) -> Claim { Claim(role: role, arrival: arrival, node: node) }
  }

  struct Standing: Hashable, Sendable {
    let cursor: Cursor
    let digest: UInt64
  }

  init(asks: Bool = false, isWhole: Bool = false) {
    self.asks = asks
    self.isWhole = isWhole
  }

  func encoded() -> [UInt8] {
    var bytes = [(asks ? Flags.asks : 0) | (isWhole ? Flags.isWhole : 0)]
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    func add(_ message: ServerMessage) {
      let encoded = BinaryEncoding.encode(message)
      add(UInt32(encoded.count))
      bytes += encoded
    }
    for actor in left { add(.leave(actor)) }
    for person in joined {
      add(.join(person.peer))
      add(person.role.rawValue)
      add(person.arrival)
    }
    for state in states { add(.presence([state])) }
    if let standing { add(.digest(cursor: standing.cursor, hash: standing.digest)) }
    return bytes
  }

  private enum Flags {
    static let asks: UInt8 = 1
    static let isWhole: UInt8 = 2
  }

  /// - Returns: `nil` if another version of the server wrote the bytes.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { buffer -> NodeNews? in
      var reader = ByteReader(buffer)
      guard let flags = try? reader.readByte(), flags <= Flags.asks | Flags.isWhole else { return nil }
      var news = NodeNews(asks: flags & Flags.asks != 0, isWhole: flags & Flags.isWhole != 0)
      while !reader.isAtEnd {
        guard let count = try? reader.readLittleEndian(as: UInt32.self), let bytes = try? reader.readBytes(Int(count)),
          let message = try? BinaryEncoding.decodeServerMessage(Array(bytes))
        else { return nil }
        switch message {
        case .leave(let actor): news.left.append(actor)
        case .join(let peer):
          guard let role = (try? reader.readByte()).flatMap(Role.init(rawValue:)),
            let arrival = try? reader.readLittleEndian(as: UInt64.self)
          else { return nil }
          news.joined.append(Person(peer: peer, role: role, arrival: arrival))
        case .presence(let states): news.states += states
        case .digest(let cursor, let hash): news.standing = Standing(cursor: cursor, digest: hash)
        default: return nil
        }
      }
      return news
    }
    guard let read else { return nil }
    self = read
  }
}
