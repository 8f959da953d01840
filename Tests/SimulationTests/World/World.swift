@testable import CanvasCRDT
@testable import SyncServer

/// A room, its log, the people and programs around it and the network between them, in one thread and with time of its own.
///
/// The clients are real replicas and the terminal's real writer; the server is the real room with real conversations over the
/// log's own store. Only sockets, disks, clocks and people are made up, and everything that those may do wrong is done here.
struct World {
  let history: History
  let limits: Limits
  var random: SeededGenerator
  /// Since the beginning, on everybody's monotonic clock.
  var time: UInt64 = 1_000
  /// How wrong the server's wall clock is.
  var serverError: Int64 = 0
  /// By how much it was ever ahead.
  var serverErrorMax: Int64 = 0

  var disk = Disk()
  /// What HTTP requests see of the server. It has the room.
  let service: SimulatedService
  var isUp = true
  /// The number of the server's process.
  var run: UInt64
  var parties: [Party] = []
  var lines: [Line] = []
  var partitionedUntil: UInt64 = 0
  var restedAt: UInt64 = 0
  var ages = Ages()
  /// The most shapes that the room has had at once.
  var mostShapes: UInt64 = 0
  /// What the room wants done to its overlaps, and when that will be done.
  var overlapOrders: [(order: OverlapOrder, due: UInt64)] = []
  /// Layouts that are being stamped.
  var preparations: [(batch: Batch, due: UInt64)] = []
  /// The requests that have no answer yet, by their numbers.
  var exchanges: [UInt64: Exchange] = [:]
  var lastRequest: UInt64 = 0
  var remembered = Remembered()

  var ledger = Ledger()
  var failures: [Failure] = []
  var happened: [Happening: Int] = [:]
  let isTold: Bool
  /// The only rule that matters, where one is looked for that others would hide.
  let only: Rule?
  private(set) var story: [String] = []

  static let wallStart: UInt64 = 1_763_650_000_000

  init(_ history: History, isTold: Bool, only: Rule? = nil) {
    self.history = history
    self.isTold = isTold
    self.only = only
    limits = history.dice.limits
    random = SeededGenerator(seed: ~history.seed)
    run = random.next()
    service = SimulatedService(limits: limits, seed: random.next())
    for _ in 0..<history.dice.tabs { openTab() }
    for _ in 0..<history.dice.writers { openWriter() }
  }

  /// Nothing while the server is down, or before anyone has opened the room.
  var room: Room? {
    _read { yield service.room }
    _modify { yield &service.room }
  }

  // MARK: Time and chance

  var now: Moment {
    Moment(
      wallMilliseconds: UInt64(Int64(World.wallStart + time) + serverError),
      monotonicMilliseconds: time
    )
  }

  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  mutating func delay() -> UInt64 { UInt64.random(in: 0...history.dice.delayMillisecondsMax, using: &random) }

  // MARK: What is told

  mutating func count(_ happening: Happening) { happened[happening, default: 0] += 1 }

  mutating func fail(_ rule: Rule, _ words: String) {
    if let only, only != rule { return }
    failures.append(Failure(rule: rule, words: words))
    tell("✗ \(rule.rawValue): \(words)")
  }

  mutating func tell(_ words: String) {
    guard isTold else { return }
    let seconds = String(Double(time) / 1_000)
    story.append(String(repeating: " ", count: max(0, 8 - seconds.count)) + seconds + "  " + words)
  }

  // MARK: Steps

  mutating func take(_ step: History.Step) {
    random = SeededGenerator(seed: step.seed)
    time += UInt64.random(in: 1...history.dice.stepMillisecondsMax, using: &random)
    perform(step.event)
    turn()
  }

  /// One turn of everybody's loop.
  mutating func turn() {
    turnLog()
    turnRequests()
    turnRoom()
    turnLines()
    for index in parties.indices { turnParty(index) }
    checkBounds()
    checkAges()
    if lines.count > 64 { forgetDeadLines() }
  }

  private mutating func forgetDeadLines() {
    lines = lines.filter { $0.isOpen || $0.member != nil }
    for index in parties.indices where parties[index].line != nil {
      parties[index].line = lines.firstIndex { $0.isOpen && $0.party == index }
    }
  }

  /// No more trouble, until nobody has anything left to say.
  mutating func settle() {
    tell("— from here on nothing goes wrong —")
    random = SeededGenerator(seed: history.seed)
    disk.isDown = false
    disk.downUntil = 0
    partitionedUntil = 0
    if serverError > 0 { tell("The server's clock is set right: back by \(serverError) ms.") }
    serverError = 0
    for index in parties.indices {
      parties[index].stalledUntil = 0
      parties[index].drain = 1_000_000
      parties[index].link = nil
      parties[index].wallError = 0
    }
    for line in lines.indices {
      lines[line].hushedUntil = min(lines[line].hushedUntil, time)
      lines[line].widen()
    }
    startServer()
    openRoom()
    for index in parties.indices { startAgain(index) }
    turnUntilQuiet()
    for index in parties.indices where parties[index].replica != nil { run(index) { $0.askDigest(at: $1) } }
    turnUntilQuiet()
    editOnceMore()
    turnUntilQuiet()
    for index in parties.indices where parties[index].replica != nil { run(index) { $0.askDigest(at: $1) } }
    readAtLast()
    turnUntilQuiet()
  }

  private mutating func turnUntilQuiet() {
    for _ in 0..<30_000 {
      time += 20
      turn()
      if !failures.isEmpty || isQuiet { return }
      // Somebody who was told that the room is gone opens it again.
      for index in parties.indices where isClosed(index) { startAgain(index) }
    }
    fail(.waiting, waitingWords)
  }
}

/// What a history is meant to meet. Each is asserted to have happened in some.
enum Happening: String, CaseIterable {
  case lostConnection, lostAnswer, lostSubmission, cutState, hushed, partialTake, stalled, fellOff, oldOnThinLine
  case crashed, stopped, committedNotDelivered, lostUnsynced, turnedUp, logFailed, restored, roomDeleted, trimmed
  case forgotten, forgottenEarly, snapshotUsed, foreignRecord, rested
  case resumed, reset, superseded, rejected, roomFull, tooOld, unavailable, actorElsewhere, pausedReading
  case tabDied, tabRestored, tabDoubled, crowded, undoRefused, undone, redone, unnamed, presenceShown, digestAgreed
  case writerAnswered, writerRefused, requestTaken, requestRefused, hostileAnswered, hostileClosed
  case serverClockBack, tabClockJumped
  case layoutTaken, requestRepeated, requestForbidden, roomDeletedByRequest
  case readAnswered, pastAnswered, notModified, otherCursor, notKept
}
