import CanvasCRDT

/// One connection's side of the protocol: which messages the client may send when, and how often.
///
/// A conversation knows nothing of rooms and does no I/O. Each function that takes an event returns what the hub and
/// the room have to do.
struct Conversation: Sendable {
  private enum State: Sendable {
    case awaitingHello(until: UInt64)
    case joined(Role)
    /// The connection is closing. Input is ignored.
    case closing
  }

  let encoding: WireEncoding
  private let limits: Limits
  /// The highest role that the client's token allows.
  private let roleMax: Role
  private var state: State
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
    state = .awaitingHello(until: now.monotonicMilliseconds &+ limits.helloMilliseconds)
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
  /// The upper bound on the bytes of a message's identifier. Every answer repeats the identifier, and the limit on the
  /// length of an acknowledgement allows for this many bytes.
  private static let identifierBytesMax = 1_024

  /// When `timePassed` has to be called, on the monotonic clock. `nil` after the client has sent its `hello`.
  var deadline: UInt64? {
    if case .awaitingHello(let until) = state { until } else { nil }
  }

  /// How many milliseconds reading from the connection has to pause. `nil` if no pause was decided since the last call.
  mutating func takeRest() -> UInt64? {
    defer { restMilliseconds = nil }
    return restMilliseconds
  }
}

/// What has to be done after an event of a connection.
enum ConversationStep: Equatable, Sendable {
  case nothing
  case join(Hello, Role)
  case close(CloseCode, Text)
  case session(SessionStep)
}

/// What a session's room has to do for it. If the room is still being opened, the step waits for that.
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
  mutating func timePassed(now: Moment) -> ConversationStep {
    guard case .awaitingHello(let until) = state, now.monotonicMilliseconds >= until else { return .nothing }
    return close(.noSignOfLife, "no hello arrived in time")
  }

  /// The room or the server has closed the connection.
  mutating func closed() { state = .closing }

  /// The client has sent WebSocket pings, which the library has answered. They are charged like messages.
  mutating func pinged(now: Moment) {
    weight = 1
    spendMessage(now)
  }

  mutating func received(_ bytes: UnsafeRawBufferPointer, isText: Bool, now: Moment) -> ConversationStep {
    if case .closing = state { return .nothing }
    if case .close(let code, let reason) = timePassed(now: now) { return .close(code, reason) }
    guard isText == encoding.isText else {
      return close(
        .wrongFrameType,
        isText
          ? "send binary frames: that is the subprotocol of this connection"
          : "send text frames: that is the subprotocol of this connection"
      )
    }
    guard UInt64(bytes.count) <= limits.messageBytes else { return close(.tooLarge, "the message is too long") }
    spend(bytes: UInt64(bytes.count), now)
    weight = 1 + UInt64(bytes.count) / Conversation.bytesOfOneMessage
    do throws(MessageError) {
      return take(try decode(bytes), now: now)
    } catch {
      return refuse(error, now: now)
    }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ClientMessage {
    switch encoding {
    case .json: try JSONEncoding.decodeClientMessage(bytes, operationsMax: limits.operationsPerMessage)
    case .binary: try BinaryEncoding.decodeClientMessage(bytes, operationsMax: limits.operationsPerMessage)
    }
  }

  private mutating func take(_ message: ClientMessage, now: Moment) -> ConversationStep {
    guard case .joined(let role) = state else {
      guard case .hello(let hello) = message else { return close(.badHello, "the first message must be hello") }
      if let name = hello.name, UInt64(name.utf8Count) > limits.nameBytes {
        return close(.badHello, "the name is too long")
      }
      if let name = hello.name, !PropertyRules.takesName(name) {
        return close(.badHello, PropertyProblem(.name).message)
      }
      let role = hello.readonly ? Role.viewer : roleMax
      state = .joined(role)
      return .join(hello, role)
    }
    switch message {
    case .hello: return close(.badHello, "hello may be sent only once")
    case .operations(let submission): return take(submission, role: role, now: now)
    case .presence(let state):
      spendMessage(now)
      guard UInt64(state.bytes.count) <= limits.presenceBytes else {
        return .session(
          .reply(.error(code: "presence_too_large", message: "the state is longer than the room allows"))
        )
      }
      return .session(.presence(state))
    case .ping(let id):
      if isTooLong(id) { return refuse(.badField(Conversation.longIdentifier), now: now) }
      spendMessage(now)
      return .session(.reply(.pong(id: id, milliseconds: now.wallMilliseconds)))
    case .digest:
      spendMessage(now)
      return .session(.digest)
    case .token(let token):
      // Checking a token's signature costs as much processor time as many messages.
      weight += Conversation.messagesForToken
      spendMessage(now)
      return .session(.token(token))
    }
  }

  private mutating func take(_ submission: Submission, role: Role, now: Moment) -> ConversationStep {
    if isTooLong(submission.id) {
      return refuse(.rejected(Rejection(code: .badMessage, message: Conversation.longIdentifier)), now: now)
    }
    guard role == .editor else { return turnDown(submission.id, now: now) }
    // When the bucket is full, it holds enough for the longest message that the decoder accepts. So no message is
    // refused for ever.
    guard operations.take(UInt64(submission.operations.count), at: now.monotonicMilliseconds) else {
      return refuseForRate(submission.id, now: now)
    }
    return .session(.submit(submission))
  }

  private func isTooLong(_ id: MessageIdentifier?) -> Bool {
    id.map { $0.json.bytes.count > Conversation.identifierBytesMax } ?? false
  }

  private static let longIdentifier = Text("id has more than \(identifierBytesMax) bytes")
}

