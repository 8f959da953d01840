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
    for operation in proposed { isKnown = isKnown && Door.changesNothing(operation, on: canvas) }
    guard isKnown || takesDeletions && onlyDeletes(proposed, on: canvas) else {
      throw Rejection(code: code, message: words)
    }
    return isKnown
  }

  /// Whether the server stores only what is new in a message. Otherwise operations that the room has already, and that
  /// come with a deletion, would take the space that is kept for deletions.
  var storesOnlyNew: Bool {
    if case .deletions = bound { true } else { false }
  }

  /// Whether a message deletes what the room has, each shape once, and writes nothing else that is new. The new ends of
  /// lines that are tied to these shapes are accepted with it (S14), once for each line.
  private func onlyDeletes(_ proposed: [ProposedOperation], on canvas: borrowing Canvas) -> Bool {
    var leaving = IdentifierSet()
    var others = IdentifierSet()
    for operation in proposed where !Door.changesNothing(operation, on: canvas) {
      if deletes(operation, from: canvas) {
        guard leaving.insert(operation.shape).isNew else { return false }
      } else {
        guard operation.set.assigned.subtracting([.position, .size, .path, .rotation]).isEmpty else { return false }
        guard others.insert(operation.shape).isNew else { return false }
      }
    }
    for line in others.members {
      let ties = [canvas[line]?.properties.from, canvas[line]?.properties.to]
      guard ties.contains(where: { $0.map { leaving.contains($0.shape) } ?? false }) else { return false }
    }
    return true
  }

  /// Whether an operation deletes something that the room has, and does nothing else. So nobody can have the same shape
  /// deleted again and again. It may also say where the shape goes, as into the black hole.
  private func deletes(_ operation: ProposedOperation, from canvas: borrowing Canvas) -> Bool {
    guard operation.set.deleted, operation.set.assigned.subtracting([.deleted, .position, .size]).isEmpty else {
      return false
    }
    for property in canvas.registers(of: operation.shape) {
      guard let stamp = operation.at, let newest = canvas.stamp(of: property, in: operation.shape) else { return true }
      if newest < stamp { return true }
    }
    return false
  }
}
