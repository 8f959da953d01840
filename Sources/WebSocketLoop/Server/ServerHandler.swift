/// A listener's questions and reports to its owner.
public protocol ServerHandler: ConnectionHandler {
  /// Decides whether a connection that has just been accepted is served. If not, its client gets the returned response,
  /// and the connection is closed. No byte has been read from the connection yet.
  ///
  /// If the owner refuses, the listener can evict an unfinished request of another client and call this again.
  func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal?
  /// Whom a request is charged to: the peer's address, or the client's address if the peer is a trusted proxy.
  func party(of request: Request) -> String
  /// Whether the request may become a WebSocket. To refuse with a close code instead, the owner can accept and close
  /// the connection right after it has opened.
  func upgradeRequested(_ request: Request) -> UpgradeDecision
  /// A request comes whose body is longer than `HTTPOptions.bodyBytesMax`, or may become so. Nothing of the body has been
  /// read yet. `nil` if that bound holds for the request.
  func longBodyOffered(by request: Request) -> LongBodyDecision?
  /// A whole request has arrived. The owner calls `pending.answer`, now or later, on the loop's thread.
  func requested(_ pending: PendingRequest)
  /// Reports that a client got this status without a decision of the owner. Its request was malformed or too large, its
  /// connection isn't served, or the owner's answer came too late or was too large.
  func refused(_ status: Int, from peer: String, reason: String)
}

extension ServerHandler {
  public func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal? { nil }
  public func longBodyOffered(by request: Request) -> LongBodyDecision? { nil }
  public func refused(_ status: Int, from peer: String, reason: String) {}
}

/// Why a connection is not served.
public struct ConnectionRefusal: Sendable {
  public enum Shortage: Sendable {
    /// There are too many connections from all addresses together.
    case ofAll
    /// There are too many connections from this client's address.
    case ofAddress
  }

  public var response: Response
  public var shortage: Shortage

  public init(_ response: Response, _ shortage: Shortage) {
    self.response = response
    self.shortage = shortage
  }
}

/// The number of a listener's open connections that are HTTP. They include those that can become WebSockets.
public struct HTTPConnectionCount: Sendable, Equatable {
  public var all: Int
  /// The connections from the same address, or with IPv6 from the same network (`NetworkAddress.party`).
  public var fromPeer: Int
}

public enum UpgradeDecision: Sendable {
  /// The upgrade is accepted, with one of the subprotocols that the client offers and the listener speaks, or without
  /// one.
  case accept(subprotocol: String?)
  case refuse(Response)
}

public enum LongBodyDecision: Sendable {
  /// The body is read, if it is no longer than this.
  case accept(bytesMax: Int)
  /// The body isn't read, and the connection is closed after this response.
  case refuse(Response)
}
