@testable import CanvasCRDT
@testable import SyncServer
@testable import sync_client

/// The client's end of a connection: a tab with its replica and its storage, or a writer without a canvas.
struct Party {
  let name: String
  var replica: Replica?
  var writer: Submitter?
  /// How far the party's clock is off. This may change.
  var wallError: Int64

  var line: Int?
  /// The node that the party was last connected to.
  var node: Int?
  var wantsConnection = false
  var connectsAt: UInt64 = 0
  var wakeAt: UInt64?
  /// How many bytes the party reads at a time. A slow reader reads few.
  var drain: Int
  /// The slow line from the server to the party, if it has one.
  var link: Link?
  /// Since when nothing but the party's slow line has kept the party from seeing what the room has.
  var calmSince: UInt64 = 0
  var stalledUntil: UInt64 = 0

  // The edits in a tab's storage, which is a little behind.
  var keptEdits: [UInt8]?
  var keptDrawing: [UInt8]?
  var keepsEditsAt: UInt64?
  var keepsDrawingAt: UInt64?
  /// Edits that were saved and are not in the storage yet.
  var keeping: [Keeping] = []
  /// When the first of the edits was made that are in no save yet.
  var unsavedSince: UInt64?

  // The verdicts about digests that the replica has reported.
  var verdicts: [DigestVerdict] = []
  var pairs: Set<ShapePair> = []
  var hasPairs = false
  var shown = JSONText.emptyObject
  /// The shapes on a screen that is drawn from the replica's effects alone.
  var screen: [Identifier: Shape] = [:]
  /// How many events the party has had.
  var events = 0

  /// The party's address. All parties behind slow lines have the same one.
  var address: String { link == nil ? name : "a thin line" }

  /// The stamps under which the party's undo wrote values.
  var undoStamps: Set<Stamp> = []
  /// The actors that the party was before it came back as another one.
  var formerActors: Set<Identifier> = []
  var groups: [UInt64: [ProposedOperation]] = [:]
}

/// Edits on their way to a tab's storage.
struct Keeping {
  let bytes: [UInt8]
  let until: UInt64
  let arrivesAt: UInt64
  /// When the first of the edits was made that are in no earlier save.
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
  /// Bytes that have arrived at the client, and that it has not read.
  var toClient: [UInt8] = []
  /// How many bytes the socket takes until the client reads.
  var room: Int
  /// The bytes on their way to a client that has a slow line.
  var carriage: Carriage?
  var isReadingPaused = false
  var isBlocked = false
  /// Until when nothing arrives on either side. Neither side is told of that.
  var hushedUntil: UInt64 = 0
  /// The code with which the server closed the connection. What is on its way still arrives.
  var closeCode: UInt16?
  var isOpen = true
  /// The stamps of each message that the server has got, for when it is answered.
  var submitted: [MessageIdentifier: [Stamp]] = [:]
  /// The people in the room, according to `welcome`, `join` and `leave` alone.
  var people: Set<Identifier> = []
  /// The pairs that overlap, according to the notices alone.
  var pairs: Set<ShapePair> = []
  var isWelcome = false

  /// Whether everything that the server has sent has arrived.
  var hasArrived: Bool { carriage?.isEmpty ?? true }
  /// Whether everything that the server has sent has also been read.
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

  /// From now on, the line isn't slow.
  mutating func widen() {
    if let all = carriage?.end() { toClient += all }
    carriage = nil
  }

  /// What is on its way to the client is lost.
  mutating func lose() {
    toClient = []
    carriage = nil
  }
}
