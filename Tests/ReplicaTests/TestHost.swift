import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel

/// A replica and its host, a client such as the page. The host has the client's end of the connection, carries out what
/// the replica asks for, and checks the replica's guarantees.
struct TestHost {
  var replica: Replica
  var checks: ReplicaChecks
  /// The error of the client's wall clock, in milliseconds.
  var wallError: Int64

  // MARK: The client's end of the connection

  /// The client's index in the room.
  var client: Int?
  var isOpen = false
  var wantsConnection = false
  var toServer: [[UInt8]] = []
  var wakeAt: UInt64?

  // MARK: What the replica has reported

  var effects: [ReplicaEffect] = []
  var rejected: [RejectedEdit] = []
  var superseded: [SupersededValue] = []
  var verdicts: [DigestVerdict] = []
  var resets = 0
  var failures: [MessageError] = []
  var departures: [ShapeEdit] = []
  var keepsAsked = 0
  /// Everything that the replica has written. `nil` except in random histories.
  var writes: OwnWrites?
  /// The replica's recorded events, which core.wasm replays later. Set for some clients of random histories.
  var record: RecordedHistory?

  static let epoch: UInt64 = 1_763_650_000_000

  init(_ replica: Replica, wallError: Int64 = 0) {
    self.replica = replica
    self.wallError = wallError
    checks = ReplicaChecks(replica)
  }

  var encoding: WireEncoding { replica.configuration.encoding }

  /// What the client's clocks show at this time of the test.
  func moment(_ time: UInt64) -> Moment {
    Moment(wallMilliseconds: UInt64(Int64(TestHost.epoch + time) + wallError), monotonicMilliseconds: time)
  }

  /// - Parameter record: the event as it is recorded for core.wasm.
  mutating func run(
    at time: UInt64,
    as record: @autoclosure () -> RecordedHistory.Event? = nil,
    _ event: (inout Replica, Moment) -> [ReplicaEffect]
  ) {
    let before = writes == nil ? nil : replica
    let effects = event(&replica, moment(time))
    self.effects += effects
    if self.record != nil { note(record(), at: time, effects) }
    if let before { writes?.follow(from: before, to: replica, effects) }
    for effect in effects {
      switch effect {
      case .connect: wantsConnection = true
      case .send(let bytes): toServer.append(bytes)
      case .disconnect:
        isOpen = false
        wantsConnection = false
        toServer = []
      case .wake(let at): wakeAt = at
      case .reset: resets += 1
      case .rejected(let edit): rejected.append(edit)
      case .superseded(let values): superseded += values
      case .digest(let verdict): verdicts.append(verdict)
      case .failure(let error): failures.append(error)
      case .departed(let departure): departures.append(departure)
      case .keep: keepsAsked += 1
      case .changed, .overlaps, .unsent, .state, .peers, .joined, .left, .crowd, .presence, .presenceTooLong, .pong,
        .tokenTaken,
        .error:
        break
      }
    }
    checks.follow(effects, of: &replica)
  }

  mutating func note(_ event: RecordedHistory.Event?, at time: UInt64, _ effects: [ReplicaEffect] = []) {
    guard record != nil else { return }
    guard var event else { preconditionFailure("an event that can't be written down") }
    event.time = time
    event.endRefusable(effects, replica)
    record?.events.append(event)
  }

  /// Reserves stamps, as a client does before each save.
  mutating func reserve() -> UInt64 { replica.reserveStamps() }

  /// Passes a made-up server message to the replica.
  mutating func hear(_ message: ServerMessage, at time: UInt64) {
    let encoding = encoding
    let bytes = encoding.isText ? JSONEncoding.encode(message) : BinaryEncoding.encode(message)
    run(at: time, as: .received(bytes, encoding)) { $0.received(bytes, isText: encoding.isText, at: $1) }
  }

  /// Removes the messages on their way to the server, so that they never arrive, and returns them.
  mutating func intercept() throws -> [ClientMessage] {
    defer { toServer = [] }
    return try toServer.map {
      encoding.isText ? try JSONEncoding.decodeClientMessage($0) : try BinaryEncoding.decodeClientMessage($0)
    }
  }

  /// Starts and connects at a time of the test, and intercepts the hello.
  mutating func hello(at time: UInt64 = 0) throws -> Hello {
    run(at: time) { $0.start(at: $1) }
    run(at: time) { $0.connected(at: $1) }
    let messages = try intercept()
    guard case .hello(let hello)? = messages.first else { throw UnexpectedMessage(message: messages.first) }
    return hello
  }

  /// Removes the messages on their way to the server, which must all be operations.
  mutating func interceptSubmissions() throws -> [Submission] {
    try intercept().map { message in
      guard case .operations(let submission) = message else { throw UnexpectedMessage(message: message) }
      return submission
    }
  }
}

extension ReplicaConfiguration {
  init(_ change: (inout ReplicaConfiguration) -> Void) {
    self.init()
    change(&self)
  }
}

struct UnexpectedMessage: Error {
  let message: ClientMessage?
}
