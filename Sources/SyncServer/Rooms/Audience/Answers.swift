/// Answers to one connection, in the order in which they were given, kept until they are sent.
///
/// What always holds: no answer is sent before the beat that it speaks of, and `byteCount` is the sum of the answers
/// that wait.
struct Answers: Sendable {
  private struct Answer: Sendable {
    /// The answer is sent once its reader has come this far in the ring. So it never speaks of what is still to come.
    let after: UInt64
    let bytes: [UInt8]
    /// The answer is a digest. It is useless to a reader that is caught up by a stream of state, and is made anew then.
    let isDigest: Bool
  }

  /// The answers that wait are those from `taken` on.
  private var answers: [Answer] = []
  private var taken = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { taken == answers.count }
  var hasDigest: Bool { answers[taken...].contains { $0.isDigest } }

  mutating func add(_ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool) {
    answers.append(Answer(after: ordinal, bytes: bytes, isDigest: isDigest))
    byteCount += bytes.count
  }

  /// All answers that may be sent to a reader that has come this far in the ring, in one buffer.
  mutating func take(upTo ordinal: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    while !isEmpty, answers[taken].after <= ordinal {
      let answer = answers[taken]
      byteCount -= answer.bytes.count
      taken += 1
      // A single answer needs no copy.
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
