/// A listener's questions to its owner.
public protocol ServerHandler: ConnectionHandler {
  /// Whether a connection that has just been accepted is served. If not, it gets the returned response and is closed.
  /// Nothing has been read from it yet.
  ///
  /// If it is refused, an unfinished request of another client may have to make way for it. Then this is called again.
  func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal?
  /// The party that a request counts for: the peer's, or the client's if the peer is a trusted proxy.
  func party(of request: Request) -> String
  /// Whether the request may become a WebSocket. A connection can also be closed with a code right after it opened.
  func upgradeRequested(_ request: Request) -> UpgradeDecision
  /// A whole request has arrived. To be answered with `pending.answer`, now or later, on the loop's thread.
  func requested(_ pending: PendingRequest)
  /// A client got this status without asking the owner: its request was malformed or too large, its connection isn't
  /// served, or the answer came too late or was too large to be held.
  func refused(_ status: Int, from peer: String, reason: String)
}

extension ServerHandler {
  public func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal? { nil }
  public func refused(_ status: Int, from peer: String, reason: String) {}
}

/// Why a connection is not served.
public struct ConnectionRefusal: Sendable {
  public enum Shortage: Sendable {
    /// There are too many connections in all.
    case ofAll
    /// There are too many connections from that address.
    case ofAddress
  }

  public var response: Response
  public var shortage: Shortage

  public init(_ response: Response, _ shortage: Shortage) {
    self.response = response
    self.shortage = shortage
  }
}

/// The number of a listener's open connections that are not WebSockets, or not yet.
public struct HTTPConnectionCount: Sendable, Equatable {
  public var all: Int
  /// Those from the same address, or with IPv6 from the same network (`NetworkAddress.party`).
  public var fromPeer: Int
}

public enum UpgradeDecision: Sendable {
  /// The upgrade is accepted, with one of the subprotocols that the client offers and the listener speaks, or without
  /// one.
  case accept(subprotocol: String?)
  case refuse(Response)
}
