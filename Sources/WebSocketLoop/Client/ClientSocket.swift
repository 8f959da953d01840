internal import CWebSockets
import Glibc

/// The outcome of sending to a socket, or of receiving from it.
enum SocketTransfer {
  case bytes(Int)
  /// No byte was transferred. The caller has to try again when the socket is writable (`forWriting`) or readable.
  case waits(forWriting: Bool)
  /// The peer has closed its direction: no more bytes arrive.
  case ended
  case failed(HTTPRequestError)
}

/// A socket that connects to a server, with or without TLS.
final class ClientSocket {
  let descriptor: Int32
  private var tls: TLSStream?

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  static func connecting(to address: SocketAddress) throws(HTTPRequestError) -> ClientSocket {
    let descriptor = Glibc.socket(
      address.family,
      Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
      0
    )
    guard descriptor >= 0 else { throw .notConnected(errno: errno) }
    let socket = ClientSocket(descriptor)
    if address.withStorage({ connect(descriptor, $0, $1) }) != 0, errno != EINPROGRESS {
      throw .notConnected(errno: errno)
    }
    return socket
  }

  deinit {
    tls = nil
    close(descriptor)
  }

  /// Why the socket is not connected, or `nil` if it is. To be called when the socket becomes writable for the first
  /// time.
  var connectFailure: Int32? {
    var failure: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
    return failure == 0 ? nil : failure
  }

  /// Puts TLS between the socket and everything that is sent and received from now on.
  func secure(_ trust: TLSTrust?, host: String) throws(HTTPRequestError) {
    guard let trust, let stream = TLSStream(trust, descriptor: descriptor, host: host) else {
      throw .notSecure("OpenSSL can't be used")
    }
    tls = stream
  }

  /// Whether there are received bytes to read even though the descriptor isn't readable, because TLS has already taken
  /// them from the socket.
  var holdsBytes: Bool { tls?.holdsBytes ?? false }

  func send(_ bytes: UnsafeRawBufferPointer) -> SocketTransfer {
    if let tls { return tls.send(bytes) }
    let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EINTR ? .waits(forWriting: true) : .failed(.notConnected(errno: errno))
  }

  func receive(_ room: UnsafeMutableRawBufferPointer) -> SocketTransfer {
    if let tls { return tls.receive(room) }
    let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .waits(forWriting: false) : .ended
  }
}
