/// Why a document can't be imported: what is wrong, and where in the document.
public enum ImportError: Error, Hashable, Sendable {
  case notJSON(JSONFailure)
  /// The text is JSON, but neither a layout nor a drawing.
  case unknownDocument
  case tooManyShapes(maximum: Int)
  case invalid(Place, Text)

  /// The path to a value in a document: `shapes[3].size`.
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
  public var text: Text {
    var text = Text(list.name)
    if let index { text = text.appending("[").appending(Text(decimal: UInt64(index))).appending("]") }
    if let member { text = text.appending(".").appending(member) }
    return text
  }

  public var description: String { text.string }
}

extension ImportError: CustomStringConvertible {
  /// The error as text: `shapes[3].size: size must be [width, height], each a number from 1 to 1000000`.
  public var message: Text {
    switch self {
    case .notJSON(let failure): failure.message
    case .unknownDocument: "neither a layout with squares nor a drawing with shapes"
    case .tooManyShapes(let maximum):
      Text("more than ").appending(Text(decimal: UInt64(maximum))).appending(" shapes")
    case .invalid(let place, let message): place.text.appending(": ").appending(message)
    }
  }

  public var description: String { message.string }
}
