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
    // A backslash may take two characters.
    let line = LineEditor(TextWords.typed(shape.properties.text), bytesMax: 2 * PropertyRules.textBytesMax)
    prompt = (selection[0], RoomFrame.Prompt(label: LiveCanvas.textLabel, line: line))
  }

  func write(_ text: Text, in shape: Identifier) {
    guard let shape = canvas[shape], shape.properties.text != text else { return }
    guard PropertyRules.allowsText(text) else {
      say("A text has at most 4,096 bytes.", .warning)
      return
    }
    var set = Properties()
    set.text = text
    set.growBox(of: shape.properties)
    if set.assigned.contains(.position) { set.position = clamped(set.position) }
    edit([ShapeEdit(shape: shape.id, set: set)])
  }

  /// Puts a text back that somebody else wrote over.
  func putTextBack() {
    guard let lost = lostText, Clocks.monotonicMilliseconds() < lost.until, canvas[lost.loss.shape] != nil else {
      say("Nobody wrote over a text of yours just now.")
      return
    }
    lostText = nil
    notice = nil
    guard !refusesLocked([lost.loss.shape]) else { return }
    write(lost.loss.text, in: lost.loss.shape)
  }
}

extension Properties {
  /// Makes the box of a shape as high as these properties' text needs: what reaches beyond it is not shown (S9). What is seen
  /// at the upper left of the box stays there.
  mutating func growBox(of shape: Properties) {
    let before = shape.size
    let height = TextBox.height(of: text, textSize: shape.textSize, width: before.width)
    guard height > before.height else { return }
    size = Size(width: before.width, height: height)
    guard shape.rotation != 0 else { return }
    let angle = shape.rotation * .pi / 180
    let half = (height - before.height) / 2
    // How far the middle goes, less what half of the growth would move it.
    position = Point(x: shape.position.x - half * sin(angle), y: shape.position.y + half * cos(angle) - half)
  }
}
