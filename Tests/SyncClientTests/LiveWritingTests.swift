import CanvasCRDT
import TerminalCanvas
import TestSupport
import Testing

@testable import sync_client

/// Names and texts that are typed on the live canvas.
@Suite struct LiveWritingTests {
  private let box = Rect(80, 80, 160, 64)

  /// Types in the open field, in place of what is there.
  @ClientLoop private func type(_ text: String, _ desk: Desk) {
    desk.press(.character("u"), .control)
    desk.press(text)
  }

  @Test @ClientLoop func `Enter renames the one selected shape, and nothing else`() throws {
    let desk = try Desk()
    let (sun, moon) = (desk.draw("Sun", box), desk.draw("Moon", Rect(320, 80, 80, 80)))
    for selection in [[], [sun, moon]] {
      desk.live.select(selection)
      desk.live.notice = nil
      desk.press(.enter)
      #expect(desk.live.prompt == nil && desk.notice == "Select one shape to rename it.")
    }
    desk.live.select([sun])
    desk.press(.enter)
    #expect(desk.live.prompt?.prompt.label == "Name:" && desk.status.contains("Name: Sun"))
    type("Sol", desk)
    desk.press(.enter)
    #expect(desk.shape(sun).name == "Sol" && desk.live.prompt == nil)
    // An empty name, and one that was there already, are not written.
    for name in ["", "Sol"] {
      let before = desk.live.client.replica.unsentCount
      desk.press(.enter)
      type(name, desk)
      desk.press(.enter)
      #expect(
        desk.shape(sun).name == "Sol" && desk.live.client.replica.unsentCount == before && desk.live.prompt == nil
      )
    }
    desk.press(.enter)
    type("Gone", desk)
    desk.press(.escape)
    #expect(desk.live.prompt == nil && desk.shape(sun).name == "Sol" && desk.live.lostTexts.next == nil)
    // Whatever is typed, keys mean nothing else, and the mouse goes on.
    desk.press(.enter)
    desk.press("xB")
    #expect(desk.live.drawing.count == 2 && desk.live.typed == ["SolxB"] && desk.live.unwritten == ["SolxB"])
    desk.settle()
    desk.mouse(.move, .none, at: Point(x: 84, y: 88))
    #expect(desk.live.pointer == Point(x: 84, y: 88) && desk.live.prompt != nil)
  }

  @Test @ClientLoop func `A name that can't be written stays in its field, with the reason`() throws {
    let desk = try Desk()
    let sun = desk.draw("Sun", box)
    desk.live.select([sun])
    desk.press(.enter)
    desk.live.take(.paste(String(repeating: "é", count: 70)))
    #expect(desk.notice == "There is no room for more: the end was left out." && desk.live.prompt != nil)
    type("\u{200B}", desk)
    desk.press(.enter)
    #expect(desk.notice == "A name is 1 to 128 bytes of text." && desk.live.prompt != nil)
    type("Sol", desk)
    desk.write(sun) { $0.isLocked = true }
    desk.press(.enter)
    #expect(desk.notice == "Sun was locked meanwhile, so nothing can be written in it now." && desk.live.prompt != nil)
    desk.write(sun) { $0.delete() }
    desk.press(.enter)
    #expect(desk.notice?.hasPrefix("The shape was deleted meanwhile") == true && desk.live.prompt != nil)
  }

  @Test @ClientLoop func `S9: i writes in the one selected shape, whose box grows with its text`() throws {
    let desk = try Desk()
    let list = desk.draw("List", box)
    let ink = desk.draw("Ink", box, .ink)
    for (selection, said) in [
      ([], "Select one shape to write in it."), ([list, ink], "Select one shape to write in it."),
      ([ink], "Nothing is written in ink."),
    ] {
      desk.live.select(selection)
      desk.live.notice = nil
      desk.press("i")
      #expect(desk.notice == said && desk.live.prompt == nil)
    }
    desk.live.select([list])
    desk.press("i")
    type("1\\n2\\n3\\\\n", desk)
    desk.press(.enter)
    #expect(desk.shape(list).text == "1\n2\n3\\n" && desk.shape(list).size == Size(width: 160, height: 91))
    desk.press("i")
    #expect(desk.status.contains("1\\n2\\n3\\\\n"))
    // What was typed as it is there changes nothing, not even what somebody else writes meanwhile.
    desk.write(list) { $0.text = "Sell eggs" }
    desk.press(.enter)
    #expect(desk.live.prompt == nil && desk.live.lostTexts.next?.text == "1\n2\n3\\n")
    desk.press("i")
    desk.live.take(.paste(String(repeating: "ä", count: 3_000)))
    desk.press(.enter)
    #expect(desk.notice == "A text has at most 4,096 bytes." && desk.live.prompt != nil)
    type("", desk)
    desk.press(.enter)
    #expect(desk.shape(list).text == "" && desk.live.prompt == nil)
    let line = desk.draw("Way", Rect(80, 300, 200, 1), .line)
    desk.live.select([line])
    desk.press("i")
    type("1\\n2", desk)
    desk.press(.enter)
    #expect(desk.shape(line).text == "1\n2" && desk.shape(line).size == Size(width: 200, height: 1))
  }

  @Test @ClientLoop func `What is cancelled, or whose shape is deleted, can be put back where it was`() throws {
    let desk = try Desk()
    let list = desk.draw("List", box) { $0.text = "Buy milk" }
    desk.live.select([list])
    desk.press("i")
    desk.press(.escape)
    #expect(desk.live.lostTexts.next == nil, "nothing was typed")
    desk.press("i")
    type("Sell eggs", desk)
    desk.press(.escape)
    #expect(desk.live.lostTexts.words == "Not written. Press I to keep your text: “Sell eggs”")
    // Where the old text is still there, the kept one takes its place.
    desk.press("I")
    #expect(desk.shape(list).text == "Sell eggs" && desk.live.drawing.count == 1)
    desk.press("i")
    type("Buy bread", desk)
    desk.press(.escape)
    desk.write(list) { $0.text = "Bob's" }
    // A field that was cancelled, and a text that Bob has written over.
    #expect(desk.live.lostTexts.typed == ["Buy bread", "Sell eggs"])
    for text in ["Sell eggs", "Buy bread"] as [Text] {
      desk.press("I")
      #expect(desk.selected.kind == .text && desk.selected.text == text)
    }
    #expect(desk.shape(list).text == "Bob's" && desk.live.drawing.count == 3 && desk.live.drawing.overlapCount == 0)
    desk.live.select([list])
    desk.press("i")
    type("1\\n2\\n3\\n4\\n5", desk)
    desk.write(list) { $0.delete() }
    desk.press(.enter)
    #expect(desk.live.lostTexts.words?.hasPrefix("The shape was deleted.") == true)
    desk.press("I")
    #expect(desk.selected.position == box.origin && desk.selected.size == Size(width: 160, height: 141))
    #expect(desk.selected.kind == .text && desk.selected.text == "1\n2\n3\n4\n5")
  }

  @Test @ClientLoop func `A lost text isn't written into a locked shape, and is told until it is put back or hidden`()
    throws
  {
    let desk = try Desk()
    let list = desk.draw("List", box)
    desk.live.select([list])
    desk.press("i")
    type("Buy milk", desk)
    desk.press(.escape)
    desk.write(list) { $0.isLocked = true }
    desk.press("I")
    #expect(desk.notice == "List is locked: k unlocks what is selected." && desk.live.lostTexts.next != nil)
    desk.live.notice = nil
    let words = "Not written. Press I to keep your text: “Buy milk”"
    func isTold() -> Bool {
      let screen = desk.look()
      return (0..<23).contains { screen.text(row: $0).contains(words) }
    }
    #expect(isTold())
    desk.press(.escape)
    desk.press(.escape)
    #expect(!isTold())
    desk.write(list) { $0.isLocked = false }
    desk.press("I")
    #expect(desk.shape(list).text == "Buy milk")
  }

  @Test @ClientLoop func `S9: who has written over a text is told of, and its writer can keep it beside`() throws {
    let desk = try Desk()
    let list = desk.draw("List", box)
    desk.live.select([list])
    desk.press("i")
    type("Buy milk", desk)
    desk.press(.enter)
    let later = Stamp(
      milliseconds: desk.live.canvas.stamp(of: .text, in: list)!.milliseconds + 1,
      counter: 0,
      actor: Desk.bob
    )!
    func write(_ set: Properties) {
      let operation = Operation(shape: list, at: later, set: set)
      desk.hear(.operations(Delivery(cursor: Cursor("9-1"), operations: [operation])))
    }
    write(Properties { $0.text = "Sell eggs" })
    #expect(desk.live.lostTexts.words == "Bob wrote over your text. Press I to keep it beside: “Buy milk”")
    write(.deletion)
    desk.press("I")
    #expect(desk.live.drawing.count == 1 && desk.selected.text == "Buy milk" && desk.selected.kind == .text)
  }
}
