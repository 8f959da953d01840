import CanvasCRDT

/// A room's history as steps for a slider, at most as many as a slider can show.
struct RoomSteps: Sendable {
  /// One step: operations of one actor, with no pause between them.
  struct Step: Hashable, Sendable {
    var fromMilliseconds: UInt64
    var toMilliseconds: UInt64
    var actor: Identifier
    var operations: Int
    /// How many of the step's operations delete a shape.
    var removals: Int
  }

  /// The actor of a step, and whether the step deletes. An actor's deletions are a separate step from what the actor
  /// writes at the same time.
  private struct Deed: Hashable {
    var actor: Identifier
    var removes: Bool
  }

  /// The longest time between two operations of an actor that belong to the same step.
  static let gatherMilliseconds: UInt64 = 1_000
  /// The upper bound on the number of steps. A slider can't show more.
  static let stepsMax = 200

  /// The steps, in the order in which they began.
  private(set) var steps: [Step] = []
  /// By actor and kind, the index of the newest step.
  private var newest: [Deed: Int] = [:]

  mutating func take(_ record: borrowing RoomRecord) {
    for operation in record.operations { take(operation, at: record.milliseconds) }
  }

  private mutating func take(_ operation: Operation, at milliseconds: UInt64) {
    let deed = Deed(actor: operation.at.actor, removes: operation.set.deleted)
    let removals = deed.removes ? 1 : 0
    // Times of records rise. But a time isn't part of a record's checksum in PostgreSQL, so it may be damaged.
    if let index = newest[deed], case let last = steps[index].toMilliseconds,
      milliseconds <= last || milliseconds - last < RoomSteps.gatherMilliseconds
    {
      steps[index].toMilliseconds = max(last, milliseconds)
      steps[index].operations += 1
      steps[index].removals += removals
      return
    }
    if steps.count == 2 * RoomSteps.stepsMax { halve() }
    newest[deed] = steps.count
    steps.append(
      Step(
        fromMilliseconds: milliseconds,
        toMilliseconds: milliseconds,
        actor: deed.actor,
        operations: 1,
        removals: removals
      )
    )
  }

  /// The steps, merged until they are few enough to be sent. To be called when all records have been read.
  func told() -> [Step] {
    guard steps.count > RoomSteps.stepsMax else { return steps }
    var fewer = self
    fewer.halve()
    return fewer.steps
  }

  /// Merges each pair of neighbouring steps into one. The merged step has the actor of the larger step.
  private mutating func halve() {
    newest = [:]
    steps = stride(from: 0, to: steps.count, by: 2).map { index in
      guard index + 1 < steps.count else { return steps[index] }
      let (one, other) = (steps[index], steps[index + 1])
      return Step(
        fromMilliseconds: one.fromMilliseconds,
        toMilliseconds: max(one.toMilliseconds, other.toMilliseconds),
        actor: one.operations > other.operations ? one.actor : other.actor,
        operations: one.operations + other.operations,
        removals: one.removals + other.removals
      )
    }
  }
}
