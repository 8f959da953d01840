/// What happens on WebSocket connections. Each is called on the loop's thread, one at a time.
///
/// An actor whose executor is the loop conforms with `nonisolated` functions that enter it by `assumeIsolated`.
/// Connections may be written to, closed and aborted in any of these.
public protocol ConnectionHandler: AnyObject, Sendable {
  /// The connection is open. `request` is what it was opened with, for a server; a client's own request otherwise.
  func connected(_ connection: Connection, request: Request)
  /// A whole message has come.
  func received(_ message: Message, on connection: Connection)
  /// The socket takes more, after a `write` or `send` that it didn't take whole, or after `notifyWhenWritable`.
  func writable(_ connection: Connection)
  /// This layer is about to say goodbye by itself: a message too long, not UTF-8, or no sign of life. What is sent now
  /// goes before; whoever closes the connection now has the last word.
  func closing(_ connection: Connection, code: UInt16, reason: String)
  /// The connection is gone. Called once for each that was `connected`, and for each of a client's that never was.
  func closed(_ connection: Connection, closure: Closure)
}

extension ConnectionHandler {
  public func closing(_ connection: Connection, code: UInt16, reason: String) {}
}

/// What a listener asks of its owner, beyond the life of its connections.
public protocol ServerHandler: ConnectionHandler {
  /// Whether a connection is served that has just been accepted; where not, it is told the response and closed. Nothing
  /// has been read from it.
  func connectionOffered(from peer: String, http: HTTPConnectionCount) -> Response?
  /// Whether the request may become a WebSocket. A connection can also be closed with a code right after it opened.
  func upgradeRequested(_ request: Request) -> UpgradeDecision
  /// A whole request has come. It is answered by `exchange.answer`, now or later, on the loop's thread.
  func requested(_ exchange: Exchange)
  /// Somebody was told this status and `requested` has not answered it: a request that is malformed or too large, a
  /// connection that is not served, an answer that came too late or is more than may be held.
  func refused(_ status: Int, from peer: String, reason: String)
}

extension ServerHandler {
  public func connectionOffered(from peer: String, http: HTTPConnectionCount) -> Response? { nil }
  public func refused(_ status: Int, from peer: String, reason: String) {}
}

/// How many connections of a listener are HTTP's: open, and not or not yet WebSockets.
public struct HTTPConnectionCount: Sendable, Equatable {
  public var all: Int
  /// From the same address, or of IPv6 from the same network (`NetworkAddress.party`).
  public var fromPeer: Int
}

/// A whole message. The bytes are valid during the call only; those of a text are valid UTF-8.
///
/// `@unchecked Sendable`: it has to enter, by `assumeIsolated`, an actor whose executor is the loop, which is the thread
/// that it is on already; no other thread may be handed it, since the bytes are gone when the call returns.
public struct Message: @unchecked Sendable {
  public let bytes: UnsafeRawBufferPointer
  public let isText: Bool
}

public enum UpgradeDecision: Sendable {
  /// Accepted, with one of the subprotocols that the client offers and the listener speaks, or none.
  case accept(subprotocol: String?)
  case refuse(Response)
}

/// How a connection ended.
public struct Closure: Sendable, Equatable {
  public enum Cause: Sendable, Equatable {
    /// The peer said goodbye first.
    case peer
    /// We did: `close`, a message too long, not UTF-8, or no sign of life.
    case ours
    /// No goodbye: the socket broke, or `abort` was called.
    case lost
    /// It was never open: a client's attempt that failed. The status is 0 where it didn't come to an answer.
    case refused(status: Int)
    /// Nor was this: the server's certificate is for somebody else, or by somebody whom this machine does not trust; the
    /// reason says which.
    case untrusted

    /// Whether there never was a connection.
    public var isBeforeItWasOpen: Bool {
      switch self {
      case .refused, .untrusted: true
      case .peer, .ours, .lost: false
      }
    }
  }

  public var cause: Cause
  /// The close code that ended it: the peer's or ours; 1005 where the peer gave none, 1006 where there was no goodbye.
  public var code: UInt16
  public var reason: String

  public init(cause: Cause, code: UInt16, reason: String = "") {
    self.cause = cause
    self.code = code
    self.reason = reason
  }
}

/// The close codes that this layer sends by itself.
enum CloseCode {
  static let normal: UInt16 = 1000
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let noStatus: UInt16 = 1005
  static let lost: UInt16 = 1006
  static let notUTF8: UInt16 = 1007
  static let tooLarge: UInt16 = 1009
}
