@testable import CanvasCRDT
@testable import SyncServer
@testable import sync_client

/// The client's end of a connection: a tab with its replica and its storage, or a writer without a canvas.
struct Party {
  let name: String
  var replica: Replica?
  var writer: Submitter?
  /// The error of the party's clock, which can change during the history.
  var wallError: Int64

  var line: Int?
  /// The node that the party was last connected to.
  var node: Int?
  var wantsConnection = false
  var connectsAt: UInt64 = 0
  var wakeAt: UInt64?
  /// How many bytes the party reads at a time. It is small for a slow reader.
  var drain: Int
  /// The slow network link from the server to the party, if it has one.
  var link: Link?
  /// The time since which only the slow link delays the party, and no fault does.
  var calmSince: UInt64 = 0
  var stalledUntil: UInt64 = 0

  // The edits in the tab's storage, which lags behind the tab.
  var keptEdits: [UInt8]?
  var keptDrawing: [UInt8]?
  var keepsEditsAt: UInt64?
  var keepsDrawingAt: UInt64?
  /// The edits that are being saved and have not reached the storage yet.
  var keeping: [Keeping] = []
  /// The time of the oldest edit that is not part of any save yet.
  var unsavedSince: UInt64?

  // The results of the replica's digest comparisons.
  var verdicts: [DigestVerdict] = []
  var pairs: Set<ShapePair> = []
  var hasPairs = false
  var shown = JSONText.emptyObject
  /// The shapes on a screen that is updated from the replica's effects alone.
  var screen: [Identifier: Shape] = [:]
  /// How many events the party has taken part in.
  var events = 0

  /// The party's address. All parties behind slow links have the same one.
  var address: String { link == nil ? name : "a thin line" }

  /// The stamps under which the party's undo wrote values.
  var undoStamps: Set<Stamp> = []
  /// The actors that the party used before it returned under a new one.
  var formerActors: Set<Identifier> = []
  var groups: [UInt64: [ProposedOperation]] = [:]
}

/// A save of edits on its way to the tab's storage.
struct Keeping {
  let bytes: [UInt8]
  let until: UInt64
  let arrivesAt: UInt64
  /// The time of the oldest edit that no earlier save contains.
  let since: UInt64?
}

/// A connection between a party and the server.
struct Line {
  let party: Int
  /// The node that the connection leads to.
  let node: Int
  var conversation: Conversation
  var member: MemberID?
  /// Messages under way, each with the time at which it arrives.
  var toServer: [(at: UInt64, bytes: [UInt8])] = []
  /// Bytes that have arrived at the client and are not read yet.
  var toClient: [UInt8] = []
  /// How many more bytes fit into the socket's buffer before the client reads.
  var room: Int
  /// Bytes in transit over a slow link.
  var carriage: Carriage?
  var isReadingPaused = false
  var isBlocked = false
  /// The time until which nothing arrives on either side. Both sides still consider the connection open.
  var hushedUntil: UInt64 = 0
  /// The code with which the server closed the connection. Bytes that it sent earlier still arrive.
  var closeCode: UInt16?
  var isOpen = true
  /// The stamps in each message that the server has received, so that its answers can be checked.
  var submitted: [MessageIdentifier: [Stamp]] = [:]
  /// The people in the room, computed from `welcome`, `join` and `leave` messages alone.
  var people: Set<Identifier> = []
  /// The overlapping pairs, computed from the server's overlap messages alone.
  var pairs: Set<ShapePair> = []
  var isWelcome = false

  /// Whether the client has received everything that the server has sent.
  var hasArrived: Bool { carriage?.isEmpty ?? true }
  /// Whether the client has read everything that the server has sent.
  var isRead: Bool { toClient.isEmpty && hasArrived }

  /// Offers bytes to the socket.
  /// - Returns: how many bytes the socket takes.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, carriage?.room ?? room)
    if carriage == nil { room -= count }
    guard isOpen else { return count }
    if carriage == nil { toClient.append(contentsOf: bytes.prefix(count)) } else { carriage?.take(bytes.prefix(count)) }
    return count
  }

  /// Whether the socket takes any bytes.
  var hasRoom: Bool { (carriage?.room ?? room) > 0 }

  mutating func carry(until time: UInt64) {
    if let arrived = carriage?.carry(until: time) { toClient += arrived }
  }

  /// Removes the slow link, so that the remaining bytes arrive at once.
  mutating func widen() {
    if let all = carriage?.end() { toClient += all }
    carriage = nil
  }

  /// Drops the bytes on their way to the client.
  mutating func lose() {
    toClient = []
    carriage = nil
  }
}
