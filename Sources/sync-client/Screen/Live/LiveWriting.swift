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
    guard !shape.properties.kind.isStroke else {
      say("Nothing is written in a line.")
      return
    }
    guard !isViewOnly else {
      say("You can look but not edit here.", .warning)
      return
    }
    guard !refusesLocked(selection) else { return }
    // A backslash or a line break takes two characters when typed.
    let line = LineEditor(TextWords.typed(shape.properties.text), bytesMax: 2 * PropertyRules.textBytesMax)
    prompt = (selection[0], RoomFrame.Prompt(label: LiveCanvas.textLabel, line: line))
    written = shape
  }

  /// Remembers the state of the shape whose text is being written. If somebody deletes the shape, the text can still be
  /// put back.
  func noteWritten() {
    guard let shape = prompt?.shape, let shape = canvas[shape] else { return }
    written = shape
  }

  func write(_ text: Text, in id: Identifier) {
    guard let shape = canvas[id] else { return keep(text, of: id) }
    guard shape.properties.text != text else { return }
    var set = Properties()
    set.text = text
    set.growBox(of: shape.properties)
    if set.assigned.contains(.position) { set.position = clamped(set.position) }
    edit([ShapeEdit(shape: shape.id, set: set)])
  }

  /// Keeps the text for a while, because somebody deleted the shape while this user wrote in it.
  private func keep(_ text: Text, of shape: Identifier) {
    guard let written, written.id == shape, written.properties.text != text, PropertyRules.allowsText(text),
      !TextWords.inOneLine(text).isEmpty
    else { return }
    lostText = (.orphaned(text, written), Clocks.monotonicMilliseconds() + LiveCanvas.lossMilliseconds)
    say(
      "The shape was deleted. I keeps your text: \(TextWords.quoted(text))",
      .warning,
      forMilliseconds: LiveCanvas.lossMilliseconds
    )
  }

  /// Puts back a text that somebody else overwrote, or whose shape somebody else deleted.
  func putTextBack() {
    guard let lost = lostText, Clocks.monotonicMilliseconds() < lost.until else {
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
    case .orphaned(let text, let shape): add([shape.properties.textAlone(text)])
    }
    lostText = nil
    notice = nil
  }
}

/// A text that can be put back.
enum LostText {
  case overwritten(TextLosses.Loss)
  /// The text, and the shape as it was, because somebody deleted the shape while this user wrote in it.
  case orphaned(Text, Shape)
}

extension Properties {
  /// A shape of kind text, at the place of the shape with these properties.
  fileprivate func textAlone(_ text: Text) -> Properties {
    var set = Properties()
    set.kind = .text
    set.text = text
    set.textSize = textSize
    set.fill = Color(packed: 0x76_76_76)
    set.position = position
    set.size = Size(width: size.width, height: TextBox.height(of: text, textSize: textSize, width: size.width))
    return set
  }

  /// Makes the box of a shape as high as the text in these properties needs, because text beyond the box is not shown
  /// (S9). The upper left corner of the box stays in its place.
  mutating func growBox(of shape: Properties) {
    let before = shape.size
    let height = TextBox.height(of: text, textSize: shape.textSize, width: before.width)
    guard height > before.height else { return }
    size = Size(width: before.width, height: height)
    guard shape.rotation != 0 else { return }
    let angle = shape.rotation * .pi / 180
    let half = (height - before.height) / 2
    // The upper left corner moves with the middle of the box, and back by half of the growth.
    position = Point(x: shape.position.x - half * sin(angle), y: shape.position.y + half * cos(angle) - half)
  }
}
