import CanvasCRDT

/// A room that a command has joined to edit it. All commands of a user share one actor for each room, so that a command
/// can undo the edit of an earlier one.
@ClientLoop
struct RoomEditor {
  let client: RoomClient
  private let state: TerminalState?
  private let outcome: EditFollower
  private let invocation: Invocation
  private let patience: UInt64

  static func open(_ invocation: Invocation) async throws -> RoomEditor {
    let room = try invocation.room()
    let given = try invocation.arguments.milliseconds("--patience")
    let patience = given ?? 60_000
    let configuration = invocation.replicaConfiguration(name: invocation.ownName)
    let state = try await TerminalState.open(room, invocation, withinMilliseconds: given ?? 15_000)
    let replica =
      state?.restore(configuration)
      ?? Replica(configuration: configuration, seed: UInt64.random(in: 0...UInt64.max))
    let outcome = EditFollower()
    let client = RoomClient(invocation.server, room, replica, follower: outcome)
    try await client.join(withinMilliseconds: patience, tell: invocation.tell)
    outcome.begin(client)
    return RoomEditor(client: client, state: state, outcome: outcome, invocation: invocation, patience: patience)
  }

  var canvas: Canvas { client.replica.canvas }
  var picture: RoomPicture { outcome.picture }

  /// Makes an edit, waits until all of it is answered, and prints the result.
  func commit(_ body: (inout Replica, Moment) throws -> [ReplicaEffect]) async throws -> ExitCode {
    var failure: (any Error)?
    var unsaved: String?
    let historyBefore = client.replica.saveHistory()
    client.edit { replica, now in
      do {
        let effects = try body(&replica, now)
        // The replica is saved before anything is sent. Otherwise a later command could use the same stamps again.
        //
        // The edit itself isn't saved. So if this command is killed, no later command sends the edit. Its undo step is
        // saved, because the server might have stored the edit. If the server hasn't, undo skips the step.
        unsaved = state?.save(replica, history: replica.saveHistory())
        return effects
      } catch {
        failure = error
        return []
      }
    }
    if let failure {
      await client.leave()
      throw failure
    }
    let count = client.replica.unsentCount
    // What the replica itself refuses is never sent.
    let refusedAtOnce = outcome.rejectedCount
    let end = await client.settle(withinMilliseconds: patience) { delay in
      let end = "Ctrl-C ends this and withdraws the edit."
      invocation.output.notice(delay.code, "waiting: \(delay.words). \(end)")
    }
    let withdrawal = end == .answered ? nil : Withdrawal(end, of: count, in: client, patience: patience)
    let isDropped = withdrawal.map { !$0.mayBeStored } ?? false
    let history = isDropped ? historyBefore : client.replica.saveHistory()
    // If only one of the two could be saved, undo knows of the edit.
    let unsavedAtEnd = state?.save(client.replica, history: history)
    if let unsavedAtEnd, unsaved != nil {
      invocation.output.notice("no_state", "\(unsavedAtEnd); undo will not know of this edit")
    }
    await client.leave()
    let isInHistory = state != nil && (unsaved == nil || unsavedAtEnd == nil)
    let report = outcome.report(withdrawal, of: count + refusedAtOnce, isInHistory: isInHistory, room: client.room)
    report.write(to: invocation)
    // If nobody reads the report, the edit has failed or succeeded all the same.
    if Task.isCancelled, withdrawal == nil, !Signals.isReaderGone { throw CancellationError() }
    return report.exitCode
  }

  /// Like `commit`, for a list of edits to single shapes.
  func commit(_ edits: [ShapeEdit]) async throws -> ExitCode {
    try await commit { replica, now in replica.edit(edits, at: now) }
  }

  /// Leaves the room without an edit.
  /// - Returns: the error to throw.
  func fail(_ words: String) async -> ClientFailure {
    await client.leave()
    return .failed(words)
  }
}

/// Collects what happens to an edit.
@ClientLoop
final class EditFollower: RoomFollower {
  private var ledger: RoomLedger?
  private var events: [RoomEvent] = []
  private var rejected: [RejectedEdit] = []
  private var superseded: [EditReport.Loss] = []

  var picture: RoomPicture { ledger?.picture ?? RoomPicture() }
  var rejectedCount: Int { rejected.count }

  func begin(_ client: RoomClient) {
    var ledger = RoomLedger(client.replica.canvas)
    ledger.note(all: client.replica.peers)
    self.ledger = ledger
  }

  func follow(_ effect: ReplicaEffect, in client: RoomClient) {
    let now = Moment.now()
    switch effect {
    case .changed(let changes, by: .own):
      events += ledger?.take(changes, by: .oneself, on: client.replica.canvas, at: now) ?? []
    case .rejected(let edit): rejected.append(edit)
    case .superseded(let values):
      for value in values {
        let name = ledger?.name(of: value.shape) ?? ShapeName(id: value.shape, name: "")
        let winner = ledger?.people[value.by.actor] ?? Person(actor: value.by.actor, name: nil, color: nil)
        superseded.append(EditReport.Loss(shape: name, property: value.property, by: winner, at: value.by))
      }
    default: break
    }
  }

  /// - Parameters:
  ///   - count: how many operations the edit has.
  ///   - isInHistory: whether a later undo knows of the edit.
  func report(_ withdrawal: Withdrawal?, of count: Int, isInHistory: Bool, room: RoomName) -> EditReport {
    let refused = Set(rejected.map { $0.operation.shape })
    return EditReport(
      room: room,
      count: count,
      isInHistory: isInHistory,
      withdrawal: withdrawal,
      events: (events + (ledger?.due(at: .now(), isLast: true) ?? [])).filter { !$0.isAbout(any: refused) },
      rejected: rejected,
      superseded: superseded
    )
  }
}
