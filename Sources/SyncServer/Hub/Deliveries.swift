import RoomLog

/// The log's answers that rooms have not processed yet.
///
/// Rooms are served round-robin, one record at a time, because a record of a thousand operations takes milliseconds.
/// After a few milliseconds, the remaining answers wait for the next iteration of the event loop.
///
/// What always holds: each room gets its answers in the order in which the log gave them.
struct Deliveries {
  enum Answer {
    case record(LogRecord, part: Int, of: LogDesk.Append?)
    case failure(LogDesk.Append, LogError)
  }

  /// Rooms with unprocessed answers, in the order in which they are served.
  private var turns = Queue<OpenRoom>()

  /// Whether a later iteration of the event loop is scheduled to process the remaining answers.
  var isNextTurnDue = false

  var isEmpty: Bool { turns.isEmpty }

  mutating func add(_ answer: Answer, for open: OpenRoom) {
    if open.answers.isEmpty { turns.append(open) }
    open.answers.append(answer)
  }

  mutating func takeNext() -> (open: OpenRoom, answer: Answer)? {
    guard let open = turns.popFirst(), let answer = open.answers.popFirst() else { return nil }
    if !open.answers.isEmpty { turns.append(open) }
    return (open, answer)
  }
}

/// A first-in, first-out queue.
struct Queue<Element> {
  private var elements: [Element] = []
  /// How many elements at the beginning of the array have been taken already.
  private var taken = 0
  private(set) var takenEver: UInt64 = 0

  var isEmpty: Bool { taken == elements.count }
  var countEver: UInt64 { takenEver + UInt64(elements.count - taken) }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard taken < elements.count else { return nil }
    let element = elements[taken]
    taken += 1
    takenEver += 1
    // Taken elements are removed only now and then, because removing them moves all the others.
    if taken >= max(Queue.takenMax, elements.count / 2) || isEmpty {
      elements.removeFirst(taken)
      taken = 0
    }
    return element
  }

  private static var takenMax: Int { 64 }
}
