@testable import CanvasCRDT
@testable import SyncServer
@testable import sync_client

/// Someone at the far end of a connection: a tab with its replica and its storage, or a writer without a canvas.
struct Party {
  let name: String
  var replica: Replica?
  var writer: Submitter?
  /// How wrong its clock is, which may change.
  var wallError: Int64

  var line: Int?
  /// The node that it was connected to last.
  var node: Int?
  var wantsConnection = false
  var connectsAt: UInt64 = 0
  var wakeAt: UInt64?
  /// Slow readers drain few bytes at a time.
  var drain: Int
  /// The thin line that others' words come over, where it has one.
  var link: Link?
  /// Since when nothing but its line has kept it from seeing what the room has.
  var calmSince: UInt64 = 0
  var stalledUntil: UInt64 = 0

  // A tab's storage, which is a little behind.
  var keptEdits: [UInt8]?
  var keptDrawing: [UInt8]?
  var keepsEditsAt: UInt64?
  var keepsDrawingAt: UInt64?
  /// Saved, and not yet in the storage.
  var keeping: [Keeping] = []
  /// When it made the first edit that is in no save.
  var unsavedSince: UInt64?

  // The verdicts that it has received.
  var verdicts: [DigestVerdict] = []
  var pairs: Set<ShapePair> = []
  var hasPairs = false
  var shown = JSONText.emptyObject
  /// The shapes on a screen that is drawn from the replica's effects alone.
  var screen: [Identifier: Shape] = [:]
  /// How often anything has happened to it.
  var events = 0

  /// Those behind a thin line share one address.
  var address: String { link == nil ? name : "a thin line" }

  /// The stamps that its undo wrote.
  var undoStamps: Set<Stamp> = []
  /// Who it was before it came back as another.
  var formerActors: Set<Identifier> = []
  var groups: [UInt64: [ProposedOperation]] = [:]
}

/// Edits on their way to a tab's storage.
struct Keeping {
  let bytes: [UInt8]
  let until: UInt64
  let arrivesAt: UInt64
  /// When the first edit was made that no save before has.
  let since: UInt64?
}

/// A connection between a party and the server.
struct Line {
  let party: Int
  /// Which node it leads to.
  let node: Int
  var conversation: Conversation
  var member: MemberID?
  /// Messages under way, each with the time at which it arrives.
  var toServer: [(at: UInt64, bytes: [UInt8])] = []
  /// Bytes that have arrived at the client and that it has not read yet.
  var toClient: [UInt8] = []
  /// How many bytes the socket takes until it is drained.
  var room: Int
  /// The bytes on their way to a client that has a thin line.
  var carriage: Carriage?
  var isReadingPaused = false
  var isBlocked = false
  /// Until then nothing arrives on either side, and neither side knows.
  var hushedUntil: UInt64 = 0
  /// The server closed it; what is under way still arrives.
  var closeCode: UInt16?
  var isOpen = true
  /// The stamps of each message that came, for when it is answered.
  var submitted: [MessageIdentifier: [Stamp]] = [:]
  /// Who is in the room, by the words of `welcome`, `join` and `leave` alone.
  var people: Set<Identifier> = []
  /// The pairs that overlap, by the notices alone.
  var pairs: Set<ShapePair> = []
  var isWelcome = false

  /// Whether nothing that the server has sent is under way.
  var hasArrived: Bool { carriage?.isEmpty ?? true }
  /// Whether it has been read, too.
  var isRead: Bool { toClient.isEmpty && hasArrived }

  /// The socket is offered some bytes.
  /// - Returns: how many it takes.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, carriage?.room ?? room)
    if carriage == nil { room -= count }
    guard isOpen else { return count }
    if carriage == nil { toClient.append(contentsOf: bytes.prefix(count)) } else { carriage?.take(bytes.prefix(count)) }
    return count
  }

  /// Whether the socket takes any.
  var hasRoom: Bool { (carriage?.room ?? room) > 0 }

  mutating func carry(until time: UInt64) {
    if let arrived = carriage?.carry(until: time) { toClient += arrived }
  }

  /// From now on the line is not thin.
  mutating func widen() {
    if let all = carriage?.end() { toClient += all }
    carriage = nil
  }

  /// What is under way to the client is lost.
  mutating func lose() {
    toClient = []
    carriage = nil
  }
}
