/// Why a connection ends. The raw values are WebSocket close codes; docs/PROTOCOL.md lists the codes that a server
/// sends.
public enum CloseCode: UInt16, CaseIterable, Hashable, Sendable {
  /// The client leaves on its own.
  case normal = 1000
  /// The server stops, or can't go on with this connection. The client can connect again.
  case goingAway = 1001
  /// The client sent frames that RFC 6455 doesn't allow.
  case protocolError = 1002
  /// The client sent a text frame although binary frames were agreed on, or the other way round.
  case wrongFrameType = 1003
  /// The client sent bytes that are not a message.
  case malformed = 1007
  case tooLarge = 1009
  /// A message before hello, a second hello, or a hello with a bad field.
  case badHello = 4400
  case noToken = 4401
  case forbidden = 4403
  case noSuchRoom = 4404
  /// No hello came in time, or no pong came in time.
  case noSignOfLife = 4408
  /// The actor joined again on a newer connection, which stays.
  case actorElsewhere = 4409
  /// There are too many connections, or the client has ignored the rate limits for too long.
  case tooMany = 4429

  /// The code's name in the `error` message that the server sends before it closes.
  public var wireName: StaticString {
    switch self {
    case .normal: "normal"
    case .goingAway: "going_away"
    case .protocolError: "protocol_error"
    case .wrongFrameType: "wrong_frame_type"
    case .malformed: "malformed"
    case .tooLarge: "too_large"
    case .badHello: "bad_hello"
    case .noToken: "no_token"
    case .forbidden: "forbidden"
    case .noSuchRoom: "no_such_room"
    case .noSignOfLife: "no_sign_of_life"
    case .actorElsewhere: "actor_elsewhere"
    case .tooMany: "too_many"
    }
  }

  /// Whether another try is pointless. All codes from `badHello` to `noSuchRoom` are final, including numbers that have
  /// no name here, because a newer server might send them.
  public static func isFinal(_ number: UInt16) -> Bool {
    (CloseCode.badHello.rawValue...CloseCode.noSuchRoom.rawValue).contains(number)
  }
}
