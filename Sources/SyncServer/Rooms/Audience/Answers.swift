/// Answers to one connection, kept in order until they are sent.
///
/// What always holds: no answer is sent before the broadcast (`Beat`) that it refers to. `byteCount` is the number of
/// bytes of the answers that wait.
struct Answers: Sendable {
  private struct Answer: Sendable {
    /// The ordinal of the broadcast that the reader has to reach before the answer is sent. So an answer never refers
    /// to a broadcast that the reader hasn't got.
    let after: UInt64
    let bytes: [UInt8]
    /// Whether the answer is a digest. While the reader is sent the room's state instead of broadcasts, a new digest
    /// replaces an older digest that waits.
    let isDigest: Bool
  }

  /// The answers from index `taken` on are waiting. Those before it have been sent.
  private var answers: [Answer] = []
  private var taken = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { taken == answers.count }
  var hasDigest: Bool { answers[taken...].contains { $0.isDigest } }

  mutating func add(_ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool) {
    answers.append(Answer(after: ordinal, bytes: bytes, isDigest: isDigest))
    byteCount += bytes.count
  }

  /// Appends to `bytes` all answers that may be sent to a reader with all broadcasts before `ordinal`. Keeps the
  /// answers until `drop`.
  /// - Parameter passedOver: how many of the oldest answers to skip, because an earlier call appended them.
  /// - Returns: how many answers have been appended in all.
  func append(upTo ordinal: UInt64, passingOver passedOver: Int = 0, to bytes: inout [UInt8]) -> Int {
    var index = taken + passedOver
    while index < answers.count, answers[index].after <= ordinal {
      // The first answer shares its buffer instead of being copied.
      if bytes.isEmpty { bytes = answers[index].bytes } else { bytes += answers[index].bytes }
      index += 1
    }
    return index - taken
  }

  /// Drops the oldest answers. To be called when the socket has taken at least their first byte.
  mutating func drop(_ count: Int) {
    for answer in answers[taken..<taken + count] { byteCount -= answer.bytes.count }
    taken += count
    if taken == answers.count {
      answers.removeAll(keepingCapacity: answers.count <= 16)
      taken = 0
    } else if taken * 2 > answers.count {
      answers.removeFirst(taken)
      taken = 0
    }
  }

  /// Drops the digests among the answers.
  /// - Returns: how many digests there were.
  @discardableResult
  mutating func dropDigests() -> Int {
    answers.removeFirst(taken)
    taken = 0
    let count = answers.count
    answers.removeAll { $0.isDigest }
    byteCount = answers.reduce(0) { $0 + $1.bytes.count }
    return count - answers.count
  }
}
