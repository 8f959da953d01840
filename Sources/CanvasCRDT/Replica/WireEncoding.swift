/// In which of the two encodings a connection speaks.
public enum WireEncoding: UInt8, CaseIterable, Hashable, Sendable {
  case json
  case binary

  /// What the WebSocket's handshake asks for.
  public var subprotocol: StaticString {
    switch self {
    case .json: "canvas.v1.json"
    case .binary: "canvas.v1.bin"
    }
  }

  /// Whether its messages are text frames.
  public var isText: Bool { self == .json }
}
