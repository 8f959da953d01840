/// A listener's questions and reports to its owner.
public protocol ServerHandler: ConnectionHandler {
  /// Whether a connection that has just been accepted is served. If not, its client gets the returned response, and the
  /// connection is closed. At this time, no byte was read from the connection.
  ///
  /// If the owner refuses, the listener may evict an unfinished request of another client and call this again.
  func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal?
  /// The party to which a request is charged: the peer's party, or the client's if the peer is a trusted proxy.
  func party(of request: Request) -> String
  /// Whether the request may become a WebSocket. To refuse with a close code instead, the owner can accept and close
  /// the connection right after it has opened.
  func upgradeRequested(_ request: Request) -> UpgradeDecision
  /// A whole request has arrived. The owner calls `pending.answer`, now or later, on the loop's thread.
  func requested(_ pending: PendingRequest)
  /// Reports that a client got this status without a decision of the owner: its request was malformed or too large, its
  /// connection isn't served, or the owner's answer came too late or was too large to be held.
  func refused(_ status: Int, from peer: String, reason: String)
}

extension ServerHandler {
  public func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal? { nil }
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

/// The number of a listener's open connections that are not WebSockets, or not yet.
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
