/// Why a document can't be imported: what was wrong, and where.
public enum ImportError: Error, Hashable, Sendable {
  case notJSON(JSONFailure)
  /// JSON, but neither a layout nor a drawing.
  case unknownDocument
  case tooManyShapes(maximum: Int)
  case invalid(Place, Text)

  /// Somewhere in a document: `shapes[3].size`.
  public struct Place: Hashable, Sendable {
    public enum List: Hashable, Sendable {
      case shapes
      case squares

      var name: StaticString {
        switch self {
        case .shapes: "shapes"
        case .squares: "squares"
        }
      }
    }

    public let list: List
    public let index: Int?
    public let member: Text?

    init(_ list: List, _ index: Int? = nil, _ member: Text? = nil) {
      self.list = list
      self.index = index
      self.member = member
    }
  }
}

extension ImportError.Place: CustomStringConvertible {
  public var description: String {
    var text = Text(list.name).string
    if let index {
      text += "["
      text += index.description
      text += "]"
    }
    if let member {
      text += "."
      text += member.string
    }
    return text
  }
}

extension ImportError: CustomStringConvertible {
  /// In words: `shapes[3].size: size must be [width, height], each a number from 1 to 1000000`.
  public var description: String {
    switch self {
    case .notJSON(let failure): return failure.description
    case .unknownDocument: return "neither a layout with squares nor a drawing with shapes"
    case .tooManyShapes(let maximum): return "more than \(maximum) shapes"
    case .invalid(let place, let message):
      var text = place.description
      text += ": "
      text += message.string
      return text
    }
  }
}
