// The messages that the client sends after hello: edits within the room's limits, presence, pings, and requests for the
// digest.

extension Replica {
  mutating func sendPending(at now: Moment) {
    sendBlockedUntil = nil
    guard !outbox.isEmpty, awaitedActor == nil else { return }
    if let until = connection.sendingPause(at: now) {
      sendBlockedUntil = until
      return
    }
    // While the server's disk is low, it takes deletions of what is there, if they come alone.
    let isLow = postponement?.code == .storageLow
    let base = optimistic.base
    if isLow { outbox.setDeletionsApart(messageLimits, on: base) }
    while outbox.sentCount < sendWindow.messagesMax {
      let deletion = isLow ? outbox.flights.firstIndex { !$0.isSent && base.onlyDeletes($0.proposed) } : nil
      let unsent = deletion ?? outbox.flights.firstIndex { !$0.isSent }
      let next = unsent == nil ? outbox.nextMessageLength(messageLimits) : (slots: 0, operations: 0)
      let count = unsent.map { outbox.flights[$0].pending.count } ?? next.operations
      guard count > 0 else { return }
      guard isKept(unsent.map { outbox.flights[$0].pending.last } ?? outbox.lastWaiting(slots: next.slots)) else {
        return
      }
      if let until = connection.spend(count, at: now) {
        sendBlockedUntil = until
        return
      }
      if unsent == nil { outbox.launch(slots: next.slots) }
      let index = unsent ?? outbox.flights.count - 1
      outbox.markSent(at: index, time: now.monotonicMilliseconds)
      let flight = outbox.flights[index]
      if let last = flight.pending.last { clock.send(last.operation.at) }
      send(.operations(Submission(id: MessageIdentifier(flight.id), operations: flight.proposed)))
    }
  }

  /// Whether a message that ends with this operation may be sent: the host must have stored a reserved time that is not
  /// before the operation's stamp. Otherwise the host is asked to store the edits.
  private mutating func isKept(_ last: Outbox.Pending?) -> Bool {
    guard let last, !reserve.covers(last.operation.at) else { return true }
    if reserve.ask() { effects.append(.keep) }
    return false
  }
}

// MARK: - Messages in flight

/// An upper bound on unanswered messages. While answers are quick, several messages are allowed, so that the connection
/// is never idle. While answers are slow, only one message is allowed. A newer edit can still replace an edit that
/// waits in the client, but not one that was sent.
struct SendWindow: Sendable {
  static let messagesMax = 4
  /// The connection counts as congested if an answer takes longer than twice the quickest answer plus this time. A
  /// commit on the server can take this long.
  private static let toleratedMilliseconds: UInt64 = 100

  private(set) var messagesMax = SendWindow.messagesMax
  private var quickest: UInt64 = .max

  /// Called when a short message, such as hello, was answered. Answers to edits are compared with the quickest answer
  /// so far.
  mutating func roundTrip(milliseconds: UInt64) { quickest = min(quickest, milliseconds) }

  /// Called when a message of edits was answered.
  mutating func answered(milliseconds: UInt64) {
    roundTrip(milliseconds: milliseconds)
    let isQuick = milliseconds <= 2 * quickest + SendWindow.toleratedMilliseconds
    messagesMax = isQuick ? min(SendWindow.messagesMax, messagesMax + 1) : 1
  }

  mutating func connectionLost() { self = SendWindow() }
}

// MARK: - Presence

/// Sends the client's newest presence, within a rate limit.
struct PresenceSender: Sendable {
  /// The shortest time between two messages with a presence. A higher rate would make no visible difference.
  static let millisecondsMin: UInt64 = 50

  private(set) var state: JSONText?
  private(set) var dueAt: UInt64?
  private var sentAt: UInt64?

  mutating func set(_ state: JSONText, isJoined: Bool, at time: UInt64) {
    self.state = state
    if isJoined { dueAt = max(time, sentAt.map { $0 &+ PresenceSender.millisecondsMin } ?? 0) }
  }

  /// Called when the client has joined. Nobody in the room has the client's presence yet.
  mutating func welcome(at time: UInt64) {
    dueAt = state == nil ? nil : time
  }

  mutating func take(at time: UInt64) -> JSONText? {
    guard let due = dueAt, time >= due else { return nil }
    dueAt = nil
    sentAt = time
    return state
  }

  mutating func connectionLost() {
    dueAt = nil
    sentAt = nil
  }
}

extension Replica {
  /// Sets the presence that other people see, a JSON object. Only the newest presence is sent. After a reconnect it is
  /// sent again.
  public mutating func setPresence(_ state: JSONText, at now: Moment) -> [ReplicaEffect] {
    if UInt64(state.bytes.count) > limits.presenceBytes {
      effects.append(.presenceTooLong(bytesMax: limits.presenceBytes))
    } else {
      presence.set(state, isJoined: self.state.isJoined, at: now.monotonicMilliseconds)
    }
    return finish(at: now)
  }

  mutating func sendPresence(at now: Moment) {
    if let state = presence.take(at: now.monotonicMilliseconds) { send(.presence(state)) }
  }
}

// MARK: - Pings

/// The times at which the unanswered pings were sent.
struct PingTimes: Sendable {
  /// An upper bound on the pings that are remembered. The answer to an older ping is of no use.
  private static let unansweredMax = 16

  private var sent: [(id: UInt64, at: UInt64)] = []
  private var nextIdentifier: UInt64 = 1

  mutating func begin(at time: UInt64) -> UInt64 {
    if sent.count == PingTimes.unansweredMax { sent.removeFirst() }
    sent.append((nextIdentifier, time))
    defer { nextIdentifier += 1 }
    return nextIdentifier
  }

  mutating func end(_ id: UInt64) -> UInt64? {
    guard let index = sent.firstIndex(where: { $0.id == id }) else { return nil }
    return sent.remove(at: index).at
  }

  mutating func connectionLost() {
    sent = []
  }
}

extension Replica {
  /// Asks the server for its time. The answer is used to set the clock and to measure the round trip.
  public mutating func ping(at now: Moment) -> [ReplicaEffect] {
    if state.isJoined { send(.ping(MessageIdentifier(pings.begin(at: now.monotonicMilliseconds)))) }
    return finish(at: now)
  }

  /// Sends the server another token, before the one with which the client came expires.
  public mutating func bringToken(_ token: Text, at now: Moment) -> [ReplicaEffect] {
    if state.isJoined { send(.token(token)) }
    return finish(at: now)
  }

  mutating func receivePong(_ id: MessageIdentifier?, milliseconds: UInt64, at now: Moment) {
    guard let number = id?.wholeNumber, let sentAt = pings.end(number) else { return }
    connection.receivePong(milliseconds, sentAt: sentAt, at: now)
    let roundTrip = now.milliseconds(since: sentAt)
    sendWindow.roundTrip(milliseconds: roundTrip)
    effects.append(.pong(roundTripMilliseconds: roundTrip))
  }
}
