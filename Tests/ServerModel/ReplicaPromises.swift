@testable import CanvasCRDT

extension Replica {
  /// Describes a guarantee that the replica breaks now. `nil` if it keeps all of them:
  /// - The shown canvas is the confirmed one plus the pending edits.
  /// - The confirmed digest is the digest of the confirmed canvas.
  /// - The stamps of pending edits increase.
  /// - Only shapes with pending edits have separate confirmed values.
  package var brokenPromise: String? {
    var expected = confirmedCanvas
    if confirmedDigest != expected.digest { return "the confirmed digest is not that of the confirmed canvas" }
    var counts: [Identifier: Int] = [:]
    var last: Stamp?
    var rises = true
    outbox.forEach { pending in
      expected.apply(pending.operation)
      counts[pending.operation.shape, default: 0] += 1
      if let last, last >= pending.operation.at { rises = false }
      last = pending.operation.at
    }
    if !rises { return "the stamps of the pending edits don't rise" }
    if expected != canvas { return "the shown canvas is not the confirmed one with the pending edits over it" }
    let pending = optimistic.pending
    if counts != Dictionary(uniqueKeysWithValues: zip(pending.keys, pending.values)) {
      return "the pending edits are counted wrongly"
    }
    for operation in optimistic.base.operations() where counts[operation.shape] == nil {
      return "a shape without pending edits has a confirmed record of its own"
    }
    return nil
  }
}
