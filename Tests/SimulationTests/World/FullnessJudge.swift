@testable import CanvasCRDT
@testable import SyncServer

/// Decides independently of the room whether a message fits into it. It merges all pending operations and then the
/// message, and compares the result with the limits.
struct FullnessJudge {
  private let canvas: Canvas
  private let limits: Limits

  init(_ canvas: Canvas, inFlight: [[Operation]], limits: Limits) {
    var canvas = canvas
    for operations in inFlight { for operation in operations { canvas.apply(operation) } }
    self.canvas = canvas
    self.limits = limits
  }

  struct Verdict {
    let fits: Bool
    /// Whether the room would have shapes whose deletion it has no space for.
    let forgets: Bool
    let words: String
  }

  func verdict(on proposed: [ProposedOperation]) -> Verdict {
    var after = canvas
    // An operation without a stamp gets a stamp later than all others, as in the room.
    for (index, operation) in proposed.enumerated() {
      let own = Stamp(time: .max - UInt64(proposed.count - index), actor: Identifier(packed: 1)!)
      after.apply(Operation(shape: operation.shape, at: operation.at ?? own, set: operation.set))
    }
    func fits(_ count: Int, _ before: Int, _ most: UInt64) -> Bool { count <= before || UInt64(count) <= most }
    let isLive = fits(after.liveCount, canvas.liveCount, limits.shapes)
    // If a shape is deleted while a value for it is pending, a record of the shape is left over. The room counts this
    // record only when the value is stored, so the room can exceed the limit by one.
    let isKept =
      UInt64(after.shapeCount) < 2 * limits.shapes && UInt64(after.shapeCount - after.liveCount) < limits.shapes
    // Each new shape also needs space for its later deletion. Deletions of existing shapes always fit. Erasures and
    // records without a live shape are counted together, because a late edit turns an erasure into such a record.
    let newcomers = max(0, after.liveCount - canvas.liveCount)
    let isMore = after.shapeCount + after.erasureCount > canvas.shapeCount + canvas.erasureCount
    let remembered = after.erasureCount + after.shapeCount - after.liveCount + newcomers
    let isForgotten = !isMore || UInt64(remembered) <= limits.erasures
    return Verdict(
      fits: isLive && isKept && isForgotten,
      forgets: isMore && !fits(after.erasureCount + newcomers, canvas.erasureCount, limits.erasures),
      words: "with it and all that was on its way the room would have \(after.liveCount) of \(limits.shapes) shapes"
    )
  }
}
