import CanvasCRDT

/// One connection's side of the protocol: what its messages say, whether they may be said, and how often.
///
/// A conversation knows nothing of rooms, does no I/O, and doesn't know how far the connection has come. Whoever does
/// calls `hello` for the first message and `step` for each later one.
struct Conversation: Sendable {
  let encoding: WireEncoding
  private let limits: Limits
  /// The highest role that the client's token allows.
  private let roleMax: Role
  private var operations: TokenBucket
  private var messages: TokenBucket
  private var bytes: TokenBucket
  /// Bytes that were read in excess of the rate limit. They are charged as soon as the limit allows them.
  private var bytesOwed: UInt64 = 0
  private var messagesOwed: UInt64 = 0
  /// If the current message has no operations, it is charged as this many messages.
  private var weight: UInt64 = 1
  private var refusals: TokenBucket
  /// When the current series of refusals began, on the monotonic clock. A series begins when the bucket `refusals` is
  /// full.
  private var refusedSince: UInt64 = 0
  private var restMilliseconds: UInt64?

  init(encoding: WireEncoding, roleMax: Role = .editor, limits: Limits, now: Moment) {
    self.encoding = encoding
    self.roleMax = roleMax
    self.limits = limits
    operations = TokenBucket(
      clientPerSecond: limits.operationsPerSecond,
      atOnce: limits.operationsPerMessage,
      at: now.monotonicMilliseconds
    )
    messages = TokenBucket(clientPerSecond: limits.messagesPerSecond, at: now.monotonicMilliseconds)
    bytes = TokenBucket(
      clientPerSecond: limits.bytesPerSecond,
      atOnce: limits.messageBytes,
      at: now.monotonicMilliseconds
    )
    refusals = TokenBucket(
      clientPerSecond: Conversation.refusalsForgottenPerSecond,
      atOnce: limits.refusalsIgnored,
      at: now.monotonicMilliseconds
    )
  }

  private static let refusalsForgottenPerSecond: UInt64 = 10
  /// How long a client may go on exceeding its rate after the first refusal. For this long it isn't disconnected,
  /// because it may not have read that refusal yet.
  private static let ignoringMilliseconds: UInt64 = 2_000
  /// The shortest pause in reading. With shorter pauses, reading would stop and start for each of the connection's
  /// messages.
  private static let restMillisecondsMin: UInt64 = 50
  /// A message without operations is usually short. A long one is charged as several messages: one for each of this
  /// many bytes.
  private static let bytesOfOneMessage: UInt64 = 1_024
  private static let messagesForToken: UInt64 = 20

  /// How many milliseconds reading from the connection has to pause. `nil` if no pause was decided since the last call.
  mutating func takeRest() -> UInt64? {
    defer { restMilliseconds = nil }
    return restMilliseconds
  }
}

/// Why a connection has to be closed, after what its client has sent.
struct Closing: Error, Equatable {
  let code: CloseCode
  let reason: Text

  init(_ code: CloseCode, _ reason: Text) {
    self.code = code
    self.reason = reason
  }
}

/// What a session's room has to do for it.
enum SessionStep: Equatable, Sendable {
  case submit(Submission)
  case presence(JSONText)
  case digest
  /// The client has sent another token, in place of the one with which it connected.
  case token(Text)
  /// An answer to this connection alone.
  case reply(ServerMessage)
}

// MARK: - Events

extension Conversation {
  /// The client has sent WebSocket pings, which the library has answered. They are charged like messages.
  mutating func pinged(now: Moment) {
    weight = 1
    spendMessage(now)
  }

  /// Reads a connection's first message.
  /// - Returns: the client's `hello`, and the role that the client gets.
  mutating func hello(
    _ bytes: UnsafeRawBufferPointer,
    isText: Bool,
    now: Moment
  ) throws(Closing) -> (hello: Hello, role: Role) {
    try take(bytes, isText: isText, now: now)
    let message: ClientMessage
    do throws(MessageError) { message = try decode(bytes) } catch {
      switch error {
      case .malformed(let words): throw Closing(.malformed, words)
      case .badHello(let words): throw Closing(.badHello, words)
      case .badField, .unknownType, .rejected: throw Conversation.isNoHello
      }
    }
    guard case .hello(let hello) = message else { throw Conversation.isNoHello }
    if let name = hello.name, UInt64(name.utf8Count) > limits.nameBytes {
      throw Closing(.badHello, "the name is too long")
    }
    if let name = hello.name, !PropertyRules.takesName(name) {
      throw Closing(.badHello, PropertyProblem(.name).message)
    }
    return (hello, hello.readonly ? .viewer : roleMax)
  }

  /// Reads a message that came after `hello`.
  /// - Parameter role: the client's.
  mutating func step(
    _ bytes: UnsafeRawBufferPointer,
    isText: Bool,
    as role: Role,
    now: Moment
  ) throws(Closing) -> SessionStep {
    try take(bytes, isText: isText, now: now)
    let message: ClientMessage
    do throws(MessageError) { message = try decode(bytes) } catch {
      return try step(after: error, as: role, now: now)
    }
    return try step(of: message, as: role, now: now)
  }

  private static let isNoHello = Closing(.badHello, "the first message must be hello")
  private static let isSecondHello = Closing(.badHello, "hello may be sent only once")

