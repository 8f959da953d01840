/// A line that is being typed: its text, and the position of the cursor.
public struct LineEditor: Equatable, Sendable {
  public private(set) var scalars: [Unicode.Scalar]
  public private(set) var cursor: Int
  /// An upper bound on the bytes of the line.
  public let bytesMax: Int

  public init(_ text: String = "", bytesMax: Int = 128) {
    self.bytesMax = bytesMax
    scalars = []
    cursor = 0
    insert(text)
  }

  public var text: String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  public enum Outcome: Equatable, Sendable {
    case editing
    /// The line is full: what came last doesn't fit, or only its beginning does.
    case full
    case accepted(String)
    case cancelled
  }

  public mutating func take(_ event: TerminalEvent) -> Outcome {
    switch event {
    case .paste(let text): return insert(text)
    case .key(let key, let modifiers): return take(key, modifiers)
    default: break
    }
    return .editing
  }

  private mutating func take(_ key: Key, _ modifiers: Modifiers) -> Outcome {
    switch key {
    case .enter: return .accepted(text)
    case .escape: return .cancelled
    case .character("c") where modifiers == .control: return .cancelled
    case .character("a") where modifiers == .control: cursor = 0
    case .character("e") where modifiers == .control: cursor = scalars.count
    case .character("u") where modifiers == .control:
      scalars.removeFirst(cursor)
      cursor = 0
    case .character("k") where modifiers == .control: scalars.removeLast(scalars.count - cursor)
    case .character("w") where modifiers == .control: deleteWord()
    case .character(let scalar) where modifiers.isSubset(of: .shift): return insert(String(Character(scalar)))
    case .backspace: deleteBack()
    case .delete: if cursor < scalars.count { scalars.removeSubrange(cursor..<next(after: cursor)) }
    case .left: cursor = previous(before: cursor)
    case .right: cursor = next(after: cursor)
    case .home: cursor = 0
    case .end: cursor = scalars.count
    default: break
    }
    return .editing
  }

  @discardableResult
  private mutating func insert(_ text: String) -> Outcome {
    var bytes = self.text.utf8.count
    for character in text {
      // The line must have no control characters, so pasted line breaks and tabs become spaces.
      let isSpace = character.isNewline || character == "\t"
      for scalar in isSpace ? " ".unicodeScalars : character.unicodeScalars {
        guard scalar.value >= 0x20, !(0x7F..<0xA0).contains(scalar.value) else { continue }
        bytes += UTF8.width(scalar)
        guard bytes <= bytesMax else { return .full }
        scalars.insert(scalar, at: cursor)
        cursor += 1
      }
    }
    return .editing
  }

  private mutating func deleteBack() {
    let start = previous(before: cursor)
    scalars.removeSubrange(start..<cursor)
    cursor = start
  }

  private mutating func deleteWord() {
    var start = cursor
    while start > 0, scalars[start - 1] == " " { start -= 1 }
    while start > 0, scalars[start - 1] != " " { start -= 1 }
    scalars.removeSubrange(start..<cursor)
    cursor = start
  }

  /// The start of the character before `index`. Combining marks belong to their character.
  private func previous(before index: Int) -> Int {
    var index = max(index - 1, 0)
    while index > 0, CharacterWidth.columns(of: scalars[index]) == 0 { index -= 1 }
    return index
  }

  private func next(after index: Int) -> Int {
    var index = min(index + 1, scalars.count)
    while index < scalars.count, CharacterWidth.columns(of: scalars[index]) == 0 { index += 1 }
    return index
  }

  /// The visible part of the line, and the position of the cursor in it.
  func window(columns: Int) -> (text: String, cursor: Int) {
    let before = scalars[..<cursor].reduce(0) { $0 + CharacterWidth.columns(of: $1) }
    var hidden = 0
    var start = 0
    while before - hidden >= columns, start < cursor {
      hidden += CharacterWidth.columns(of: scalars[start])
      start += 1
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[start...])
    return (text.columns > columns ? String(text.fitting(columns)) : text, before - hidden)
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int { String(Character(scalar)).utf8.count }
}
