import Basics
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
    /// The log waits until the room has processed everything before this.
    case pause
  }

  /// Rooms with unprocessed answers, in the order in which they are served.
  private var turns = Fifo<OpenRoom>()

  /// Whether a later iteration of the event loop is scheduled to process the remaining answers.
  var isNextTurnDue = false

  var isEmpty: Bool { turns.isEmpty }

  mutating func add(_ answer: Answer, for open: OpenRoom) {
    if open.answers.isEmpty { turns.append(open) }
    if case .record(let record, _, _) = answer { open.noteReported(record.position) }
    open.answers.append(answer)
  }

  mutating func takeNext() -> (open: OpenRoom, answer: Answer)? {
    guard let open = turns.popFirst(), let answer = open.answers.popFirst() else { return nil }
    open.answersTaken += 1
    if !open.answers.isEmpty { turns.append(open) }
    return (open, answer)
  }
}
