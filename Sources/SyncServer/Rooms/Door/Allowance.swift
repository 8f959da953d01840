import CanvasCRDT

/// The limits on a message that the whole server sets rather than the room. Also the payer, whose quotas count the
/// message.
struct Allowance: Sendable {
  enum Bound: Sendable {
    case none
    /// Only operations that were accepted before and therefore change nothing (W8). Any other operation is refused,
    /// with this code and reason.
    case nothingNew(RejectCode, Text)
    /// Like `nothingNew`, but deletions of existing shapes are allowed too.
    case deletions(RejectCode, Text)
  }

  var payer: Payer?
  var bound: Bound

  /// The allowance of writers that have no quota.
  static let all = Allowance(payer: nil, bound: .none)

  func check(_ proposed: [ProposedOperation], on canvas: borrowing Canvas) throws(Rejection) {
    let code: RejectCode
    let words: Text
    let takesDeletions: Bool
    switch bound {
    case .none: return
    case .nothingNew(let given, let why): (code, words, takesDeletions) = (given, why, false)
    case .deletions(let given, let why): (code, words, takesDeletions) = (given, why, true)
    }
    for operation in proposed {
      if let at = operation.at, Door.changesNothing(operation, at: at, on: canvas) { continue }
      if takesDeletions, operation.set.deleted, !canvas.registers(of: operation.shape).isEmpty { continue }
      throw Rejection(code: code, message: words)
    }
  }
}
