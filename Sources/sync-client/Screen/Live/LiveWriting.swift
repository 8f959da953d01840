import Basics
import CanvasCRDT
import Glibc
import TerminalCanvas

// Texts in shapes.

extension LiveCanvas {
  static let textLabel = "Text (\\n: next line):"

  func beginWriting() {
    guard selection.count == 1, let shape = canvas[selection[0]] else {
      say("Select one shape to write in it.")
      return
    }
    guard shape.properties.kind != .ink else {
      say("Nothing is written in ink.")
      return
    }
    guard !isViewOnly else {
      say("You can look but not edit here.", .warning)
      return
    }
    guard !refusesLocked(selection) else { return }
    // In the input field, a backslash or a line break takes two characters, so the limit is doubled.
    let line = LineEditor(TextWords.typed(shape.properties.text), bytesMax: 2 * PropertyRules.textBytesMax)
    prompt = (selection[0], RoomFrame.Prompt(label: LiveCanvas.textLabel, line: line))
    written = shape
  }

  /// Remembers the shape whose text the user is writing. If somebody deletes it, the text can be put back.
  func noteWritten() {
    guard let shape = prompt?.shape, let shape = canvas[shape] else { return }
    written = shape
  }

  func write(_ text: Text, in id: Identifier) {
    guard let shape = canvas[id] else { return keep(text, of: id) }
    guard shape.properties.text != text else { return }
    var set = Properties()
    set.text = text
    if shape.properties.kind != .line { set.growBox(of: shape.properties) }
    if set.assigned.contains(.position) { set.position = clamped(set.position) }
    edit([ShapeEdit(shape: shape.id, set: set)])
  }

  /// Keeps the user's text for a while, because somebody has deleted its shape.
  private func keep(_ text: Text, of shape: Identifier) {
    guard let written, written.id == shape, written.properties.text != text, PropertyRules.allowsText(text),
      !TextWords.inOneLine(text).isEmpty
    else { return }
    lostText = (.orphaned(text, written.properties), SteadyClock.milliseconds() + LiveCanvas.lossMilliseconds)
    say(
      "The shape was deleted. I keeps your text: \(TextWords.quoted(text))",
      .warning,
      forMilliseconds: LiveCanvas.lossMilliseconds
    )
  }

  /// Puts back a text that somebody overwrote, or whose shape somebody deleted.
  func putTextBack() {
    guard let lost = lostText, SteadyClock.milliseconds() < lost.until else {
      say("No text of yours was lost just now.")
      return
    }
    switch lost.text {
    case .overwritten(let loss):
      guard canvas[loss.shape] != nil else {
        say("The shape was deleted meanwhile.")
        return
      }
      guard !refusesLocked([loss.shape]) else { return }
      write(loss.text, in: loss.shape)
    case .orphaned(let text, let shape): add([shape.textAlone(text)])
    }
    lostText = nil
    notice = nil
  }
}

enum LostText {
  case overwritten(TextLosses.Loss)
  /// A text whose shape was deleted, and that shape's properties, or those of a place for the text.
  case orphaned(Text, Properties)
}

extension Properties {
  /// The properties of a text shape at the place of the deleted shape.
  fileprivate func textAlone(_ text: Text) -> Properties {
    var set = Properties()
    set.kind = .text
    set.text = text
    set.textSize = textSize
    set.fill = Color(packed: 0x76_76_76)
    set.position = position
    // A line's box says nothing about the text.
    set.size =
      kind == .line
      ? TextBox.size(of: text, textSize: textSize)
      : Size(width: size.width, height: TextBox.height(of: text, textSize: textSize, width: size.width))
    return set
  }

  /// Makes a shape's box as high as its text needs, because text beyond the box isn't shown (S9). The top left corner
  /// stays in place.
  mutating func growBox(of shape: Properties) {
    let before = shape.size
    let height = TextBox.height(of: text, textSize: shape.textSize, width: before.width)
    guard height > before.height else { return }
    size = Size(width: before.width, height: height)
    guard shape.rotation != 0 else { return }
    let angle = shape.rotation * .pi / 180
    let half = (height - before.height) / 2
    // A rotated box grows around its middle. So the position is corrected to keep the top left corner in place.
    position = Point(x: shape.position.x - half * sin(angle), y: shape.position.y + half * cos(angle) - half)
  }
}
