import TerminalCanvas
import TestSupport
import Testing

@testable import CanvasCRDT
@testable import WebSocketLoop
@testable import sync_client

/// What the live canvas shows and tells of others, of the connection, and of what was refused.
@Suite struct LiveFollowingTests {
  private let cat = Peer(actor: Identifier("cat-000-000")!, name: "Cat", color: Color(packed: 0))

  @Test @ClientLoop func `People who come are told of, and f follows one after the other`() throws {
    let desk = try Desk()
    #expect(desk.notice == nil && desk.status.contains("2 people"))
    desk.hear(.join(cat))
    #expect(desk.notice == "Cat is here." && desk.status.contains("3 people"))
    for (followed, said) in [
      (Desk.bob, "Bob hasn’t looked around yet."), (cat.actor, "Cat hasn’t looked around yet."),
      (nil, "You are not following anyone."), (Desk.bob, "Bob hasn’t looked around yet."),
    ] {
      desk.press("f")
      #expect(desk.live.followed == followed && desk.notice == said)
    }
    desk.show(#"{"view":[5000,6000,400,300]}"#)
    #expect(desk.notice == "You see what Bob sees.")
    desk.live.notice = nil
    desk.show(#"{"view":[7000,8000,400,300]}"#)
    #expect(desk.notice == nil, "it is said once")
    #expect(desk.status.contains("following Bob"))
    #expect(desk.live.view.visibleBox.contains(Rect(7_000, 8_000, 400, 300)))
    desk.press("fff")
    #expect(desk.live.followed == Desk.bob && desk.notice == "You see what Bob sees.")
    desk.hear(.leave(cat.actor))
    #expect(desk.live.followed == Desk.bob && desk.notice == "You see what Bob sees.")
    desk.hear(.leave(Desk.bob))
    #expect(desk.live.followed == nil && desk.notice == "The person you followed has left.")
    desk.press("f")
    #expect(desk.notice == "Nobody else is here." && desk.status.contains("only you"))
  }

  @Test @ClientLoop func `Others are seen: their pointers, their selections, and what they lift`() throws {
    let desk = try Desk()
    let box = desk.draw("Box", Rect(80, 80, 160, 160)) { $0.fill = Color(packed: 0xFFFFFF) }
    desk.settle()
    func flags() -> Int {
      let screen = desk.look()
      return (0..<23).map { screen.text(row: $0).split(separator: " Bob ", omittingEmptySubsequences: false).count - 1 }
        .reduce(0, +)
    }
    #expect(flags() == 0)
    desk.show(##"{"cursor":[400,200],"selection":["\##(box.text)"]}"##)
    #expect(flags() == 2)
    desk.show(#"{"cursor":[400,200],"selection":[]}"#)
    #expect(flags() == 1)
    desk.show("{}")
    let resting = desk.look()
    #expect(flags() == 0)
    desk.show(##"{"lifted":["\##(box.text)"]}"##)
    let lifted = desk.look()
    #expect(lifted != resting)
    desk.show("{}")
    #expect(desk.look() == resting)
    desk.show(##"{"ink":{"shape":"ink-000-000","color":"#FF0000","width":16,"at":0,"points":[400,40,480,40]}}"##)
    #expect(!desk.live.inks.isEmpty && desk.look() != resting)
    desk.write(Identifier("ink-000-000")!) { $0.kind = .ink }
    #expect(desk.live.inks.isEmpty)
  }

  @Test @ClientLoop func `Overlaps are told with the one who made them, and many by their number`() throws {
    let desk = try Desk()
    desk.draw("Sun", Rect(0, 0, 100, 100))
    let moon = desk.draw("Moon", Rect(50, 0, 100, 100))
    #expect(
      desk.notice == "⚠ Moon overlaps Sun · Bob, just now" || desk.notice == "⚠ Sun overlaps Moon · Bob, just now"
    )
    #expect(desk.live.notice?.notice.kind == .overlap && desk.status.contains("⚠ 1"))
    desk.write(moon) { $0.position = Point(x: 500, y: 0) }
    desk.live.notice = nil
    desk.live.select([moon])
    desk.live.moveSelection(-450, 0)
    #expect(desk.notice?.hasSuffix("· You, just now") == true)
    desk.draw("Lid", Rect(25, 0, 100, 100))
    #expect(desk.notice == "⚠ 2 new overlaps · Bob, just now")
  }

  @Test @ClientLoop func `A drawing is prepared for the screen when the room has been joined, and not while it comes`()
    throws
  {
    let desk = try Desk(hasBegun: false)
    let stamp = try #require(Stamp(milliseconds: 1_763_650_000_000, counter: 0, actor: Desk.bob))
    let operation = Operation(shape: Identifier(packed: 7)!, at: stamp, set: .star)
    desk.hear(.operations(Delivery(cursor: Cursor("2-1"), operations: [operation], reset: true)))
    #expect(desk.live.canvas.liveCount == 1 && desk.live.drawing.count == 0)
    desk.live.begin()
    #expect(desk.live.drawing.count == 1)
  }

  @Test @ClientLoop func `What vanishes is selected no more`() throws {
    let desk = try Desk()
    let (sun, moon) = (desk.draw("Sun", Rect(0, 0, 100, 100)), desk.draw("Moon", Rect(200, 0, 100, 100)))
    desk.live.select([sun, moon])
    desk.write(sun) { $0.delete() }
    #expect(desk.live.selection == [moon] && desk.live.selected == [moon])
    desk.hear(.operations(Delivery(cursor: Cursor("2-1"), operations: [], reset: true)))
    #expect(desk.live.selection.isEmpty && desk.live.drawing.count == 0)
  }

  private func refused(_ code: RejectCode, _ set: Properties, _ origin: EditOrigin = .edit) -> ReplicaEffect {
    let operation = ProposedOperation(shape: Identifier(packed: 1_000)!, at: nil, set: set)
    return .rejected(RejectedEdit(operation: operation, code: code, message: "as the server\u{7} says", origin: origin))
  }

  @Test(
    arguments: [
      (.roomFull, "the room is full"), (.readOnly, "you can look but not edit here"),
      (.tooOld, "it was made too long ago"),
      (.clockAhead, "this computer’s clock is ahead"), (.badValue, "a value is out of range"),
      (.quotaExceeded, "more was drawn from here today than the server allows"), (.badShape, "as the server  says"),
    ] as [(RejectCode, String)]
  )
  @ClientLoop func `What was refused is told with the reason, and ends leaving`(code: RejectCode, why: String) throws {
    let desk = try Desk()
    for (origin, said) in [
      (.edit, "A change was refused: \(why)."), (.undo, "Undo was not taken: \(why). You can try it again."),
      (.redo, "Redo was not taken: \(why). You can try it again."),
    ] as [(EditOrigin, String)] {
      desk.live.leaving = .onceSaved
      desk.live.follow(refused(code, Properties { $0.alpha = 3 }, origin), in: desk.live.client)
      #expect(desk.notice == said && desk.live.notice?.notice.kind == .warning && desk.live.leaving == .no)
    }
  }

  @Test @ClientLoop func `S9: a text that was refused is kept, with its place, and goes back into its shape`() throws {
    let desk = try Desk()
    desk.live.follow(refused(.roomFull, Properties { $0.text = "\n" }), in: desk.live.client)
    #expect(desk.notice == "A change was refused: the room is full." && desk.live.lostTexts.next == nil)
    let box = desk.draw("List", Rect(80, 80, 160, 160))
    desk.live.follow(refused(.roomFull, Properties { $0.text = "Buy milk" }), in: desk.live.client)
    #expect(desk.live.lostTexts.words == "Your text was refused: the room is full. Press I to keep it: “Buy milk”")
    #expect(desk.notice == nil)
    desk.press("I")
    #expect(desk.shape(box).text == "Buy milk" && desk.live.drawing.count == 1 && desk.live.lostTexts.next == nil)
    desk.press("I")
    #expect(desk.notice == "No text of yours was lost.")
  }

  @Test @ClientLoop func `What is said goes after its time, and not with what was said before`() async throws {
    let desk = try Desk()
    desk.live.say("Soon over", forMilliseconds: 1)
    await desk.passes(milliseconds: 11)
    #expect(desk.notice == nil)
    desk.live.say("Soon over", forMilliseconds: 1)
    desk.live.say("Longer", forMilliseconds: 3_600_000)
    await desk.passes(milliseconds: 11)
    #expect(desk.notice == "Longer")
  }

  @Test @ClientLoop func `What the server says, and what it takes, is told`() throws {
    let desk = try Desk()
    desk.hear(.error(code: "busy", message: "take\u{7} care"))
    #expect(desk.notice == "take  care")
    desk.live.follow(.digest(.agrees), in: desk.live.client)
    #expect(desk.notice == "take  care")
    desk.live.follow(.digest(.disagrees), in: desk.live.client)
    #expect(desk.notice == "The drawing was loaded again because it differed from the server’s.")
    #expect(!desk.status.contains(" ms"))
    desk.live.follow(.pong(roundTripMilliseconds: 12), in: desk.live.client)
    #expect(desk.status.contains("12 ms"))
    desk.live.edit([ShapeEdit(shape: Identifier(packed: 7)!, set: .star)])
    #expect(desk.status.contains("Saving 1 change…"))
  }

  @Test(
    arguments: [
      (CloseCode.noSuchRoom.rawValue, "This room was deleted"), (CloseCode.noToken.rawValue, "This room needs a token"),
      (CloseCode.forbidden.rawValue, "This token doesn’t give access to this room"),
      (CloseCode.actorElsewhere.rawValue, "You have this room open elsewhere. Any key brings it here."),
      (CloseCode.badHello.rawValue, "Not connected: the server refused the connection (4400)"),
    ]
  )
  @ClientLoop func `A connection that is closed for good is told in words`(code: UInt16, words: String) throws {
    let desk = try Desk()
    desk.live.client.socketClosed(Closure(cause: .peer, code: code))
    #expect(desk.status.contains(words))
  }

  @Test @ClientLoop func `A connection that is lost is told, with what is kept, and changes can go on`() throws {
    let desk = try Desk()
    desk.live.client.socketClosed(Closure(cause: .lost, code: 1_006))
    #expect(desk.status.contains("Reconnecting…"))
    desk.live.edit([ShapeEdit(shape: Identifier(packed: 7)!, set: .star)])
    #expect(desk.status.contains("your 1 change is kept while this runs."))
  }

  @Test @ClientLoop func `Whoever leaves with something unsaved is warned once, and stays if they go on`() throws {
    let desk = try Desk()
    desk.live.edit([ShapeEdit(shape: Identifier(packed: 7)!, set: .star)])
    desk.press("q")
    #expect(
      desk.live.leaving == .onceSaved && desk.notice == "Leaving as soon as 1 change is saved. q again to leave now."
    )
    desk.press("?")
    #expect(desk.live.leaving == .no && desk.notice == nil)
    desk.press("?")
    desk.press(.character("c"), .control)
    #expect(desk.live.leaving == .onceSaved)
    desk.mouse(.move, .none, at: Point(x: 8, y: 8))
    #expect(desk.live.leaving == .onceSaved)
    desk.mouse(.press, .middle, at: Point(x: 8, y: 8))
    #expect(desk.live.leaving == .no)
    desk.live.edit([ShapeEdit(shape: Identifier(packed: 8)!, set: .star)])
    desk.press("q")
    // The connection is lost meanwhile, so that nothing will be saved soon.
    desk.live.client.socketClosed(Closure(cause: .lost, code: 1_006))
    #expect(
      desk.live.leaving == .warned && desk.notice == "2 changes are not saved and would be lost. q again to leave."
    )
    desk.live.leaving = .no
    desk.live.lostTexts.add(
      LostTexts.Lost(text: "Buy milk", shape: Identifier(packed: 7)!, place: Properties(), words: "It was lost.")
    )
    desk.press("q")
    #expect(desk.live.leaving == .warnedOfText && desk.notice?.hasPrefix("I puts back the text") == true)
    desk.press("q")
    #expect(desk.live.leaving == .warned)
  }

  @Test @ClientLoop func `Others see you in the colour that you have chosen, and in some colour otherwise`() throws {
    let (chosen, other) = (try Desk("--color", "E4572E"), try Desk())
    #expect(chosen.live.client.replica.configuration.color == Color(packed: 0xE4572E))
    #expect(other.live.client.replica.configuration.color != nil)
  }

  @Test @ClientLoop func `An empty room invites, and says to those who look on that it is empty`() throws {
    for (options, words) in [([], "Drag to draw a rectangle"), (["--view"], "Nothing has been drawn here yet.")] {
      let desk = options.isEmpty ? try Desk() : try Desk("--view")
      func isInvited() -> Bool {
        let screen = desk.look()
        return (0..<23).contains { screen.text(row: $0).contains(words) }
      }
      #expect(isInvited())
      desk.draw("Box", Rect(0, 0, 100, 100))
      #expect(!isInvited())
    }
  }
}
