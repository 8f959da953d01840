import SyncServer

@testable import WebSocketLoop

/// A WebSocket connection without a socket, as a server and a test see it.
///
/// `@unchecked Sendable`: each connection belongs to one test, which runs on one thread.
final class VirtualConnection: ServerConnection, @unchecked Sendable {
  var tag = 0
  var party: String
  let subprotocol: String?
  /// How many bytes the connection takes before it is full.
  var room = Int.max
  /// Whether the server waits until the line takes more.
  private(set) var isFull = false
  private(set) var wantsWritable = false
  private(set) var isReadingPaused = false
  /// The frames that the server has sent, and that the test has not taken.
  private var sent: [UInt8] = []
  /// How the server closed the connection. `nil` if it didn't.
  private(set) var closure: Closure?

  init(subprotocol: String?, party: String) {
    self.subprotocol = subprotocol
    self.party = party
  }

  // MARK: As the server sees it

  func write(_ frames: UnsafeRawBufferPointer) -> Int {
    guard closure == nil else { return 0 }
    guard !isFull else {
      wantsWritable = true
      return 0
    }
    // Whole frames are taken, even if the last one exceeds `room`. A socket that has taken the first bytes of a frame
    // takes the remaining bytes too.
    let taken = FrameHeader.boundary(atOrAfter: min(room, frames.count), in: frames)
    sent.append(contentsOf: frames.prefix(taken))
    if room != .max { room = max(0, room - taken) }
    if taken < frames.count {
      isFull = true
      wantsWritable = true
    }
    return taken
  }

  func send(_ frame: MessageFrames) -> Bool {
    guard closure == nil else { return false }
    sent += frame.bytes
    return true
  }

  func notifyWhenWritable() { wantsWritable = true }
  func pauseReading() { isReadingPaused = true }
  func resumeReading() { isReadingPaused = false }

  func close(code: UInt16, reason: String) {
    if closure == nil { closure = Closure(cause: .ours, code: code, reason: reason) }
  }

  // MARK: As the test sees it

  /// Lets the line take bytes again.
  /// - Returns: whether the server has waited for that.
  func takesMore() -> Bool {
    guard wantsWritable, room > 0, closure == nil else { return false }
    wantsWritable = false
    isFull = false
    return true
  }

  /// Whether all frames that were sent have been taken.
  var isRead: Bool { sent.isEmpty }

  /// The frames that have been sent since the last call.
  func takeFrames() -> [UInt8] {
    defer { sent = [] }
    return sent
  }

  /// Takes the whole messages out of a stream of frames.
  static func takeMessages(_ frames: inout [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var message: [UInt8] = []
    var (offset, read) = (0, 0)
    frames.withUnsafeBytes { bytes in
      while bytes.count - offset >= FrameHeader.bytesMax || FrameHeader.isWhole(bytes[offset...]) {
        let header = FrameHeader(readingOurOwn: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        let start = offset + header.byteCount
        guard start + header.payloadCount <= bytes.count else { break }
        message.append(contentsOf: bytes[start..<start + header.payloadCount])
        offset = start + header.payloadCount
        guard header.isLast else { continue }
        messages.append(message)
        message = []
        read = offset
      }
    }
    frames.removeFirst(read)
    return messages
  }
}

extension FrameHeader {
  /// Whether the bytes contain all of the frame header with which they begin.
  fileprivate static func isWhole(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard bytes.count >= 2 else { return false }
    return bytes.count >= (bytes[bytes.startIndex + 1] == 126 ? 4 : 2)
  }
}
