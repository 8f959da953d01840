import CanvasCRDT

/// The limits on a message that the whole server sets rather than the room. Also the payer, whose quotas count the
/// message.
struct Allowance: Sendable {
  enum Bound: Sendable {
    case none
    /// Only operations that were accepted before and therefore change nothing (W8). Any other operation is refused,
    /// with this code and reason.
    case nothingNew(RejectCode, Text)
    /// Like `nothingNew`, but deletions of existing shapes are allowed too, if they are short.
    case deletions(RejectCode, Text)
  }

  var payer: Payer?
  var bound: Bound

  /// The allowance of writers that have no quota.
  static let all = Allowance(payer: nil, bound: .none)

  /// - Returns: whether nothing of the message has to be stored, because the room has all of it, or newer values.
  ///   Otherwise clients that send old operations again and again would have them stored in spite of all bounds.
  func isKnown(_ proposed: [ProposedOperation], on canvas: borrowing Canvas) throws(Rejection) -> Bool {
    let code: RejectCode
    let words: Text
    let takesDeletions: Bool
    switch bound {
    case .none: return false
    case .nothingNew(let given, let why): (code, words, takesDeletions) = (given, why, false)
    case .deletions(let given, let why): (code, words, takesDeletions) = (given, why, true)
    }
    var isKnown = true
    var isTaken = takesDeletions
    for operation in proposed {
      let isOld = operation.at.map { Door.changesNothing(operation, at: $0, on: canvas) } ?? false
      let deletes = operation.set.deleted && !canvas.registers(of: operation.shape).isEmpty
      isKnown = isKnown && isOld
      isTaken = isTaken && (isOld || deletes) && operation.set.assigned.intersection([.text, .path, .name]).isEmpty
    }
    guard isKnown || isTaken else { throw Rejection(code: code, message: words) }
    return isKnown
  }
}
