import CanvasCRDT

/// A layout (the shapes of an HTTP request) that was admitted by `Door`. Another thread stamps and encodes the shapes,
/// because 100,000 of them would keep the event loop busy too long.
struct AdmittedLayout: Sendable {
  /// The number of the batch.
  let number: UInt64
  /// The number of the HTTP request.
  let request: UInt64
  let moves: [Operation]
  let made: [ProposedOperation]
  /// A clock for the stamps that are reserved for the shapes in `made`. It gives exactly these stamps if each call
  /// passes `milliseconds` as the time.
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
