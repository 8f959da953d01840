import CanvasCRDT

/// What a node tells the other nodes that have a room open, of the people who are connected to it.
struct NodeNews: Sendable {
  /// The number of the node's run.
  var node: UInt64
  /// Counts the parts that the node has told, so that others see when they have missed one.
  var number: UInt64 = 0
  /// Whether it is what follows the part before.
  private(set) var continues = false
  /// Whether another part follows.
  private(set) var goesOn = false
  /// Whether the others are to tell of their people.
  var asks = false
  /// Whether `joined` are all, so that whoever else was known of that node has left.
  var isWhole = false
  var left: [Identifier] = []
  var joined: [Peer] = []
  var states: [PeerState] = []
  /// Where the node is in the room's log, and what that adds up to.
  var standing: Standing?

  struct Standing: Hashable, Sendable {
    let cursor: Cursor
    let digest: UInt64
  }

  /// In parts that a log takes.
  func encoded() -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var part = head(0)
    func add(_ message: ServerMessage) {
      let bytes = BinaryEncoding.encode(message)
      if part.count + 4 + bytes.count > NodeNews.bytesMax {
        part[NodeNews.flagsPlace] |= Flags.goesOn
        parts.append(part)
        part = head(UInt64(parts.count))
      }
      withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { part.append(contentsOf: $0) }
      part += bytes
    }
    for actor in left { add(.leave(actor)) }
    for peer in joined { add(.join(peer)) }
    for state in states { add(.presence([state])) }
    if let standing { add(.digest(cursor: standing.cursor, hash: standing.digest)) }
    return parts + [part]
  }

  private func head(_ part: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in [node, number + part] { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    return bytes + [(asks ? Flags.asks : 0) | (isWhole ? Flags.isWhole : 0) | (part > 0 ? Flags.continues : 0)]
  }

  private enum Flags {
    static let asks: UInt8 = 1
    static let isWhole: UInt8 = 2
    static let goesOn: UInt8 = 4
    static let continues: UInt8 = 8
  }

  private static let flagsPlace = 16

  /// Less than a log takes at once, and more than the longest state.
  private static let bytesMax = 5_400

  /// `nil` if another version wrote it.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { buffer -> NodeNews? in
      var reader = ByteReader(buffer)
      guard let node = try? reader.readLittleEndian(as: UInt64.self),
        let number = try? reader.readLittleEndian(as: UInt64.self), let flags = try? reader.readByte(), flags < 16
      else { return nil }
      var news = NodeNews(node: node, asks: flags & Flags.asks != 0, isWhole: flags & Flags.isWhole != 0)
      news.number = number
      news.goesOn = flags & Flags.goesOn != 0
      news.continues = flags & Flags.continues != 0
      while !reader.isAtEnd {
        guard let count = try? reader.readLittleEndian(as: UInt32.self), let bytes = try? reader.readBytes(Int(count)),
          let message = try? BinaryEncoding.decodeServerMessage(Array(bytes))
        else { return nil }
        switch message {
        case .leave(let actor): news.left.append(actor)
        case .join(let peer): news.joined.append(peer)
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

  /// Takes in the part that follows.
  mutating func append(_ part: NodeNews) {
    left += part.left
    joined += part.joined
    states += part.states
    standing = part.standing ?? standing
  }

  init(node: UInt64, asks: Bool = false, isWhole: Bool = false) {
    self.node = node
    self.asks = asks
    self.isWhole = isWhole
  }
}
