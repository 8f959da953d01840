/// Answers to one connection, in the order in which they were given, kept until they are sent.
///
/// What always holds: no answer is sent before the beat that it refers to, and `byteCount` is the sum of the answers
/// that wait.
struct Answers: Sendable {
  private struct Answer: Sendable {
    /// The answer is sent once its reader has come this far in the ring. So the answer never refers to a beat that the
    /// reader hasn't got.
    let after: UInt64
    let bytes: [UInt8]
    /// The answer is a digest. A reader that is caught up by a stream of state gets a new one instead.
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

  /// Appends all answers that may be sent to a reader that has come this far in the ring. They are kept until `drop`.
  /// - Parameter passedOver: how many answers were appended before.
  /// - Returns: how many answers have been appended by now.
  func append(upTo ordinal: UInt64, passingOver passedOver: Int = 0, to bytes: inout [UInt8]) -> Int {
    var index = taken + passedOver
    while index < answers.count, answers[index].after <= ordinal {
      // A single answer needs no copying.
      if bytes.isEmpty { bytes = answers[index].bytes } else { bytes += answers[index].bytes }
      index += 1
    }
    return index - taken
  }

  /// The oldest answers have been sent, at least their first bytes.
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
