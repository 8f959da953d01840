@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer
@testable import WebSocketLoop
@testable import sync_client

/// The client's end of a connection: a tab with its replica and its storage, or a writer without a canvas.
struct Party {
  let number: Int
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
  /// The replica has some messages of a state, and waits for the others.
  var hasPart = false
  /// The connection has ended within a state. If the log then loses records, the replica has values of theirs, and a
  /// cursor from before them. It finds that by the digest.
  var hadPart = false
  var pairs: Set<ShapePair> = []
  var hasPairs = false
  var shown = JSONText.emptyObject
  /// The shapes on a screen that is updated from the replica's effects alone.
  var screen: [Identifier: Shape] = [:]
  /// How many events the party has taken part in.
  var events = 0

  /// The party's address. All parties behind slow links have the same one.
  var address: String { link == nil ? "10.1.0.\(number + 1)" : "10.2.0.1" }

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
  /// Each connection of a history has another number.
  let number: Int
  let party: Int
  /// The node that the connection leads to, and the number of its process.
  let node: Int
  let process: Int
  let connection: VirtualConnection
  let isText: Bool
  /// Messages under way, each with the time at which it arrives.
  var toServer: [(at: UInt64, bytes: [UInt8])] = []
  /// Frames that have arrived at the client and are not read yet.
  private var toClient: [UInt8] = []
  /// Bytes in transit over a slow link.
  private var carriage: Carriage?
  /// The time until which nothing arrives on either side. Both sides still consider the connection open.
  var hushedUntil: UInt64 = 0
  var isOpen = true
  /// Whether the server still considers the connection open.
  var isServed = true
  /// The client's first message, if the server has it.
  var hello: Hello?
  /// The room's member for this connection.
  var member: MemberID?
  /// The claim of the actor's other connection, if the node knows of one. It is kept while the connection joins.
  var known: Claim?
  /// Whether the server has closed the connection because of another one of the same actor.
  var isSentAway = false
  /// The stamps in each message that the server has received, so that its answers can be checked.
  var submitted: [MessageIdentifier: [Stamp]] = [:]
  /// The log position up to which the server has sent everything over this connection. `nil` before that.
  var position: UInt64?
  /// The people in the room, computed from `welcome`, `join` and `leave` messages alone.
  var people: Set<Identifier> = []
  /// The overlapping pairs, computed from the server's overlap messages alone.
  var pairs: Set<ShapePair> = []
  var isWelcome = false

  init(number: Int, party: Int, node: Int, process: Int, _ connection: VirtualConnection, isText: Bool, link: Carriage?)
  {
    self.number = number
    self.party = party
    self.node = node
    self.process = process
    self.connection = connection
    self.isText = isText
    carriage = link
  }

  /// Whether the client has received everything that the server has sent.
  var hasArrived: Bool { carriage?.isEmpty ?? true && connection.isRead }
  /// Whether the client has read everything that the server has sent.
  var isRead: Bool { toClient.isEmpty && hasArrived }

  /// A message for the server, as the server reads it. `nil` if the server can't read it.
  func read(_ bytes: [UInt8], _ limits: Limits) -> ClientMessage? {
    bytes.withUnsafeBytes { bytes in
      let operationsMax = limits.operationsPerMessage
      return isText
        ? try? JSONEncoding.decodeClientMessage(bytes, operationsMax: operationsMax)
        : try? BinaryEncoding.decodeClientMessage(bytes, operationsMax: operationsMax)
    }
  }

  /// Lets the socket take as many bytes as the slow link can.
  func offerRoom() { if let carriage { connection.room = carriage.room } }

  /// Carries what the server has sent towards the client.
  /// - Parameter drain: how many bytes a client without a slow link reads until the next call. `nil` if it reads
  ///   nothing.
  mutating func carry(until time: UInt64, drain: Int?) {
    guard carriage == nil else {
      carriage?.take(connection.takeFrames())
      if let arrived = carriage?.carry(until: time) { toClient += arrived }
      return
    }
    toClient += connection.takeFrames()
    if let drain { connection.room = drain }
  }

  mutating func takeMessages() -> [[UInt8]] { VirtualConnection.takeMessages(&toClient) }

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
