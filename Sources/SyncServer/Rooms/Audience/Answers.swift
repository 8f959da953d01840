import Basics

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

  private var answers = Fifo<Answer>()
  private(set) var byteCount = 0

  var isEmpty: Bool { answers.isEmpty }
  var hasDigest: Bool { answers.contains { $0.isDigest } }

  mutating func add(_ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool) {
    answers.append(Answer(after: ordinal, bytes: bytes, isDigest: isDigest))
    byteCount += bytes.count
  }

  /// Appends to `bytes` all answers that may be sent to a reader with all broadcasts before `ordinal`. Keeps the
  /// answers until `drop`.
  /// - Parameter passedOver: how many of the oldest answers to skip, because an earlier call appended them.
  /// - Returns: how many answers have been appended in all.
  func append(upTo ordinal: UInt64, passingOver passedOver: Int = 0, to bytes: inout [UInt8]) -> Int {
    var index = passedOver
    while index < answers.count, answers[index].after <= ordinal {
      // The first answer shares its buffer instead of being copied.
      if bytes.isEmpty { bytes = answers[index].bytes } else { bytes += answers[index].bytes }
      index += 1
    }
    return index
  }

  /// Drops the oldest answers. To be called when the socket has taken at least their first byte.
  mutating func drop(_ count: Int) {
    for _ in 0..<count {
      guard let answer = answers.popFirst() else { return }
      byteCount -= answer.bytes.count
    }
  }

  /// Drops the digests among the answers.
  /// - Returns: how many digests there were.
  @discardableResult
  mutating func dropDigests() -> Int {
    let count = answers.count
    answers = Fifo(answers.filter { !$0.isDigest })
    byteCount = answers.reduce(0) { $0 + $1.bytes.count }
    return count - answers.count
  }
}
