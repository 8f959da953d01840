/// Reads along the frames that a client sends, for what a server may not let pass (RFC 6455) and libwebsockets 4.1.6
/// does, or drops the socket for without a word.
///
/// Pings it answers itself. libwebsockets would answer the first of several that come at once and forget the others; all
/// may be left unanswered but the newest (5.5.3). To libwebsockets they are made to look like pongs, which nobody answers.
struct FrameGate {
  enum Fault: String {
    case unmasked = "a frame that is not masked"
    case longLength = "a length in more bytes than it needs"
    case longControl = "a control frame of more than 125 bytes"
  }

  private enum Next {
    case opcode
    case length
    /// So many bytes of a length, and what has come of it.
    case longLength(bytesLeft: Int, least: UInt64, value: UInt64)
    /// A mask's key and the payload of a ping, as far as they have come.
    case ping(count: Int)
    /// The same of any other frame, of which so many bytes are still to come.
    case rest(UInt64)
  }

  private var next = Next.opcode
  private var opcode: UInt8 = 0
  /// Final and without reserved bits; what libwebsockets refuses is not to be answered before it has.
  private var isPlain = false
  private var ping: [UInt8] = []
  /// The payload of the newest ping, until it is taken to be answered.
  private var unanswered: [UInt8]?

  private static let maskBytes = 4

  mutating func takePing() -> [UInt8]? {
    guard unanswered != nil else { return nil }
    defer { unanswered = nil }
    return unanswered
  }

  /// What is wrong with what has just been received, if anything. Nothing is to be received after a fault.
  mutating func fault(in bytes: UnsafeMutableRawBufferPointer) -> Fault? {
    var place = 0
    while place < bytes.count {
      switch next {
      case .opcode:
        opcode = bytes[place] & 0x0F
        isPlain = bytes[place] & 0xF0 == 0x80
        if opcode == FrameOpcode.ping.rawValue { bytes[place] = bytes[place] & 0xF0 | FrameOpcode.pong.rawValue }
        next = .length
        place += 1
      case .length:
        if let fault = readLength(bytes[place]) { return fault }
        place += 1
      case .longLength(let bytesLeft, let least, var value):
        value = value << 8 | UInt64(bytes[place])
        place += 1
        if bytesLeft > 1 {
          next = .longLength(bytesLeft: bytesLeft - 1, least: least, value: value)
        } else {
          guard value >= least, value <= UInt64(Int64.max) else { return .longLength }
          next = .rest(value + UInt64(FrameGate.maskBytes))
        }
      case .ping(let count):
        let passed = min(count - ping.count, bytes.count - place)
        ping.append(contentsOf: bytes[place..<(place + passed)])
        place += passed
        if ping.count == count { finishPing() }
      case .rest(let count):
        let passed = min(count, UInt64(bytes.count - place))
        place += Int(passed)
        next = passed == count ? .opcode : .rest(count - passed)
      }
    }
    return nil
  }

  private mutating func readLength(_ byte: UInt8) -> Fault? {
    guard byte & 0x80 != 0 else { return .unmasked }
    let count = byte & 0x7F
    if opcode & 0x08 != 0, count > 125 { return .longControl }
    switch count {
    case 126: next = .longLength(bytesLeft: 2, least: 126, value: 0)
    case 127: next = .longLength(bytesLeft: 8, least: 65_536, value: 0)
    case _ where opcode == FrameOpcode.ping.rawValue: next = .ping(count: Int(count) + FrameGate.maskBytes)
    default: next = .rest(UInt64(count) + UInt64(FrameGate.maskBytes))
    }
    return nil
  }

  private mutating func finishPing() {
    let key = ping[..<FrameGate.maskBytes]
    if isPlain { unanswered = ping[FrameGate.maskBytes...].enumerated().map { $1 ^ key[$0 & 3] } }
    ping.removeAll()
    next = .opcode
  }
}
