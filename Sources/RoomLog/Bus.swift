/// Carries messages between the nodes that share a log. Messages are not stored, and can get lost.
public protocol Bus: Sendable {
  /// Sends a message to all other nodes. May be called from any thread, and returns at once.
  func tell(_ message: [UInt8])
}

public enum BusNews: Hashable, Sendable {
  /// A message from another node: whole, and after the earlier messages of that node.
  case heard([UInt8])
  /// The connection was lost for a while, so messages from other nodes may be missing.
  case missed
}

/// Receives a bus's news, in their order. It must not wait for anything.
public typealias BusSink = @Sendable (_ news: BusNews) -> Void
