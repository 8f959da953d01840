import CanvasCRDT

/// A layout that the door has admitted. Stamping and encoding 100,000 shapes would keep others waiting on the loop too
/// long, so another thread does it.
struct AdmittedLayout: Sendable {
  /// The number of the layout's batch.
  let number: UInt64
  /// The number of the HTTP request that sent the layout.
  let request: UInt64
  let moves: [Operation]
  let made: [ProposedOperation]
  /// A clock that gives the stamps that were reserved for `made`, if it is given the time `milliseconds`.
  let clock: Clock
  let milliseconds: UInt64
  let payer: Payer?

  func stamped() -> Batch {
    var clock = clock
    var operations = moves
    operations.reserveCapacity(moves.count + made.count)
    for operation in made {
      operations.append(
        Operation(shape: operation.shape, at: clock.tick(milliseconds: milliseconds), set: operation.set)
      )
    }
    return Batch(number: number, operations: operations, payer: payer)
  }
}
