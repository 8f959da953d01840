import Basics

/// Splits a node's messages into parts that fit into PostgreSQL's notifications, and joins the parts again.
///
/// What always holds: a message is delivered whole or not at all.
struct MessageParts {
  struct Begun {
    var bytes: [UInt8] = []
    var count = 0
    /// How many parts the message has.
    let total: Int
  }

  /// The messages of which some parts have arrived, by the process that sends them.
  private(set) var begun: [Int32: Begun] = [:]

  /// A notification has at most 8,000 bytes. A part's bytes are written as Base64, because notifications are text.
  static let partBytesMax = 5_500
  /// The most parts of a message. Longer messages are dropped, so that no sender fills the memory. What a node tells of
  /// as many people as it takes is far shorter.
  static let partsMax = 4_096
  /// The most messages that are begun. A sender that ends within a message leaves it here.
  private static let begunMax = 64

  /// A message as texts, each short enough for a notification. Empty for a message that is too long.
  static func split(_ bytes: [UInt8]) -> [String] {
    let count = max(1, (bytes.count + partBytesMax - 1) / partBytesMax)
    guard count <= partsMax else { return [] }
    return (0..<count).map { index in
      let part = bytes[index * partBytesMax..<min((index + 1) * partBytesMax, bytes.count)]
      return "\(index) \(count) \(Base64.padded.encoded(Array(part)))"
    }
  }

  /// Forgets what has begun, because parts may have been missed.
  mutating func forgetBegun() { begun = [:] }

  /// Takes in a part.
  /// - Returns: the message, if this was its last part. `nil` also if the text isn't a part.
  mutating func join(_ text: String, from process: Int32) -> [UInt8]? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let index = Int(words[0]), let count = Int(words[1]), 0..<count ~= index,
      count <= MessageParts.partsMax, let bytes = Base64.padded.decoded(Array(words[2].utf8))
    else { return nil }
    let before = begun.removeValue(forKey: process)
    var message = index == 0 ? Begun(total: count) : before ?? Begun(total: count)
    // If a part before this one was missed, the rest of the message is dropped.
    guard message.count == index, message.total == count else { return nil }
    message.bytes += bytes
    message.count += 1
    guard message.count < count else { return message.bytes }
    if begun.count >= MessageParts.begunMax { begun = [:] }
    begun[process] = message
    return nil
  }
}
