import CanvasCRDT

/// What a client may do, and in which rooms.
struct Grant: Hashable, Sendable {
  /// Each level includes the rights of the levels before it.
  enum Level: Int, Comparable, Sendable {
    /// Only reading.
    case viewer
    case editor
    /// May do everything that editors may, and also delete rooms and read the metrics.
    case `operator`

    init?(_ word: some StringProtocol) {
      switch word {
      case "viewer": self = .viewer
      case "editor": self = .editor
      case "operator": self = .operator
      default: return nil
      }
    }

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  var level: Level
  var rooms: [RoomPattern]
  /// The name by which log lines refer to the token. They never show the token itself.
  var label: String?
  /// The account that pays for what the token's bearer stores. Two bearers can have the same label, but never the same
  /// account.
  var account: Payer.Account?
  /// When the grant expires, in Unix milliseconds. `nil` if it never does.
  var endsAt: UInt64?
  /// The name of the token's bearer. Others see it instead of the name that the client sends.
  var name: String?
  /// The actor of everybody who joins with this token. `nil` if the token names no actor.
  var actor: Identifier?

  /// The grant of every client if the server asks for no tokens.
  static let everything = Grant(level: .operator, rooms: [.all])

  func covers(_ room: String) -> Bool { rooms.contains { $0.matches(room) } }

  /// How a change of a token's grant affects a connection in a room.
  enum Change {
    case none
    /// The token is no longer valid.
    case ended
    /// The token is still valid, but no longer for this room.
    case elsewhere
    case otherLevel
  }

  /// Compares levels, because comparing roles is not enough. Operators and editors have the same role, but only
  /// operators may write to a locked room.
  func change(to now: Grant?, in room: String) -> Change {
    guard let now else { return .ended }
    guard now.covers(room) else { return .elsewhere }
    return now.level == level ? .none : .otherLevel
  }

  /// The role that `welcome` sends to a client with this grant.
  var role: Role { level >= .editor ? .editor : .viewer }
}

/// Rooms by their name, or by how the name begins: `demo`, `team-*`, `*`.
enum RoomPattern: Hashable, Sendable {
  case name(String)
  case prefix(String)

  static let all = RoomPattern.prefix("")

  init?(_ text: some StringProtocol) {
    if text == "*" {
      self = .all
    } else if text.hasSuffix("*") {
      let prefix = String(text.dropLast())
      guard RoomName.canBegin(with: prefix) else { return nil }
      self = .prefix(prefix)
    } else {
      guard RoomName.isValid(String(text)) else { return nil }
      self = .name(String(text))
    }
  }

  func matches(_ room: String) -> Bool {
    switch self {
    case .name(let name): room == name
    case .prefix(let prefix): room.utf8.starts(with: prefix.utf8)
    }
  }
}
