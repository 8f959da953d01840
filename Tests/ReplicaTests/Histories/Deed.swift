import TestSupport

/// One event of a history. Its random numbers come from a seed of its own, so they stay the same when other events are
/// removed.
struct Deed: CustomStringConvertible {
  enum Kind: CaseIterable {
    case add, edit, delete, clear, undo, redo, begin, end, abandon, longEdit
    case send, receive, settle, wait, cut, newActor, tooLong, refuse, restore, setClock
  }

  let kind: Kind
  let host: Int
  let seed: UInt64

  var description: String { "\(kind) by \(host) (\(seed % 10_000))" }

  /// How many of about a hundred events are of each kind.
  private static let weights: [(kind: Kind, weight: Int)] = [
    (.add, 10), (.edit, 26), (.delete, 5), (.clear, 1), (.undo, 9), (.redo, 6), (.begin, 6), (.end, 5), (.abandon, 2),
    (.longEdit, 2), (.send, 4), (.receive, 4), (.settle, 10), (.wait, 2), (.cut, 3), (.newActor, 3), (.tooLong, 1),
    (.refuse, 10),
    (.restore, 3), (.setClock, 2),
  ]

  static func random(hosts: Int, using random: inout SeededGenerator) -> Deed {
    var left = Int.random(in: 0..<weights.reduce(0) { $0 + $1.weight }, using: &random)
    let drawn = weights.first { entry in
      left -= entry.weight
      return left < 0
    }
    return Deed(kind: drawn?.kind ?? .edit, host: Int.random(in: 0..<hosts, using: &random), seed: random.next())
  }
}
