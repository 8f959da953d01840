import CanvasCRDT
import TestSupport
import Testing

@testable import sync_client

/// Events in words, for people, and in JSON, for programs.
@Suite struct TellingTests {
  private let sun = ShapeName(id: Identifier("sun-000-000")!, name: "Sun")
  private let moon = ShapeName(id: Identifier("moo-n00-000")!, name: "Mo\u{202E}on")
  private let ann = Person(actor: Identifier("ann-000-000")!, name: "Ann", color: Color(packed: 0xE4572E))
  private let nobody = Person(actor: Identifier("xyz-000-000")!, name: nil, color: nil)

  @Test func `A change is told as what was done, of one shape after the other`() {
    for (change, told) in [
      ({ $0.position = Point(x: 120, y: 40.25) }, "moved Sun to 120, 40.3"),
      ({ $0.size = Size(width: 80, height: 60.5) }, "resized Sun to 80 × 60.5"),
      ({ $0.rotation = 30 }, "turned Sun to 30°"),
      ({ $0.fill = Color(packed: 0xFF0000) }, "coloured Sun #FF0000"), ({ $0.alpha = 5 }, "made Sun 50 % opaque"),
      ({ $0.visible = false }, "hid Sun"), ({ $0.visible = true }, "showed Sun"),
      ({ $0.kind = .ellipse }, "made Sun an ellipse"),
      ({ $0.kind = .star }, "made Sun a star"), ({ $0.name = "Sol" }, "named Sun Sol"),
      ({ $0.strokeWidth = 4 }, "outlined Sun 4 wide"),
      ({ $0.cornerRadius = 12 }, "rounded Sun’s corners to 12"), ({ $0.points = 7 }, "gave Sun 7 points"),
      ({ $0.innerRatio = 0.375 }, "gave Sun an inner ratio of 0.38"), ({ $0.text = "" }, "wrote nothing in Sun"),
      ({ $0.textSize = 40 }, "set Sun’s text in size 40"), ({ $0.textAlign = .left }, "set Sun’s text left"),
      ({ $0.dash = .dotted }, "made Sun’s stroke dotted"), ({ $0.isFilled = false }, "emptied Sun"),
      ({ $0.isLocked = true }, "locked Sun"), ({ $0.isLocked = false }, "unlocked Sun"),
      ({ $0.group = nil }, "put Sun into no group"),
      ({ $0.path = .none }, "drew Sun through its corners"), ({ $0.from = nil }, "tied Sun’s beginning to nothing"),
      ({ _ in }, "touched Sun"),
      ({ ($0.rotation, $0.alpha) = (30, 5) }, "turned Sun to 30° and made it 50 % opaque"),
      (
        { ($0.fill, $0.isLocked, $0.cornerRadius) = (Color(packed: 0), true, 3) },
        "coloured Sun #000000, rounded its corners to 3 and locked it"
      ),
    ] as [((inout Properties) -> Void, String)] {
      #expect(ChangeWords.sentence("Sun", Properties(change)) == told)
    }
  }

