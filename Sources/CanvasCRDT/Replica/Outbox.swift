/// The client's own edits that the server has not answered yet: edits that wait to be sent, and edits in flight.
///
/// Stamps rise from the first message in flight to the last waiting edit. When a newer edit overwrites a register, a
/// waiting edit that wrote the same register drops its value. So a long drag without a connection ends as one
/// operation. An edit that was sent doesn't change, because the server might have it.
struct Outbox: Sendable {
  struct Pending: Sendable {
    var operation: Operation
    /// The number of the edit that the operation belongs to. Operations of one edit have the same number.
    let edit: UInt64
    /// The values that the operation replaced. `nil` for operations of an undo or a redo.
    var replaced: ReplacedValues?
  }

  /// A message in flight. If the connection is lost, it is sent again on the next connection.
  struct Flight: Sendable {
    var id: UInt64
    var pending: [Pending]
    /// When the message was sent on this connection, on the monotonic clock. `nil` if it hasn't been sent on this
    /// connection yet.
    var sentAt: UInt64?

    var isSent: Bool { sentAt != nil }

    var proposed: [ProposedOperation] { pending.map { ProposedOperation($0.operation) } }
  }

  private(set) var flights: [Flight] = []

  /// The operations that wait, in order. An operation is empty if all its registers were overwritten by newer
  /// operations. Empty operations are removed now and then.
  private var waiting: [Pending] = []
  private var waitingStart = 0
  /// The sum of this number and an index in `waiting` identifies an operation. The sum doesn't change when operations
  /// are removed from the front.
  private var numberOffset = 0
  private var numbers = IdentifierMap<[Int]>()
  private(set) var waitingCount = 0

  private var nextIdentifier: UInt64 = 1
  private var nextEdit: UInt64 = 1

  /// How many operations the server has not answered yet.
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

  /// Adds an operation at the end. Returns how many waiting operations became empty because of the new one.
  @discardableResult
  mutating func append(_ operation: Operation, edit: UInt64, replaced: ReplacedValues? = nil) -> Int {
    var replaced = replaced
    let covered = operation.set.deleted ? PropertyMask.all : operation.set.assigned
    var kept: [Int] = []
    var dropped = 0
    for number in numbers[operation.shape] ?? [] {
      let index = number - numberOffset
      // A shape keeps the values that it is made or restored with, because the server can refuse the newer edit alone.
      if waiting[index].operation.set.assigned.contains(.kind), !operation.set.deleted {
        kept.append(number)
        continue
      }
      // The new edit counts as having replaced the value from before the older edit.
      if let older = waiting[index].replaced {
        replaced?.forget(waiting[index].operation.at, older, of: covered)
      }
      waiting[index].operation.set.clear(covered)
      if waiting[index].operation.set.assigned.isEmpty {
        dropped += 1
      } else {
        kept.append(number)
      }
    }
    kept.append(waiting.count + numberOffset)
    numbers[operation.shape] = kept
    waiting.append(Pending(operation: operation, edit: edit, replaced: replaced))
    waitingCount += 1 - dropped
    tidyIfWorthwhile()
    return dropped
  }

  /// Removes the empty operations if they are most of the list, for example after a long drag.
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

  /// The length of the next message, in slots of the list and in operations. The message takes as many whole edits as
  /// the limits allow, the oldest first. An edit that is too large for any message is split. Both lengths are 0 if
  /// nothing waits.
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

  /// The last operation in the first `slots` slots. Its stamp is the greatest in these slots.
  func lastWaiting(slots: Int) -> Pending? {
    waiting[waitingStart..<min(waitingStart + slots, waiting.count)].last { !$0.operation.set.assigned.isEmpty }
  }

  /// Moves the first `slots` slots into flight, as one message.
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
  /// Called when the connection is lost: every unanswered message has to be sent again.
  mutating func ground() {
    for index in flights.indices { flights[index].sentAt = nil }
  }

  mutating func ground(at index: Int) {
    flights[index].sentAt = nil
  }

  mutating func markSent(at index: Int, time: UInt64) {
    flights[index].sentAt = time
  }

  func flight(named id: UInt64) -> Int? {
    flights.firstIndex { $0.id == id }
  }

  mutating func remove(at index: Int) -> Flight {
    flights.remove(at: index)
  }

  /// Removes operations from a message in flight, and returns them. The message's other operations have to be sent
  /// again, as a new message.
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

  /// Removes operations from everything that has to be sent, and returns them: from waiting edits, and from messages
  /// that have to be sent again.
  mutating func takeBackUnsent(where isTaken: (Operation) -> Bool) -> [Pending] {
    // The compiler copies a function for each closure that is passed to it. So only this short one gets the closure.
    var marks: [Bool] = []
    forEach { marks.append(isTaken($0.operation)) }
    return marks.contains(true) ? takeBackUnsent(marks) : []
  }

