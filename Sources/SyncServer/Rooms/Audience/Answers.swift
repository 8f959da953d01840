/// Answers to one connection alone, in the order in which they were given, until they are sent.
///
/// What always holds: none is sent before the beat that it speaks of, and `byteCount` is the sum of those that wait.
struct Answers: Sendable {
  private struct Answer: Sendable {
    /// Sent once its reader has come so far in the ring, so that an answer never speaks of what is still to come.
    let after: UInt64
    let bytes: [UInt8]
    /// Of no use to a reader that is brought up to date otherwise: made anew then.
    let isDigest: Bool
  }

  /// From `taken` on they wait.
  private var answers: [Answer] = []
  private var taken = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { taken == answers.count }
  var hasDigest: Bool { answers[taken...].contains { $0.isDigest } }

  mutating func add(_ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool) {
    answers.append(Answer(after: ordinal, bytes: bytes, isDigest: isDigest))
    byteCount += bytes.count
  }

  /// All that may be sent to a reader that has come so far in the ring, in one buffer.
  mutating func take(upTo ordinal: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    while !isEmpty, answers[taken].after <= ordinal {
      let answer = answers[taken]
      byteCount -= answer.bytes.count
      taken += 1
      // One alone needs no copy.
      if bytes.isEmpty { bytes = answer.bytes } else { bytes += answer.bytes }
    }
    if taken == answers.count {
      answers.removeAll(keepingCapacity: answers.count <= 16)
      taken = 0
    } else if taken * 2 > answers.count {
      answers.removeFirst(taken)
      taken = 0
    }
    return bytes
  }

  mutating func dropDigests() {
    answers.removeFirst(taken)
    taken = 0
    answers.removeAll { $0.isDigest }
    byteCount = answers.reduce(0) { $0 + $1.bytes.count }
  }
}