  @Test func `Of a line that was tied or drawn anew, its box isn't told`() {
    let tie = Tie(shape: moon.id, place: .middle)
    let tied = Properties {
      ($0.to, $0.position, $0.size, $0.alpha) = (tie, Point(x: 1, y: 1), Size(width: 9, height: 9), 5)
    }
    #expect(
      ChangeWords.sentence("Way", tied, tied: [moon.id: moon.name])
        == "made Way 50 % opaque and tied its end to Mo\u{FFFD}on"
    )
    #expect(ChangeWords.sentence("Way", tied) == "made Way 50 % opaque and tied its end to moo-n00-000")
    let drawn = Properties {
      $0.path = Path([BoxPlace(x: 0, y: 0), BoxPlace(x: 9, y: 9)].map { Path.Point($0) })!
      ($0.position, $0.size) = (Point(x: 1, y: 1), Size(width: 9, height: 9))
    }
    #expect(ChangeWords.sentence("Way", drawn) == "drew Way through 2 points")
  }

  @Test func `What is made is told with its kind, its size, its place and its text`() {
    func made(_ assign: (inout Properties) -> Void) -> String {
      ChangeWords.making(
        "It",
        Properties {
          ($0.kind, $0.size) = (.ellipse, Size(width: 80, height: 60)); assign(&$0)
        }
      )
    }
    #expect(made { _ in } == "made It, an ellipse of 80 × 60 at 0, 0")
    #expect(
      made { ($0.kind, $0.text) = (.rectangle, "Buy milk,\nand bread") }
        == "made It, a rectangle of 80 × 60 at 0, 0, that says “Buy milk, and bread”"
    )
    #expect(made { $0.kind = .line } == "made It, a line from 0, 0 to 80, 60")
    #expect(made { ($0.kind, $0.rotation) = (.line, 90) } == "made It, a line of 80 × 60 at 0, 0")
    #expect(made { $0.kind = .ink } == "made It, ink of its corners at 0, 0")
    let long = String(repeating: "x", count: 61)
    #expect(made { $0.text = Text(long) }.hasSuffix("says “\(long.dropLast(2))…”"))
    #expect(made { $0.text = Text(String(long.dropLast())) }.hasSuffix("says “\(long.dropLast())”"))
  }

  private func event(_ what: RoomEvent.What, by: RoomEvent.Writer? = nil) -> RoomEvent {
    RoomEvent(milliseconds: 1_763_650_000_000, what: what, by: by)
  }

  @Test func `A line has the time, the one who did it, and what it was`() {
    let time = TimeWords.clock(1_763_650_000_000)
    for (event, told) in [
      (event(.deleted(sun, intoBlackHole: false), by: .person(ann)), "Ann deleted Sun"),
      (
        event(.deleted(sun, intoBlackHole: true), by: .person(nobody)),
        "someone (xyz-000-000) dropped Sun into the black hole"
      ),
      (event(.made(sun, .star), by: .several), "Meanwhile someone made Sun, a star of 150 × 120 at 0, 0"),
      (event(.changed(sun, Properties { $0.name = "So\u{1B}l" }), by: .oneself), "You named Sun So l"),
      (event(.overlapBegan(sun, moon, share: 0.375)), "⚠ Sun overlaps Mo\u{FFFD}on (38 %)"),
      (event(.overlapBegan(sun, moon, share: nil)), "⚠ Sun overlaps Mo\u{FFFD}on"),
      (event(.overlapEnded(sun, moon)), "  Sun no longer overlaps Mo\u{FFFD}on"), (event(.came(ann)), "→ Ann came"),
      (event(.went(nobody)), "← someone (xyz-000-000) went"),
      (event(.offline("no answer")), "offline: no answer; trying again"),
      (event(.back), "back online"),
    ] {
      #expect(EventLines(output: Output()).lines([event]) == ["\(time)  \(told)"])
    }
    let report = EventLines(output: Output(), isReport: true)
    #expect(report.lines([event(.deleted(sun, intoBlackHole: false), by: .person(ann))]) == ["deleted Sun"])
    #expect(report.lines([event(.made(sun, .star))]) == ["made Sun (sun-000-000), a star of 150 × 120 at 0, 0"])
    let colored = EventLines(output: Output(depth: .exact), isReport: true)
    #expect(colored.lines([event(.deleted(sun, intoBlackHole: false))]) == ["deleted \u{1B}[1mSun\u{1B}[0m"])
  }

  @Test func `More than six alike of one writer are one line, and no others`() {
    let lines = EventLines(output: Output(), isReport: true)
    for (what, told) in [
      (.made(sun, .star), "made 7 shapes"), (.changed(sun, .star), "changed 7 shapes"),
      (.deleted(sun, intoBlackHole: true), "deleted 7 shapes"),
      (.overlapBegan(sun, moon, share: 1), "⚠ 7 pairs of shapes came to overlap"),
      (.overlapEnded(sun, moon), "  7 pairs of shapes no longer overlap"),
    ] as [(RoomEvent.What, String)] {
      let alike = Array(repeating: event(what, by: .person(ann)), count: 7)
      #expect(lines.lines(alike) == [told])
      #expect(lines.lines(Array(alike.dropLast())).count == 6)
      #expect(lines.lines(alike.dropLast() + [event(what, by: .person(nobody))]).count == 7)
      #expect(lines.lines(alike + [event(.back)] + alike).count == 3)
    }
    #expect(lines.lines(Array(repeating: event(.back), count: 9)).count == 9)
  }

  @Test func `An event is about its shapes`() {
    let about = [
      event(.made(sun, .star)), event(.changed(sun, .star)), event(.deleted(sun, intoBlackHole: false)),
      event(.overlapBegan(moon, sun, share: 1)), event(.overlapEnded(sun, moon)),
    ]
    #expect(
      about.allSatisfy { $0.isAbout(any: [sun.id]) }
        && about.map { $0.isAbout(any: [moon.id]) } == [false, false, false, true, true]
    )
    #expect([event(.came(ann)), event(.back)].allSatisfy { !$0.isAbout(any: [sun.id, ann.actor]) })
  }

  @Test func `Those without a name count as one hand, and each other person as their own`() {
    let (other, bob) = (Person(actor: ann.actor, name: nil, color: nil), Person(actor: sun.id, name: "Ann", color: nil))
    for (one, another, isSame) in [
      (.person(nobody), .person(other), true), (.person(ann), .person(ann), true), (.person(ann), .person(bob), false),
      (.person(ann), .person(nobody), false), (.several, .oneself, false), (.several, .several, true),
      (.person(nobody), .several, false),
    ] as [(RoomEvent.Writer, RoomEvent.Writer, Bool)] {
      #expect(one.isSameHand(as: another) == isSame && another.isSameHand(as: one) == isSame)
    }
  }

  @Test func `Programs get each event as an object`() {
    func json(_ event: RoomEvent) -> String {
      var writer = JSONWriter()
      writer.beginObject()
      event.write(to: &writer)
      writer.endObject()
      return String(decoding: writer.finish(), as: UTF8.self)
    }
    let shape = #""shape":"sun-000-000","name":"Sun""#
    let pair = #""shapes":["sun-000-000","moo-n00-000"],"names":["Sun","Mo\#u{202E}on"]"#
    let person = ##""actor":"ann-000-000","name":"Ann","color":"#E4572E""##
    for (event, told) in [
      (
        event(.made(sun, .star), by: .person(ann)),
        #""event":"made",\#(shape),"set":{"kind":"star"},"by":"ann-000-000","byName":"Ann""#
      ),
      (
        event(.changed(sun, Properties { $0.alpha = 5 }), by: .person(nobody)),
        #""event":"changed",\#(shape),"set":{"alpha":5},"by":"xyz-000-000""#
      ),
      (event(.deleted(sun, intoBlackHole: false), by: .oneself), #""event":"deleted",\#(shape),"by":"oneself""#),
      (
        event(.deleted(sun, intoBlackHole: true), by: .several),
        #""event":"deleted",\#(shape),"blackHole":true,"by":"several""#
      ),
      (event(.overlapBegan(sun, moon, share: 1 / 3)), #""event":"overlap",\#(pair),"share":0.3333"#),
      (event(.overlapBegan(sun, moon, share: nil)), #""event":"overlap",\#(pair)"#),
      (event(.overlapEnded(sun, moon)), #""event":"overlapEnded",\#(pair)"#),
      (event(.came(ann)), #""event":"came",\#(person)"#),
      (event(.went(nobody)), #""event":"went","actor":"xyz-000-000""#),
      (event(.offline("no answer")), #""event":"offline","why":"no answer""#), (event(.back), #""event":"back""#),
    ] {
      #expect(json(event) == #"{"time":1763650000000,\#(told)}"#)
    }
  }
}