  /// - Parameter marks: for each operation in the order of `forEach`, whether it is taken if it has to be sent.
  private mutating func takeBackUnsent(_ marks: [Bool]) -> [Pending] {
    var marks = marks[...]
    var taken: [Pending] = []
    var kept: [Flight] = []
    for flight in flights {
      let own = marks.prefix(flight.pending.count)
      marks = marks.dropFirst(own.count)
      guard !flight.isSent, own.contains(true) else {
        kept.append(flight)
        continue
      }
      var rest: [Pending] = []
      for (pending, isTaken) in zip(flight.pending, own) {
        if isTaken { taken.append(pending) } else { rest.append(pending) }
      }
      if !rest.isEmpty { kept.append(Flight(id: newIdentifier(), pending: rest)) }
    }
    flights = kept
    guard marks.contains(true) else { return taken }
    for index in waitingStart..<waiting.count where !waiting[index].operation.set.assigned.isEmpty {
      guard marks.popFirst() == true else { continue }
      taken.append(waiting[index])
      waiting[index].operation.set.clear()
    }
    tidy()
    return taken
  }

  /// Splits messages that have to be sent again and that are too large now. They might have been made in another
  /// encoding, or before the server changed its limits.
  /// - Parameter base: if given, deletions are put apart from other edits, and deletions of what this canvas has from
  ///   deletions of what it lacks.
  mutating func split(_ limits: MessageLimits, apartOn base: Canvas? = nil) {
    var split: [Flight] = []
    for flight in flights {
      let parts = flight.isSent ? [] : Outbox.parts(of: flight.pending, limits, apartOn: base)
      guard parts.count > 1 else {
        split.append(flight)
        continue
      }
      for part in parts { split.append(Flight(id: newIdentifier(), pending: part)) }
    }
    flights = split
  }

  /// Splits the unsent messages so that deletions of what `base` has are sent apart from other edits. If a deletion is
  /// among the waiting edits, they are made into messages first. The other operations of one edit stay together, if one
  /// message can have them.
  mutating func setDeletionsApart(_ limits: MessageLimits, on base: Canvas) {
    if waiting.contains(where: { $0.operation.set.deleted }) {
      while waitingCount > 0 { launch(slots: nextMessageLength(limits).slots) }
    }
    split(limits, apartOn: base)
  }

  private static func parts(of pending: [Pending], _ limits: MessageLimits, apartOn base: Canvas?) -> [[Pending]] {
    func staysWith(_ last: Pending, _ first: Pending, _ next: Pending) -> Bool {
      guard let base else { return true }
      let (before, operation) = (last.operation, next.operation)
      guard last.edit == next.edit else { return !first.operation.set.deleted && !operation.set.deleted }
      if base.contains(before.shape) == base.contains(operation.shape) { return true }
      // Where lines end is written after the deletions by undo and redo. Then the edit stays together.
      return !before.set.deleted || !operation.set.deleted
        || pending.last { $0.edit == next.edit }?.operation.set.deleted != true
    }
    var parts: [[Pending]] = []
    var bytes = 0
    for operation in pending {
      let more = limits.bytesMax(of: operation.operation)
      if let last = parts.indices.last, parts[last].count < limits.operationsMax, bytes + more <= limits.bytesMax,
        staysWith(parts[last][parts[last].count - 1], parts[last][0], operation)
      {
        parts[last].append(operation)
        bytes += more
      } else {
        parts.append([operation])
        bytes = limits.envelopeBytes + more
      }
    }
    return parts
  }
}

extension Outbox {
  /// Calls `body` with every operation, from the oldest to the newest.
  func forEach(_ body: (Pending) -> Void) {
    for flight in flights {
      for pending in flight.pending { body(pending) }
    }
    for index in waitingStart..<waiting.count where !waiting[index].operation.set.assigned.isEmpty {
      body(waiting[index])
    }
  }

  /// Changes every operation's stamp to the result of `stamp`. All operations have to be sent again.
  mutating func restamp(_ stamp: (Stamp) -> Stamp) {
    for index in flights.indices {
      flights[index].sentAt = nil
      for place in flights[index].pending.indices {
        flights[index].pending[place].operation.at = stamp(flights[index].pending[place].operation.at)
      }
    }
    for index in waitingStart..<waiting.count where !waiting[index].operation.set.assigned.isEmpty {
      waiting[index].operation.at = stamp(waiting[index].operation.at)
    }
    tidy()
  }

  /// Updates the pending edits one by one, in their order.
  mutating func updateEach(_ update: (inout Pending) -> Void) {
    for index in flights.indices {
      for place in flights[index].pending.indices { update(&flights[index].pending[place]) }
    }
    for index in waitingStart..<waiting.count where !waiting[index].operation.set.assigned.isEmpty {
      update(&waiting[index])
    }
  }

  /// Restores the replaced values of saved edits. The list is in the order of the edits.
  mutating func restoreReplaced(_ saved: [(stamp: Stamp, values: ReplacedValues)]) {
    var rest = saved[...]
    updateEach { pending in
      rest = rest.drop { $0.stamp < pending.operation.at }
      pending.replaced = rest.first.flatMap { $0.stamp == pending.operation.at ? $0.values : nil }
    }
  }

  /// The waiting operations, grouped by edit.
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

  /// A saved outbox: first the messages that were in flight, then the edits that waited.
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
