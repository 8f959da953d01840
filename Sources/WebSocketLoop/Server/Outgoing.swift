internal import CWebSockets
import Glibc

/// An answer that is being sent. A large body is sent piece by piece from one buffer, so it is never copied.
struct Outgoing {
  enum Progress {
    case done
    /// Not everything was sent, because the socket is full or because other sockets are served first.
    case waits
    case failed
  }

  private static let pieceBytesMax = 65_536
  /// How many pieces are sent before other sockets are served.
  private static let piecesInOneGoMax = 4
  /// A body up to this length is copied behind the head, because copying costs less than a second `send`.
  private static let copiedBytesMax = 16_384

  private var head: [UInt8] = []
  private var headSent = 0
  private var body: [UInt8] = []
  private var bodySent = 0

  init() {}

  init(head: [UInt8], body: [UInt8]) {
    self.head = head
    if body.count <= Outgoing.copiedBytesMax { self.head += body } else { self.body = body }
  }

  /// How many bytes of the body are held. The head doesn't count.
  var heldBytes: Int { body.count }

  /// Sends as much as the socket takes.
  /// - Returns: how far the answer has come, and how many bytes this call has sent.
  mutating func send(to descriptor: Int32) -> (progress: Progress, bytes: Int) {
    var bytes = 0
    for _ in 0..<Outgoing.piecesInOneGoMax {
      let isHead = headSent < head.count
      guard isHead || bodySent < body.count else { return (.done, bytes) }
      let place = isHead ? headSent : bodySent
      let count = (isHead ? head : body).withUnsafeBytes { part in
        Glibc.send(
          descriptor,
          part.baseAddress! + place,
          min(part.count - place, Outgoing.pieceBytesMax),
          Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        )
      }
      guard count >= 0 else { return (errno == EAGAIN || errno == EINTR ? .waits : .failed, bytes) }
      if isHead { headSent += count } else { bodySent += count }
      bytes += count
    }
    return (headSent < head.count || bodySent < body.count ? .waits : .done, bytes)
  }
}
