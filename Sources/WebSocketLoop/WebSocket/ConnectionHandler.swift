/// Gets the events of WebSocket connections. Each function is called on the loop's thread, one at a time.
///
/// An actor whose executor is the loop conforms with `nonisolated` functions that enter the actor by `assumeIsolated`.
/// All functions may write to connections, close them and abort them.
public protocol ConnectionHandler: AnyObject, Sendable {
  /// The connection is open. `request` is the request that opened it.
  func connected(_ connection: Connection, request: Request)
  /// A whole message has arrived.
  func received(_ message: Message, on connection: Connection)
  /// The socket can take more bytes. Called after a `write` that the socket took only in part, or after
  /// `notifyWhenWritable`.
  func writable(_ connection: Connection)
  /// One or more WebSocket pings have arrived together, and were answered.
  func pinged(_ connection: Connection)
  /// The connection is about to close although the owner has not closed it: a message was too long or not UTF-8, or the
  /// peer is silent. Messages that the handler sends during this call come before the close frame. If the handler
  /// closes the connection during this call, the close frame has the handler's code.
  func closing(_ connection: Connection, code: UInt16, reason: String)
  /// The connection has ended. Called once for each connection that was `connected`, and for each failed attempt of a
  /// client.
  func closed(_ connection: Connection, closure: Closure)
}

extension ConnectionHandler {
  public func pinged(_ connection: Connection) {}
  public func closing(_ connection: Connection, code: UInt16, reason: String) {}
}

/// A whole message. Its bytes are valid only during the call. The bytes of a text are valid UTF-8.
///
/// `@unchecked Sendable`, so that an actor on the loop's thread can get it. It must stay on that thread.
public struct Message: @unchecked Sendable {
  public let bytes: UnsafeRawBufferPointer
  public let isText: Bool
}

/// How a connection ended.
public struct Closure: Sendable, Equatable {
  public enum Cause: Sendable, Equatable {
    /// The peer sent the first close frame.
    case peer
    /// We sent the first close frame: `close` was called, a message was too long or not UTF-8, or the peer was silent.
    case ours
    /// There was no close frame: the socket broke, or `abort` was called.
    case lost
    /// A client's attempt has failed, so the connection was never open. The status is 0 if the server gave no answer.
    case refused(status: Int)
    /// A client's attempt has failed, because the server's certificate is for another host, or from an issuer that this
    /// machine does not trust. The reason says which.
    case untrusted

    public var isBeforeItWasOpen: Bool {
      switch self {
      case .refused, .untrusted: true
      case .peer, .ours, .lost: false
      }
    }
  }

  public var cause: Cause
  /// The close code. It is the peer's or ours, 1005 if the peer gave none, or 1006 if there was no close frame.
  public var code: UInt16
  public var reason: String

  public init(cause: Cause, code: UInt16, reason: String = "") {
    self.cause = cause
    self.code = code
    self.reason = reason
  }
}

/// The close codes of RFC 6455 that this module sends or reports by itself.
enum CloseCode {
  static let normal: UInt16 = 1000
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let noStatus: UInt16 = 1005
  static let lost: UInt16 = 1006
  static let notUTF8: UInt16 = 1007
  static let policy: UInt16 = 1008
  static let tooLarge: UInt16 = 1009
}