  /// Checks the form of a message's frame and its length, and charges its bytes.
  private mutating func take(_ bytes: UnsafeRawBufferPointer, isText: Bool, now: Moment) throws(Closing) {
    guard isText == encoding.isText else {
      throw Closing(
        .wrongFrameType,
        isText
          ? "send binary frames: that is the subprotocol of this connection"
          : "send text frames: that is the subprotocol of this connection"
      )
    }
    guard UInt64(bytes.count) <= limits.messageBytes else { throw Closing(.tooLarge, "the message is too long") }
    spend(bytes: UInt64(bytes.count), now)
    weight = max(1, UInt64(bytes.count) / Conversation.bytesOfOneMessage)
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ClientMessage {
    switch encoding {
    case .json: try JSONEncoding.decodeClientMessage(bytes, operationsMax: limits.operationsPerMessage)
    case .binary: try BinaryEncoding.decodeClientMessage(bytes, operationsMax: limits.operationsPerMessage)
    }
  }

  private mutating func step(
    of message: ClientMessage,
    as role: Role,
    now: Moment
  ) throws(Closing) -> SessionStep {
    switch message {
    case .hello: throw Conversation.isSecondHello
    case .operations(let submission): return try step(of: submission, as: role, now: now)
    case .presence(let state):
      spendMessage(now)
      guard UInt64(state.bytes.count) <= limits.presenceBytes else {
        return .reply(.error(code: "presence_too_large", message: "the state is longer than the room allows"))
      }
      return .presence(role == .editor ? state : state.without(PresenceState.tellsOfEdits))
    case .ping(let id):
      spendMessage(now)
      if id?.isTooLong == true { return .reply(.error(code: "bad_field", message: MessageIdentifier.tooLong.message)) }
      return .reply(.pong(id: id, milliseconds: now.wallMilliseconds))
    case .digest:
      spendMessage(now)
      return .digest
    case .token(let token):
      // Checking a token's signature costs as much processor time as many messages.
      weight += Conversation.messagesForToken
      spendMessage(now)
      return .token(token)
    }
  }

  private mutating func step(of submission: Submission, as role: Role, now: Moment) throws(Closing) -> SessionStep {
    if submission.id?.isTooLong == true {
      return try step(after: .rejected(MessageIdentifier.tooLong), as: role, now: now)
    }
    guard role == .editor else { return turnDown(submission.id, now: now) }
    // When the bucket is full, it holds enough for the longest message that the decoder accepts. So no message is
    // refused for ever.
    guard operations.take(UInt64(submission.operations.count), at: now.monotonicMilliseconds) else {
      return try refuseForRate(submission.id, now: now)
    }
    return .submit(submission)
  }
}

// MARK: - Refusing

extension Conversation {
  /// What follows from a message that can't be taken.
  private mutating func step(after error: MessageError, as role: Role, now: Moment) throws(Closing) -> SessionStep {
    switch error {
    case .malformed(let words): throw Closing(.malformed, words)
    case .badHello: throw Conversation.isSecondHello
    case .unknownType(let words):
      spendMessage(now)
      return .reply(.error(code: "unknown_type", message: words))
    case .badField(let words):
      spendMessage(now)
      return .reply(.error(code: "bad_field", message: words))
    case .rejected(var rejection):
      if rejection.id?.isTooLong == true { rejection.id = nil }
      if role == .viewer { return turnDown(rejection.id, now: now) }
      // An invalid operation is charged too, because reading it costs as much as reading a valid one.
      guard operations.take(1, at: now.monotonicMilliseconds) else { return try refuseForRate(rejection.id, now: now) }
      return .reply(.rejection(rejection))
    }
  }

  /// Refuses a write from a read-only client. The write is charged as a message rather than as operations. So a
  /// read-only client that sends a lot is slowed down, but its connection is never closed for its rate.
  private mutating func turnDown(_ id: MessageIdentifier?, now: Moment) -> SessionStep {
    spendMessage(now)
    return .reply(.rejection(Rejection(id: id, code: .readOnly, message: "this connection is read-only")))
  }

  /// Refuses operations because of their rate. A client that ignores such refusals for two seconds is disconnected.
  private mutating func refuseForRate(_ id: MessageIdentifier?, now: Moment) throws(Closing) -> SessionStep {
    let time = now.monotonicMilliseconds
    if refusals.isFull(at: time) { refusedSince = time }
    if !refusals.take(1, at: time), time >= refusedSince &+ Conversation.ignoringMilliseconds {
      throw Closing(.tooMany, "the client kept sending after rate_limited")
    }
    return .reply(.rejection(Rejection(id: id, code: .rateLimited, message: "too many operations a second")))
  }

  /// Charges a message that has no operations. If a client sends too many such messages, reading from its connection
  /// pauses.
  private mutating func spendMessage(_ now: Moment) {
    messagesOwed = min(messagesOwed + weight, messages.capacity)
    if messages.take(messagesOwed, at: now.monotonicMilliseconds) { messagesOwed = 0 }
    rest(messages.millisecondsUntil(max(1, messagesOwed), at: now.monotonicMilliseconds))
  }

  /// For the rate limit, counts bytes that have been read. If they exceed the limit, reading pauses until the limit
  /// allows all of them.
  private mutating func spend(bytes count: UInt64, _ now: Moment) {
    bytesOwed = min(bytesOwed + count, bytes.capacity)
    if bytes.take(bytesOwed, at: now.monotonicMilliseconds) {
      bytesOwed = 0
    } else {
      rest(bytes.millisecondsUntil(bytesOwed, at: now.monotonicMilliseconds))
    }
  }

  private mutating func rest(_ milliseconds: UInt64) {
    guard milliseconds > 0 else { return }
    restMilliseconds = max(restMilliseconds ?? 0, milliseconds, Conversation.restMillisecondsMin)
  }
}
