/// Statistics of a loop, for an operator.
public struct LoopCounts: Sendable {
  /// The number of open WebSocket connections, of servers and of clients.
  public internal(set) var connections = 0
  public internal(set) var httpConnections = 0
  /// How many requests the handler has whose answers are not all sent.
  public internal(set) var requests = 0
  public internal(set) var bytesReceived: UInt64 = 0
  public internal(set) var bytesSent: UInt64 = 0
  /// How many times a connection had to wait, because its socket was full or because enough bytes were in flight
  /// (`LineGauge`).
  public internal(set) var stalls: UInt64 = 0
}
