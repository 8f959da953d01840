import CanvasCRDT

/// Everything that the live canvas shows of a room, as a value: the drawing, the people, the layers, the state of the
/// connection.
public struct RoomFrame: Sendable {
  public struct Person: Equatable, Sendable {
    public var name: String
    public var color: Color
    public var isSelf: Bool
    public var isFollowed: Bool

    public init(name: String, color: Color, isSelf: Bool = false, isFollowed: Bool = false) {
      self.name = name
      self.color = color
      self.isSelf = isSelf
      self.isFollowed = isFollowed
    }
  }

  public struct Layer: Equatable, Sendable {
    public var name: String
    public var color: Color
    public var isVisible: Bool
    public var isSelected: Bool

    public init(name: String, color: Color, isVisible: Bool = true, isSelected: Bool = false) {
      self.name = name
      self.color = color
      self.isVisible = isVisible
      self.isSelected = isSelected
    }
  }

  /// Two shapes that overlap, and their common area as a fraction of the smaller shape.
  public struct Overlap: Equatable, Sendable {
    public var first: String
    public var second: String
    public var percent: Int?

    public init(first: String, second: String, percent: Int?) {
      self.first = first
      self.second = second
      self.percent = percent
    }
  }

  /// The visible part of a long list.
  public struct Window<Element: Equatable & Sendable>: Equatable, Sendable {
    public var elements: [Element]
    /// How many elements come before this part.
    public var start: Int
    public var count: Int

    public init(_ elements: [Element] = [], start: Int = 0, count: Int? = nil) {
      self.elements = elements
      self.start = start
      self.count = count ?? elements.count
    }
  }

  /// A row in which the user types a text.
  public struct Prompt: Equatable, Sendable {
    public var label: String
    public var line: LineEditor
    /// The text of the input line before anything was typed.
    public let beginning: String

    public init(label: String, line: LineEditor) {
      self.label = label
      self.line = line
      beginning = line.text
    }
  }

  public var room = ""
  public var view: CanvasView
  public var scene = CanvasScene()
  public var people: [Person] = []
  /// How many people in the room are counted but not named.
  public var unnamedCount = 0
  /// The layers from the front to the back, as layer lists usually show them.
  public var layers = Window<Layer>()
  public var overlaps = Window<Overlap>()
  /// Whether there are too many overlapping pairs to list them.
  public var isCrowded = false
  public var connection = Connection.live
  public var unsent = 0
  /// Why the server doesn't accept changes for now, in the words that the server sent.
  public var delay: String?
  public var roundTripMilliseconds: UInt64?
  public var isViewOnly = false
  /// The latest event, as text.
  public var notice: Notice?
  public var prompt: Prompt?
  public var showsHelp = false
  /// The moment of the past that is shown. `nil` if the present is shown.
  public var timeline: Timeline?

  public struct Notice: Equatable, Sendable {
    public var text: String
    public var kind: Kind

    public enum Kind: Sendable { case plain, overlap, warning }

    public init(_ text: String, _ kind: Kind = .plain) {
      self.text = text
      self.kind = kind
    }
  }

  public enum Connection: Equatable, Sendable {
    case loading
    case live
    /// The connection is lost. `seconds` is the time until the next try, or `nil` during a try.
    case reconnecting(seconds: Int?)
    /// The connection is closed for good, for this reason.
    case closed(String)
  }

  public init(view: CanvasView) {
    self.view = view
  }
}

extension RoomFrame {
  /// The state of the connection as text, in the same words as on the page where both do the same. Unlike the page, the
  /// terminal keeps unsaved changes in memory only.
  public var connectionWords: String {
    switch connection {
    case .loading: return "Opening…"
    case .closed(let why): return why
    case .reconnecting(let seconds):
      let changes =
        switch unsent {
        case 0: ""
        case 1: " your 1 change is kept while this runs."
        default: " your \(unsent) changes are kept while this runs."
        }
      // With both, the line would be too long for 80 columns. Who has made changes has pressed keys.
      let key = unsent == 0 ? ", or with any key" : ""
      return "Reconnecting…\(changes)" + (seconds.map { " Next try in \($0) s\(key)." } ?? "")
    case .live:
      if isViewOnly { return "View only" }
      guard unsent > 0 else { return "Saved" }
      return "Saving \(unsent) \(unsent == 1 ? "change" : "changes")…" + (delay.map { " \($0)" } ?? "")
    }
  }
}
