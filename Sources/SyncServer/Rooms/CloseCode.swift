/// Why the server closes a connection; the raw values are the WebSocket's.
enum CloseCode: UInt16, Hashable, Sendable {
  /// The server is going away; come back.
  case goingAway = 1001
  /// Frames that RFC 6455 does not allow.
  case protocolError = 1002
  case wrongFrameType = 1003
  case malformed = 1007
  case tooLarge = 1009
  /// A message before hello, a second hello, or a hello with a bad field.
  case badHello = 4400
  case noToken = 4401
  case forbidden = 4403
  case noSuchRoom = 4404
  case noSignOfLife = 4408
  case actorElsewhere = 4409
  case tooMany = 4429
}
