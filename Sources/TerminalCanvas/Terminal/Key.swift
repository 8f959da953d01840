/// An event at a terminal: a key, the mouse, a paste, the focus, or an answer of the terminal.
public enum TerminalEvent: Hashable, Sendable {
  case key(Key, Modifiers)
  case mouse(Mouse)
  /// Text that was pasted rather than typed. It is never interpreted as keys.
  case paste(String)
  case focus(Bool)
  /// The terminal's answer to the query for its background colour: red, green and blue, 0…255.
  case background(red: UInt8, green: UInt8, blue: UInt8)
}

public enum Key: Hashable, Sendable {
  case character(Unicode.Scalar)
  case enter, tab, backspace, escape, insert, delete
  case up, down, left, right, home, end, pageUp, pageDown
  case function(Int)
}

public struct Modifiers: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let shift = Modifiers(rawValue: 1)
  public static let alt = Modifiers(rawValue: 2)
  public static let control = Modifiers(rawValue: 4)
}

/// An event of the mouse, at a cell. Cells are counted from the top left.
public struct Mouse: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    case press, release
    /// The mouse moved while a button was held.
    case drag
    /// The mouse moved while no button was held.
    case move
    case wheelUp, wheelDown, wheelLeft, wheelRight
  }

  public enum Button: Hashable, Sendable { case left, middle, right, none }

  public var action: Action
  public var button: Button
  public var row: Int
  public var column: Int
  public var modifiers: Modifiers

  public init(_ action: Action, _ button: Button, row: Int, column: Int, modifiers: Modifiers = []) {
    self.action = action
    self.button = button
    self.row = row
    self.column = column
    self.modifiers = modifiers
  }
}
