import Basics

/// Whole messages that arrived when the loop had no time left for them in that iteration, or while reading was paused.
/// They wait until the loop's queue serves their connection.
///
/// What always holds: a connection is in the loop's queue at most once.
struct HeldMessages {
  struct Entry {
    let bytes: [UInt8]
    let isText: Bool
    /// The number under which the listener counts the message's bytes. `nil` if the message is too short to be counted.
    let number: UInt64?
  }

  private var entries = Fifo<Entry>()
  private var isQueuedUp = false

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func popFirst() -> Entry? { entries.popFirst() }

  /// - Returns: whether the connection has to be put into the queue now.
  mutating func needsPlace() -> Bool {
    guard !isEmpty, !isQueuedUp else { return false }
    isQueuedUp = true
    return true
  }

  /// To be called when the loop's queue serves the connection. The connection then is no longer in the queue.
  mutating func hasTurn() { isQueuedUp = false }
}
