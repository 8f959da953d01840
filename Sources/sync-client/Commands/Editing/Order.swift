import CanvasCRDT
import CommandWords

/// The command `order`, which moves a shape in the z-order.
enum Order {
  static let command = Command(
    name: "order",
    group: .editing,
    operands: [.one("ROOM"), .one("SHAPE"), .one("WHERE"), .optional("OTHER")],
    summary: "change a shape's place in the drawing order",
    details: [
      "WHERE is front, back, forward or backward; above or below, followed by the OTHER shape; or a number as in "
        + "show, where 1 is at the back."
    ],
    examples: ["order demo Sun front", "order demo Sun above Moon", "order demo Sun 1"]
  ) { invocation in
    let operands = invocation.arguments.operands
    let place = try Place(operands[2], other: invocation.arguments.operand(3))
    let editor = try await RoomEditor.open(invocation)
    let shape = try await editor.find(operands[1])
    let order = editor.picture.order
    var random = SystemRandomNumberGenerator()
    let places: [DrawingOrder.Place]
    switch place {
    case .front: places = order.bringingToFront([shape], using: &random)
    case .back: places = order.sendingToBack([shape], using: &random)
    case .forward: places = order.bringingForward([shape], using: &random)
    case .backward: places = order.sendingBackward([shape], using: &random)
    case .number(let number): places = order.moving([shape], to: number - 1, using: &random)
    case .above(let word), .below(let word):
      let other = try await editor.find(word)
      guard other != shape, let own = order.index(of: shape), let index = order.index(of: other) else {
        throw await editor.fail("a shape can't be above or below itself")
      }
      // The moved shape itself isn't counted, so the index of a shape in front of it is lower by one.
      let among = index > own ? index - 1 : index
      places = order.moving([shape], to: place.isAbove ? among + 1 : among, using: &random)
    }
    return try await editor.commit(places.map { ShapeEdit(shape: $0.shape, key: $0.key) })
  }

  private enum Place {
    case front
    case back
    case forward
    case backward
    case above(String)
    case below(String)
    case number(Int)

    init(_ word: String, other: String?) throws(ClientFailure) {
      switch (word, other) {
      case ("front", nil): self = .front
      case ("back", nil): self = .back
      case ("forward", nil): self = .forward
      case ("backward", nil): self = .backward
      case ("above", .some(let other)): self = .above(other)
      case ("below", .some(let other)): self = .below(other)
      case ("above", nil), ("below", nil):
        throw .usage("\(word) needs another shape. Usage: sync-client order ROOM SHAPE \(word) OTHER")
      default:
        guard other == nil, let number = Int(word), number > 0 else {
          let words = ["front", "back", "forward", "backward", "above", "below"]
          let question = Suggestion.question(word, among: words, meaning: ["top": "front", "bottom": "back"])
          throw .usage("\(word): WHERE is \(words.joined(separator: ", ")) or a number from 1.\(question)")
        }
        self = .number(number)
      }
    }

    var isAbove: Bool {
      if case .above = self { return true }
      return false
    }
  }
}
