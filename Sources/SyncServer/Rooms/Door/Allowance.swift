import CanvasCRDT

/// The limits on a message that the whole server sets rather than the room. Also the payer, whose quotas count the
/// message.
struct Allowance: Sendable {
  enum Bound: Sendable {
    case none
    /// Only operations that were accepted before and therefore change nothing (W8). Any other operation is refused,
    /// with this code and reason.
    case nothingNew(RejectCode, Text)
    /// Like `nothingNew`, but deletions of existing shapes are allowed too. They may write where the shape ends, for the
    /// black hole. Ends of lines that were tied to these shapes are also allowed.
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
    for operation in proposed { isKnown = isKnown && canvas.hasAll(of: operation) }
    guard isKnown || takesDeletions && canvas.onlyDeletes(proposed) else {
      throw Rejection(code: code, message: words)
    }
    return isKnown
  }

  /// Whether the server stores only what is new in a message. Otherwise operations that the room has already, and that
  /// come with a deletion, would take the space that is kept for deletions.
  var storesOnlyNew: Bool {
    if case .deletions = bound { true } else { false }
  }
}
