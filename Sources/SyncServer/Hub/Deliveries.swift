import RoomLog

/// The log's answers that rooms have not processed yet.
///
/// A large layout comes back as a hundred records of a thousand operations, and each record takes milliseconds. So
/// rooms are served round-robin, one record at a time, for a few milliseconds; the rest waits for the next turn of the
/// loop.
///
/// What always holds: each room gets its answers in the order in which the log gave them.
struct Deliveries {
  enum Answer {
    case record(LogRecord, part: Int, of: LogDesk.Append?)
    case failure(LogDesk.Append, LogError)
  }

  /// The rooms that have answers to process. The first one is served next.
  private var turns = Queue<OpenRoom>()

  /// Whether a later turn of the loop is scheduled for the answers that are left.
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

/// A queue: elements are taken in the order in which they were appended.
struct Queue<Element> {
  private var elements: [Element] = []
  /// How many elements at the beginning of the array have been taken already.
  private var taken = 0
  /// How many elements have ever been taken.
  private(set) var takenEver: UInt64 = 0

  var isEmpty: Bool { taken == elements.count }
  /// How many elements have ever been appended.
  var countEver: UInt64 { takenEver + UInt64(elements.count - taken) }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard taken < elements.count else { return nil }
    let element = elements[taken]
    taken += 1
    takenEver += 1
    // The remaining elements are moved to the front only now and then, so that the cost for each element is small.
    if taken >= max(Queue.takenMax, elements.count / 2) || isEmpty {
      elements.removeFirst(taken)
      taken = 0
    }
    return element
  }

  private static var takenMax: Int { 64 }
}
