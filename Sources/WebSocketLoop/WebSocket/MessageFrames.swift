/// A message as a server sends it: WebSocket frames with their headers, in one immutable buffer that all readers share.
///
/// A server's frames are not masked, so the bytes are the same for every reader, and consecutive frames in a buffer are
/// sent by one `send()`. A long payload is cut into fragments. If a socket fills up in the middle of a frame, the
/// remaining part has to be kept for that reader, because no pong may come in between. So the length of a fragment
/// bounds the bytes that are kept for a stalled reader.
public struct MessageFrames: Sendable {
  /// The upper bound on the payload of a fragment, and so on the bytes that are kept for a stalled reader. It is also
  /// the smallest part of a long message that a slow line can get. At 64 kbit/s, such a part takes half a second.
  public static let fragmentBytesMax = 4_096

  public let bytes: [UInt8]

  public init(text: some Collection<UInt8>) { bytes = Self.frames(of: text, opcode: .text) }
  public init(text: String) { bytes = Self.frames(of: text.utf8, opcode: .text) }
  public init(binary: some Collection<UInt8>) { bytes = Self.frames(of: binary, opcode: .binary) }

  private static func frames(of payload: some Collection<UInt8>, opcode: FrameOpcode) -> [UInt8] {
    var bytes: [UInt8] = []
    append(payload, opcode: opcode, to: &bytes)
    return bytes
  }

  /// Appends the frames of a text message to a buffer that gathers many messages.
  public static func append(text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    append(text, opcode: .text, to: &bytes)
  }

  /// Appends the frames of a binary message to a buffer that gathers many messages.
  public static func append(binary: some Collection<UInt8>, to bytes: inout [UInt8]) {
    append(binary, opcode: .binary, to: &bytes)
  }

  static func append(_ payload: some Collection<UInt8>, opcode: FrameOpcode, to bytes: inout [UInt8]) {
    let fragments = max(1, (payload.count + fragmentBytesMax - 1) / fragmentBytesMax)
    bytes.reserveCapacity(bytes.count + payload.count + fragments * FrameHeader.bytesMax)
    var rest = payload[...]
    var opcode = opcode
    repeat {
      let fragment = rest.prefix(fragmentBytesMax)
      rest = rest.dropFirst(fragment.count)
      FrameHeader(opcode: opcode, isLast: rest.isEmpty, payloadCount: fragment.count).append(to: &bytes)
      bytes.append(contentsOf: fragment)
      opcode = .continuation
    } while !rest.isEmpty
  }
}

enum FrameOpcode: UInt8 {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10
}

/// The header of an unmasked frame, as a server sends it. A fragment is so short that two bytes suffice for its length.
struct FrameHeader {
  static let bytesMax = 4

  var opcode: FrameOpcode
  var isLast: Bool
  var payloadCount: Int

  init(opcode: FrameOpcode, isLast: Bool, payloadCount: Int) {
    self.opcode = opcode
    self.isLast = isLast
    self.payloadCount = payloadCount
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(opcode.rawValue | (isLast ? 0x80 : 0))
    if payloadCount < 126 {
      bytes.append(UInt8(payloadCount))
    } else {
      bytes.append(126)
      bytes.append(UInt8(payloadCount >> 8))
      bytes.append(UInt8(truncatingIfNeeded: payloadCount))
    }
  }

  var byteCount: Int { payloadCount < 126 ? 2 : 4 }

  /// Reads the header at the start of `bytes`, which come from `append`.
  init(readingOurOwn bytes: UnsafeRawBufferPointer) {
    opcode = FrameOpcode(rawValue: bytes[0] & 0x0F)!
    isLast = bytes[0] & 0x80 != 0
    payloadCount = bytes[1] == 126 ? Int(bytes[2]) << 8 | Int(bytes[3]) : Int(bytes[1])
  }

  /// The end of the last frame that ends at or before `place`. If there is no such frame, the result is the end of the
  /// first frame. `bytes` begin with a frame, and come from `append`.
  static func boundary(atOrBefore place: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var end = 0
    while end < bytes.count {
      let header = FrameHeader(readingOurOwn: UnsafeRawBufferPointer(rebasing: bytes[end...]))
      let next = end + header.byteCount + header.payloadCount
      if end > 0, next > place { break }
      end = next
    }
    return end
  }

  /// The end of the frame in which the byte at `place` lies, or `place` itself if a frame ends there. `bytes` begin
  /// with a frame, and `append` made them.
  static func boundary(atOrAfter place: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var end = 0
    while end < place {
      let header = FrameHeader(readingOurOwn: UnsafeRawBufferPointer(rebasing: bytes[end...]))
      end += header.byteCount + header.payloadCount
    }
    return end
  }
}
