/// One's own edits until the server has answered for them: those waiting to be sent, and those on their way.
///
/// Stamps rise from the first message in flight to the last edit waiting. An edit that still waits gives up the
/// registers that a newer one overwrites, so that a long drag without a connection is one operation; one that was sent
/// is left as it is, since the server may have it.
struct Outbox: Sendable {
  struct Pending: Sendable {
    var operation: Operation
    /// Edits made together have one number.
    let edit: UInt64
  }

  /// A message that was sent once. Lost with a connection it is sent again on the next.
  struct Flight: Sendable {
    var id: UInt64
    var pending: [Pending]
    /// On this connection.
    var isSent = false
  }

  private(set) var flights: [Flight] = []

  /// What waits, in order. One that has lost all its registers stays in place, empty, until the list is tidied.
  private var waiting: [Pending] = []
  private var waitingStart = 0
  /// What is to be added to an index to have a number that stays when the list is tidied at its front.
  private var numberOffset = 0
  private var numbers = IdentifierMap<[Int]>()
  private(set) var waitingCount = 0

  private var nextIdentifier: UInt64 = 1
  private var nextEdit: UInt64 = 1

  /// How many operations the server has not yet answered for.
  var count: Int {
    var count = waitingCount
    for flight in flights { count += flight.pending.count }
    return count
  }

  var isEmpty: Bool { waitingCount == 0 && flights.isEmpty }
  var sentCount: Int { flights.count { $0.isSent } }
}

// MARK: - Waiting

extension Outbox {
  mutating func newEdit() -> UInt64 {
    defer { nextEdit += 1 }
    return nextEdit
  }

  /// Enters an operation behind all others. Returns how many that were waiting it has made superfluous.
  @discardableResult
  mutating func append(_ operation: Operation, edit: UInt64) -> Int {
    let covered = operation.set.deleted ? PropertyMask.all : operation.set.assigned
    var kept: [Int] = []
    var dropped = 0
    for number in numbers[operation.shape] ?? [] {
      let index = number - numberOffset
      waiting[index].operation.set.clear(covered)
      if waiting[index].operation.set.assigned.isEmpty {
        dropped += 1
      } else {
        kept.append(number)
      }
    }
    kept.append(waiting.count + numberOffset)
    numbers[operation.shape] = kept
    waiting.append(Pending(operation: operation, edit: edit))
    waitingCount += 1 - dropped
    tidyIfWorthwhile()
    return dropped
  }

  /// Where a long drag has emptied more than it left.
  private mutating func tidyIfWorthwhile() {
    if waiting.count > 64, waiting.count > 2 * waitingCount { tidy() }
  }

  private mutating func tidy() {
    waiting.removeAll { $0.operation.set.assigned.isEmpty }
    waitingStart = 0
    numberOffset = 0
    waitingCount = waiting.count
    numbers.removeAll()
    for (index, pending) in waiting.enumerated() { numbers[pending.operation.shape, default: []].append(index) }
  }

  /// Makes a message of what has waited longest: whole edits, as many as the limits allow, and part of one only where
  /// it is too large for any message. Nothing where nothing waits.
  func nextMessageLength(_ limits: MessageLimits) -> (slots: Int, operations: Int) {
    var operations = 0
    var bytes = limits.envelopeBytes
    var whole = (slots: 0, operations: 0)
    var edit: UInt64?
    var index = waitingStart
    while index < waiting.count {
      let pending = waiting[index]
      if !pending.operation.set.assigned.isEmpty {
        if let edit, edit != pending.edit { whole = (index - waitingStart, operations) }
        edit = pending.edit
        bytes += limits.bytesMax(of: pending.operation)
        if operations > 0, operations == limits.operationsMax || bytes > limits.bytesMax {
          return whole.operations > 0 ? whole : (index - waitingStart, operations)
        }
        operations += 1
      }
      index += 1
    }
    return (index - waitingStart, operations)
  }

  /// Moves so many slots into flight.
  mutating func launch(slots: Int) {
    var flight = Flight(id: newIdentifier(), pending: [])
    let end = min(waitingStart + slots, waiting.count)
    for index in waitingStart..<end where !waiting[index].operation.set.assigned.isEmpty {
      let shape = waiting[index].operation.shape
      flight.pending.append(waiting[index])
      waiting[index].operation.set.clear()
      let rest = (numbers[shape] ?? []).filter { $0 != index + numberOffset }
      numbers[shape] = rest.isEmpty ? nil : rest
    }
    waitingStart = end
    waitingCount -= flight.pending.count
    if waitingCount == 0 {
      waiting.removeAll()
      numbers.removeAll()
      numberOffset = 0
      waitingStart = 0
    } else if waitingStart > 1_024, waitingStart > waiting.count / 2 {
      waiting.removeFirst(waitingStart)
      numberOffset += waitingStart
      waitingStart = 0
    }
    if !flight.pending.isEmpty { flights.append(flight) }
  }