// MARK: - Refusing

extension Conversation {
  private mutating func refuse(_ error: MessageError, now: Moment) -> ConversationStep {
    guard case .joined(let role) = state else {
      switch error {
      case .malformed(let words): return close(.malformed, words)
      case .badHello(let words): return close(.badHello, words)
      case .badField, .unknownType, .rejected: return close(.badHello, "the first message must be hello")
      }
    }
    switch error {
    case .malformed(let words): return close(.malformed, words)
    case .unknownType(let words):
      spendMessage(now)
      return .session(.reply(.error(code: "unknown_type", message: words)))
    case .badHello: return close(.badHello, "hello may be sent only once")
    case .badField(let words):
      spendMessage(now)
      return .session(.reply(.error(code: "bad_field", message: words)))
    case .rejected(var rejection):
      if isTooLong(rejection.id) { rejection.id = nil }
      if role == .viewer { return turnDown(rejection.id, now: now) }
      // An invalid operation is charged too, because reading it costs as much as reading a valid one.
      guard operations.take(1, at: now.monotonicMilliseconds) else { return refuseForRate(rejection.id, now: now) }
      return .session(.reply(.rejection(rejection)))
    }
  }

  /// Refuses a write from a read-only client. The write is charged as a message rather than as operations. So a
  /// read-only client that sends a lot is slowed down, but its connection is never closed for its rate.
  private mutating func turnDown(_ id: MessageIdentifier?, now: Moment) -> ConversationStep {
    spendMessage(now)
    let rejection = Rejection(id: id, code: .readOnly, message: "this connection is read-only")
    return .session(.reply(.rejection(rejection)))
  }

  /// Refuses operations because of their rate. A client that ignores such refusals for two seconds is disconnected.
  private mutating func refuseForRate(_ id: MessageIdentifier?, now: Moment) -> ConversationStep {
    let time = now.monotonicMilliseconds
    if refusals.isFull(at: time) { refusedSince = time }
    if !refusals.take(1, at: time), time >= refusedSince &+ Conversation.ignoringMilliseconds {
      return close(.tooMany, "the client kept sending after rate_limited")
    }
    let rejection = Rejection(id: id, code: .rateLimited, message: "too many operations a second")
    return .session(.reply(.rejection(rejection)))
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

  private mutating func close(_ code: CloseCode, _ reason: Text) -> ConversationStep {
    state = .closing
    return .close(code, reason)
  }
}
