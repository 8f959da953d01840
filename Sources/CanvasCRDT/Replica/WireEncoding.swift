/// The two encodings that a connection can use.
public enum WireEncoding: UInt8, CaseIterable, Hashable, Sendable {
  case json
  case binary

  public var subprotocol: StaticString {
    switch self {
    case .json: "canvas.v1.json"
    case .binary: "canvas.v1.bin"
    }
  }

  /// Whether messages are sent as text frames.
  public var isText: Bool { self == .json }
}
