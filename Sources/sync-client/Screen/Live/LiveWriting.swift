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
    guard let shape = canvas[id] else {
      if let written, written.properties.text != text { keep(text, written.properties, "The shape was deleted") }
      return
    }
    guard shape.properties.text != text else { return }
    var set = Properties()
    set.text = text
    if shape.properties.kind != .line { set.growBox(of: shape.properties) }
    if set.assigned.contains(.position) { set.position = clamped(set.position) }
    edit([ShapeEdit(shape: shape.id, set: set)])
  }

  /// Keeps what the user has typed and cancelled.
  func cancelWriting(_ prompt: RoomFrame.Prompt) {
    guard prompt.line.text != prompt.beginning, var place = written?.properties else { return }
    place.text = Text(TextWords.written(prompt.beginning))
    keep(Text(TextWords.written(prompt.line.text)), place, "Not written")
  }

  /// Keeps a text that the user was writing.
  private func keep(_ text: Text, _ place: Properties, _ why: String) {
    guard let written, PropertyRules.allowsText(text), !TextWords.inOneLine(text).isEmpty else { return }
    let words = "\(why). Press I to keep your text: \(TextWords.quoted(text))"
    tell(LostTexts.Lost(text: text, shape: written.id, place: place, words: words))
  }

  /// Keeps a text that the drawing doesn't have any more, and tells the user.
  func tell(_ lost: LostTexts.Lost) {
    leaving = .no
    lostTexts.add(lost)
    notice = nil
    host.invalidate()
  }

  /// Puts back a text that somebody overwrote, whose shape somebody deleted, or that the server refused.
  func putTextBack() {
    guard let next = lostTexts.next else {
      say("No text of yours was lost.")
      return
    }
    let text = canvas[next.shape]?.properties.text
    // What somebody else has written in the shape stays. Then the text gets a shape of its own.
    let isFree = text.map { $0.isEmpty || $0 == next.place.text } ?? false
    guard !isFree || !refusesLocked([next.shape]) else { return }
    lostTexts.removeNext()
    notice = nil
    if isFree { write(next.text, in: next.shape) } else { add(next.text, at: next.place, isBeside: text != nil) }
    host.invalidate()
  }

  private func add(_ text: Text, at place: Properties, isBeside: Bool) {
    var set = place.textAlone(text)
    if isBeside, let free = drawing.picture.overlaps.freePlace(for: set.size, near: set.position) {
      set.position = clamped(free)
    }
    add([set])
    if let added = selection.first { show(added) }
  }
}

extension Properties {
  /// The properties of a text shape at the place of this shape.
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
    let text = assigned.contains(.text) ? text : shape.text
    let height = TextBox.height(of: text, textSize: shape.textSize, width: before.width)
    guard height > before.height else { return }
    setSize(Size(width: before.width, height: height), of: shape)
  }

  /// Gives a shape a size. The top left corner stays in place: a rotated box grows around its middle, so the position is
  /// corrected.
  mutating func setSize(_ after: Size, of shape: Properties) {
    size = after
    guard shape.rotation != 0 else { return }
    let angle = shape.rotation * .pi / 180
    let (across, down) = ((after.width - shape.size.width) / 2, (after.height - shape.size.height) / 2)
    position = Point(
      x: shape.position.x - across + across * cos(angle) - down * sin(angle),
      y: shape.position.y - down + across * sin(angle) + down * cos(angle)
    )
  }
}
