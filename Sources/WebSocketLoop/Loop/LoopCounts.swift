/// Figures of a loop, for an operator.
public struct LoopCounts: Sendable {
  /// WebSocket connections that are open now, of servers and clients.
  public internal(set) var connections = 0
  /// HTTP connections that are open now.
  public internal(set) var httpConnections = 0
  public internal(set) var bytesReceived: UInt64 = 0
  public internal(set) var bytesSent: UInt64 = 0
  /// How often a connection had to wait until its socket, or its line, took more.
  public internal(set) var stalls: UInt64 = 0
}