  private mutating func newIdentifier() -> UInt64 {
    defer { nextIdentifier += 1 }
    return nextIdentifier
  }
}

// MARK: - In flight

extension Outbox {
  /// The connection is gone: everything unanswered is to be sent again.
  mutating func ground() {
    for index in flights.indices { flights[index].isSent = false }
  }

  mutating func ground(at index: Int) {
    flights[index].isSent = false
  }

  mutating func markSent(at index: Int) {
    flights[index].isSent = true
  }

  func flight(named id: UInt64) -> Int? {
    flights.firstIndex { $0.id == id }
  }

  mutating func remove(at index: Int) -> Flight {
    flights.remove(at: index)
  }

  /// Takes operations out of a message. What is left is a message of its own, yet to be sent.
  mutating func takeBack(at index: Int, where isTaken: (Int, Pending) -> Bool) -> [Pending] {
    var taken: [Pending] = []
    var rest: [Pending] = []
    for (place, pending) in flights[index].pending.enumerated() {
      if isTaken(place, pending) { taken.append(pending) } else { rest.append(pending) }
    }
    if rest.isEmpty {
      flights.remove(at: index)
    } else {
      flights[index] = Flight(id: newIdentifier(), pending: rest)
    }
    return taken
  }

  /// Takes out everything of `shapes` that still waits.
  mutating func takeBackWaiting(of shapes: IdentifierSet) -> [Pending] {
    var taken: [Pending] = []
    for index in waiting.indices where !waiting[index].operation.set.assigned.isEmpty {
      guard shapes.contains(waiting[index].operation.shape) else { continue }
      taken.append(waiting[index])
      waiting[index].operation.set.clear()
    }
    if !taken.isEmpty { tidy() }
    return taken
  }

  /// Makes messages of at most so many operations out of those that are to be sent.
  mutating func split(operationsMax: Int) {
    guard flights.contains(where: { !$0.isSent && $0.pending.count > operationsMax }) else { return }
    var split: [Flight] = []
    for flight in flights {
      guard !flight.isSent, flight.pending.count > operationsMax else {
        split.append(flight)
        continue
      }
      var start = 0
      while start < flight.pending.count {
        let end = min(start + operationsMax, flight.pending.count)
        split.append(Flight(id: newIdentifier(), pending: Array(flight.pending[start..<end])))
        start = end
      }
    }
    flights = split
  }
}

// MARK: - All of it

extension Outbox {
  /// From the oldest to the newest.
  func forEach(_ body: (Pending) -> Void) {
    for flight in flights {
      for pending in flight.pending { body(pending) }
    }
    for index in waitingStart..<waiting.count where !waiting[index].operation.set.assigned.isEmpty {
      body(waiting[index])
    }
  }

  /// Gives every operation the stamp that `stamp` makes of its own. They are all to be sent again.
  mutating func restamp(_ stamp: (Stamp) -> Stamp) {
    for index in flights.indices {
      flights[index].isSent = false
      for place in flights[index].pending.indices {
        flights[index].pending[place].operation.at = stamp(flights[index].pending[place].operation.at)
      }
    }
    for index in waitingStart..<waiting.count where !waiting[index].operation.set.assigned.isEmpty {
      waiting[index].operation.at = stamp(waiting[index].operation.at)
    }
    tidy()
  }

  /// What waits, edit by edit.
  var waitingEdits: [[Operation]] {
    var edits: [[Operation]] = []
    var last: UInt64?
    for pending in waiting[waitingStart...] where !pending.operation.set.assigned.isEmpty {
      if pending.edit == last {
        edits[edits.count - 1].append(pending.operation)
      } else {
        edits.append([pending.operation])
      }
      last = pending.edit
    }
    return edits
  }

  /// What was saved of an earlier self: its messages in flight, then its edits.
  init(flights: [[Operation]], edits: [[Operation]]) {
    for operations in flights {
      let edit = newEdit()
      self.flights.append(
        Flight(id: newIdentifier(), pending: operations.map { Pending(operation: $0, edit: edit) })
      )
    }
    for operations in edits {
      let edit = newEdit()
      for operation in operations { append(operation, edit: edit) }
    }
  }
}
