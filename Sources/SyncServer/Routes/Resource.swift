/// All resources under `/v1`: their paths, who may use which method, and the parameters of their queries. This one list
/// decides how requests are routed and refused. docs/SECURITY.md says what each may cost.
enum Resource: String, CaseIterable, Sendable {
  case rooms = "/v1/rooms"
  case room = "/v1/rooms/{room}"
  case history = "/v1/rooms/{room}/history"
  case overlaps = "/v1/rooms/{room}/overlaps"
  case free = "/v1/rooms/{room}/free"
  case picture = "/v1/rooms/{room}/picture.svg"
  case operations = "/v1/rooms/{room}/ops"
  case layout = "/v1/rooms/{room}/layout"
  case sync = "/v1/rooms/{room}/sync"
  case peers = "/v1/rooms/{room}/peers"
  case peer = "/v1/rooms/{room}/peers/{actor}"
  case lock = "/v1/rooms/{room}/lock"
  case erasures = "/v1/rooms/{room}/erasures"
  case writing = "/v1/rooms/{room}/writing/{actor}"

  /// - Parameter parts: the parts of the path after `/v1`.
  init?(_ parts: [String]) {
    guard parts.first == "rooms" else { return nil }
    switch parts.count {
    case 1: self = .rooms
    case 2: self = .room
    case 3:
      guard let leaf = Resource.leaves[parts[2]] else { return nil }
      self = leaf
    case 4 where parts[2] == "peers": self = .peer
    case 4 where parts[2] == "writing": self = .writing
    default: return nil
    }
  }

  private static let leaves: [String: Resource] = Dictionary(
    uniqueKeysWithValues: allCases.compactMap { resource in
      let parts = resource.rawValue.split(separator: "/")
      return parts.count == 4 ? (String(parts[3]), resource) : nil
    }
  )

  /// The methods, in the order in which `Allow` lists them. `GET` of `sync` is for WebSockets.
  var methods: [String] {
    switch self {
    case .rooms, .history, .overlaps, .free, .picture, .peers: ["GET", "HEAD"]
    case .room, .erasures: ["GET", "HEAD", "DELETE"]
    case .operations, .layout: ["POST"]
    case .sync: ["GET"]
    case .peer, .writing: ["DELETE"]
    case .lock: ["PUT", "DELETE"]
    }
  }

  /// The level of access that a method needs. Methods that the resource doesn't have also get a level here, and are
  /// refused later.
  func level(for method: String) -> Grant.Level {
    switch self {
    case .peers, .peer, .lock, .erasures, .writing: .operator
    case .room where method == "DELETE": .operator
    case .operations where method == "POST", .layout where method == "POST": .editor
    default: .viewer
    }
  }

  /// A request costs this many operations, in addition to those that it writes. An operator's change costs more than a
  /// write, because it takes a commit of its own.
  func price(of method: String) -> Int {
    level(for: method) == .operator && method != "GET" && method != "HEAD" ? 8 : 0
  }

  /// Whether the method is refused in a locked room.
  func writes(by method: String) -> Bool { (self == .operations || self == .layout) && method == "POST" }

  /// The allowed parameters, besides `token`. Any other is refused: it is probably mistyped, and would have no effect.
  var parameters: Set<String> {
    switch self {
    case .room: ["at", "stamps"]
    case .history: ["at", "steps"]
    case .overlaps: ["at", "box"]
    case .free: ["size", "near"]
    case .picture: ["at"]
    case .erasures: ["before"]
    case .rooms, .operations, .layout, .sync, .peers, .peer, .lock, .writing: []
    }
  }
}
