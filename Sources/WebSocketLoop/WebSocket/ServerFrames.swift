/// Finds the frames in what a client's socket gave, so that messages go to their reader from where they lie.
/// libwebsockets 4.1.6 takes a client's bytes one by one into a buffer of its own, at a dozen instructions each.
///
/// Only data frames are taken from it. Control frames are left to it, and those have to be whole and in order here
/// first, since it sees nothing else.
struct ServerFrames {
  enum Fault: String, Error {
    case masked = "a frame that is masked"
    case reserved = "a frame of a kind that there is not"
    case longLength = "a length in more bytes than it needs"
    case badControl = "a control frame that is fragmented or of more than 125 bytes"
    case strayContinuation = "a continuation of nothing"
    case unfinished = "a message in the middle of another"
  }

  enum Piece {
    /// A part of a data frame's header.
    case header
    /// A part of a control frame.
    case control
    /// A part of a data frame's payload, the last `count` bytes that were read, perhaps none; `left` are still to come.
    case data(count: Int, left: UInt64)
  }

  private enum Next {
    case opcode
    case length
    /// So many bytes of a length, and what has come of it.
    case longLength(bytesLeft: Int, least: UInt64, value: UInt64)
    case payload(left: UInt64)
  }

  private var next = Next.opcode
  private var opcode: UInt8 = 0
  private var isFinal = false
  /// Whether a message of several frames has begun and not ended.
  private var isInMessage = false
  /// Whether the message at hand is a text.
  private(set) var isText = false
  /// The server has said goodbye. Nothing may come after that, and if it does it is libwebsockets' to pass over.
  private(set) var isPastGoodbye = false

  private var isControl: Bool { opcode & 0x08 != 0 }

  /// Whether a message begins with what comes next.
  var isBetweenMessages: Bool {
    if case .opcode = next { !isInMessage } else { false }
  }

  /// Whether the data frame at hand is its message's last.
  var isLastFrame: Bool { isFinal }

  /// Reads on from `place` up to where something else begins, and moves `place` there. `bytes` go on behind it.
  mutating func read(_ bytes: UnsafeRawBufferPointer, from place: inout Int) throws(Fault) -> Piece {
    switch next {
    case .opcode:
      try begin(bytes[place])
      place += 1
      next = .length
    case .length:
      let byte = bytes[place]
      place += 1
      guard byte & 0x80 == 0 else { throw .masked }
      guard !isControl || byte <= 125 else { throw .badControl }
      switch byte {
      case 126: next = .longLength(bytesLeft: 2, least: 126, value: 0)
      case 127: next = .longLength(bytesLeft: 8, least: 65_536, value: 0)
      default: return payload(UInt64(byte))
      }
    case .longLength(let bytesLeft, let least, var value):
      value = value << 8 | UInt64(bytes[place])
      place += 1
      guard bytesLeft == 1 else {
        next = .longLength(bytesLeft: bytesLeft - 1, least: least, value: value)
        return .header
      }
      guard value >= least, value <= UInt64(Int64.max) else { throw .longLength }
      return payload(value)
    case .payload(let left):
      let passed = min(left, UInt64(bytes.count - place))
      place += Int(passed)
      next = passed == left ? .opcode : .payload(left: left - passed)
      if passed == left { noteGoodbye() }
      return isControl ? .control : .data(count: Int(passed), left: left - passed)
    }
    return isControl ? .control : .header
  }

  private mutating func begin(_ byte: UInt8) throws(Fault) {
    opcode = byte & 0x0F
    let isFinal = byte & 0x80 != 0
    guard byte & 0x70 == 0, let kind = FrameOpcode(rawValue: opcode) else { throw .reserved }
    switch kind {
    case .continuation:
      guard isInMessage else { throw .strayContinuation }
    case .text, .binary:
      guard !isInMessage else { throw .unfinished }
      isText = kind == .text
    case .close, .ping, .pong:
      guard isFinal else { throw .badControl }
      return
    }
    self.isFinal = isFinal
    isInMessage = !isFinal
  }

  private mutating func noteGoodbye() {
    if opcode == FrameOpcode.close.rawValue { isPastGoodbye = true }
  }

  private mutating func payload(_ count: UInt64) -> Piece {
    next = count > 0 ? .payload(left: count) : .opcode
    if count == 0 { noteGoodbye() }
    if isControl { return .control }
    return count > 0 ? .header : .data(count: 0, left: 0)
  }
}
