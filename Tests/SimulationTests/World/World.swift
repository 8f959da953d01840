@testable import CanvasCRDT
@testable import SyncServer

/// A room, its log, its clients and the network between them, in one thread and with simulated time.
///
/// Replicas, the terminal's writer, rooms, conversations and the log's store are the real code. Only sockets, disks,
/// clocks and people are simulated, and they fail in every way that we know of.
struct World {
  let history: History
  let limits: Limits
  var random: SeededGenerator
  /// Milliseconds since the start of the history. It is everybody's monotonic clock.
  var time: UInt64 = 1_000

  var disk = Disk()
  /// The servers over one log. Most histories have one.
  var nodes: [Node] = []
  /// The index of the node that currently acts.
  var here = 0
  var parties: [Party] = []
  var lines: [Line] = []
  /// Connections of members. Each is kept until every node must know that it has ended.
  var arrivals: [Arrival] = []
  var partitionedUntil: UInt64 = 0
  /// Whether the simulation no longer injects faults.
  private(set) var isCalm = false
  var ages = Ages()
  /// The largest number of shapes that the room has had at one time.
  var mostShapes: UInt64 = 0
  /// How many processes and connections there have been.
  var processes = 0
  var lastLine = 0
  var remembered = Remembered()

  var ledger = Ledger()
  var failures: [Failure] = []
  var happened: [Happening: Int] = [:]
  let isTold: Bool
  /// The only rule to check. It is set to find failures of one rule that failures of other rules would hide.
  let only: Rule?
  private(set) var story: [String] = []

  static let wallStart: UInt64 = 1_763_650_000_000

  init(_ history: History, isTold: Bool, only: Rule? = nil) {
    self.history = history
    self.isTold = isTold
    self.only = only
    limits = history.dice.limits
    random = SeededGenerator(seed: ~history.seed)
    let count = history.dice.nodesCount
    nodes = (0..<count).map { _ in Node() }
    for number in nodes.indices {
      here = number
      startServer()
    }
    for _ in 0..<history.dice.tabs + (history.dice.crowd ?? 0) { openTab() }
    for _ in 0..<history.dice.writers { openWriter() }
  }

  var node: Node {
    _read { yield nodes[here] }
    _modify { yield &nodes[here] }
  }

  // MARK: Time and chance

  var now: Moment {
    Moment(wallMilliseconds: UInt64(Int64(World.wallStart + time) + node.clockError), monotonicMilliseconds: time)
  }

  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  mutating func delay() -> UInt64 { UInt64.random(in: 0...history.dice.delayMillisecondsMax, using: &random) }

  // MARK: The story

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

  /// Runs one iteration of everybody's event loop.
  mutating func turn() {
    for number in nodes.indices where time >= nodes[number].stillUntil {
      here = number
      turnLog()
      turnServer()
    }
    turnLines()
    for index in parties.indices { turnParty(index) }
    for number in nodes.indices {
      here = number
      checkBounds()
    }
    checkAges()
    noteDepartures()
    if lines.count > 64 { forgetDeadLines() }
  }

  mutating func forgetDeadLines() {
    lines = lines.filter { $0.isOpen || $0.isServed }
    for index in parties.indices where parties[index].line != nil {
      parties[index].line = lines.firstIndex { $0.isOpen && $0.party == index }
    }
  }

  /// Stops all faults, and runs until no client has anything left to send.
  mutating func settle() {
    tell("— from here on nothing goes wrong —")
    isCalm = true
    random = SeededGenerator(seed: history.seed)
    disk.isDown = false
    disk.downUntil = 0
    partitionedUntil = 0
    for number in nodes.indices {
      here = number
      if node.clockError > 0 { tell("\(server)'s clock is set right: back by \(node.clockError) ms.") }
      node.clockError = 0
      node.stillUntil = 0
      node.cutOffUntil = 0
      node.breaksAtAppend = false
      nodes[number].notice?.isDue = true
      for place in node.heard.indices { node.heard[place].at = min(node.heard[place].at, time) }
    }
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
    startAll()
    here = 0
    for index in parties.indices { startAgain(index) }
    turnUntilQuiet()
    for index in parties.indices where parties[index].replica != nil { run(index) { $0.askDigest(at: $1) } }
    turnUntilQuiet()
    editOnceMore()
    turnUntilQuiet()
    for index in parties.indices where parties[index].replica != nil { run(index) { $0.askDigest(at: $1) } }
    here = nodes.indices.randomElement(using: &random)!
    readAtLast()
    turnUntilQuiet()
  }

  /// Starts all servers again. Those that are ending may first end.
  private mutating func startAll() {
    for _ in 0..<1_000 where nodes.contains(where: \.isStopping) {
      time += 20
      turn()
    }
    for number in nodes.indices {
      here = number
      if node.isStopping { fail(.waiting, "\(server) doesn't stop") }
      startServer()
    }
  }

  private mutating func turnUntilQuiet() {
    for _ in 0..<30_000 {
      time += 20
      turn()
      if !failures.isEmpty || isQuiet { return }
      // Clients of a deleted room connect again, which opens the room.
      for index in parties.indices where isClosed(index) { startAgain(index) }
    }
    fail(.waiting, waitingWords)
  }
}

/// Situations that the histories should reach. A test asserts that each of them happens in at least one history.
enum Happening: String, CaseIterable {
  case lostConnection, lostAnswer, lostSubmission, cutState, hushed, partialTake, stalled, fellOff, oldOnThinLine,
    waitedForBeat
  // Situations that need several nodes.
  case cutOff, undecided, undecidedStored, undecidedLost, stoodStill, toldLate, notWoken, caughtUp
  case deletedElsewhere, deletedUnderAppend, followingLost, joinedCreation, moved, heardNews, lostNews, heldUpNews
  // What happened after a standby database without the newest records had taken over.
  case wentBack, wentBackBeforeCreation, deletionLost, toldByAppend, roomLost, roomKept, lostCursorRefused,
    lostEditSentAgain
  case leftOut, gapClosed, toldAgain, queueFull
  case crashed, stopped, committedNotDelivered, lostUnsynced, turnedUp, logFailed, restored, roomDeleted, trimmed
  case forgotten, forgottenEarly, cameTooLate, snapshotUsed, foreignRecord, rested
  case resumed, reset, superseded, rejected, roomFull, tooOld, unavailable, actorElsewhere, pausedReading
  case longWelcome, waitedForState, crowdCame
  case tabDied, tabRestored, tabDoubled, crowded, undoRefused, undone, redone, unnamed, presenceShown, digestAgreed
  case writerAnswered, writerRefused, requestTaken, requestRefused, hostileAnswered, hostileClosed
  case serverClockBack, tabClockJumped
  case layoutTaken, requestRepeated, requestForbidden, roomDeletedByRequest
  case readAnswered, pastAnswered, notModified, otherCursor, notKept
}
