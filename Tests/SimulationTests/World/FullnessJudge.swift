@testable import CanvasCRDT
@testable import SyncServer

/// Decides in the plainest way whether a room has space for a message: by merging all operations on their way, and then
/// the message.
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
    let words: String
  }

  func verdict(on proposed: [ProposedOperation]) -> Verdict {
    var after = canvas
    // Operations without a stamp get one that is later than all others, as the room's own stamps are.
    for (index, operation) in proposed.enumerated() {
      let own = Stamp(time: .max - UInt64(proposed.count - index), actor: Identifier(packed: 1)!)
      after.apply(Operation(shape: operation.shape, at: operation.at ?? own, set: operation.set))
    }
    func fits(_ count: Int, _ before: Int, _ most: UInt64) -> Bool { count <= before || UInt64(count) <= most }
    let isLive = fits(after.liveCount, canvas.liveCount, limits.shapes)
    // Values on their way to a shape that is deleted before they arrive leave a record. The room doesn't count these
    // values before they arrive. So at the very limit it may take a late edit of a deleted shape for one record more.
    let isKept =
      UInt64(after.shapeCount) < 2 * limits.shapes && UInt64(after.shapeCount - after.liveCount) < limits.shapes
    // Every new shape needs space for its deletion, and deleting existing shapes is always allowed. A late edit may
    // turn an erasure into a record without a shape, so both are counted.
    let newcomers = max(0, after.liveCount - canvas.liveCount)
    let isMore = after.shapeCount + after.erasureCount > canvas.shapeCount + canvas.erasureCount
    let remembered = after.erasureCount + after.shapeCount - after.liveCount + newcomers
    let isForgotten = !isMore || UInt64(remembered) <= limits.erasures
    return Verdict(
      fits: isLive && isKept && isForgotten,
      words: "with it and all that was on its way the room would have \(after.liveCount) of \(limits.shapes) shapes"
    )
  }
}
