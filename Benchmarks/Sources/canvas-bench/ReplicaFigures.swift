import CanvasCRDT

/// Measures a whole client. That includes the connection's state, the outbox, the clock and the reports of changes,
/// which a bare merge doesn't need.
struct ReplicaFigures {
  let shapes: Int
  /// The time for receiving one update of another client. `receiveIn16Microseconds` is the same time if each message
  /// has 16 updates.
  let receiveMicroseconds: Double
  let receiveIn16Microseconds: Double
  /// How long an edit of this client takes: showing it, recording it for undo, encoding it, and returning it to be
  /// sent.
  let editMicroseconds: Double

  private static let now = Moment(wallMilliseconds: Workload.startMilliseconds, monotonicMilliseconds: 1_000)

  init(_ workload: Workload) {
    shapes = workload.base.count
    let count = Double(workload.updates.count)
    let single = frames(workload.updates, of: 1)
    let sixteen = frames(workload.updates, of: 16)
    let live = ReplicaFigures.joined(workload)
    receiveMicroseconds =
      medianSeconds(prepare: { ReplicaFigures.joined(workload) }) { ReplicaFigures.receive(single, by: &$0) } / count
      * 1e6
    receiveIn16Microseconds =
      medianSeconds(prepare: { ReplicaFigures.joined(workload) }) { ReplicaFigures.receive(sixteen, by: &$0) } / count
      * 1e6
    let edits = workload.updates.prefix(10_000)
    editMicroseconds =
      medianSeconds(prepare: { live }) { replica in
        for edit in edits {
          let effects = replica.edit([ShapeEdit(shape: edit.shape, set: edit.set)], at: ReplicaFigures.now)
          precondition(!effects.isEmpty)
        }
      } / Double(edits.count) * 1e6
  }

  @inline(never)
  static func receive(_ frames: [[UInt8]], by replica: inout Replica) {
    for frame in frames { _ = replica.received(frame, isText: false, at: now) }
    precondition(replica.state == .live)
  }

  /// A replica that has received the welcome and the whole base canvas.
  static func joined(_ workload: Workload) -> Replica {
    var replica = Replica(seed: 1)
    _ = replica.start(at: now)
    _ = replica.connected(at: now)
    receive(joining(workload), by: &replica)
    precondition(replica.canvas.liveCount == workload.base.count && replica.state == .live)
    return replica
  }

  /// What a server sends to a client that comes: the welcome, and then the base canvas.
  static func joining(_ workload: Workload) -> [[UInt8]] {
    let welcome = Welcome(
      room: "bench",
      actor: Replica(seed: 1).actor,
      role: .editor,
      milliseconds: now.wallMilliseconds,
      limits: RoomLimits(),
      peers: []
    )
    return [BinaryEncoding.encode(.welcome(welcome))] + encodedState(of: workload.canvas)
  }

  var json: String {
    """
    {"shapes":\(shapes),"receiveMicroseconds":\(receiveMicroseconds),\
    "receiveIn16Microseconds":\(receiveIn16Microseconds),"editMicroseconds":\(editMicroseconds)}
    """
  }
}
