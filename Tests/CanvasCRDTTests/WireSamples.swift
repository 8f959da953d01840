@testable import CanvasCRDT

/// A message of every kind and form, with the names of its golden files.
enum WireSamples {
  static let shape = Identifier("afy-kw5-t7o")!
  static let other = Identifier("b00-000-00z")!
  static let ann = Identifier("k3j-9x2-m1p")!
  static let bob = Identifier("abc-abc-abc")!

  static func stamp(_ milliseconds: UInt64, _ counter: UInt64 = 0, by actor: Identifier = ann) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: counter, actor: actor)!
  }

  static func set(_ assign: (inout Properties) -> Void) -> Properties {
    var set = Properties()
    assign(&set)
    return set
  }

  static func json(_ text: StaticString) -> JSONText {
    let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return try! JSONText(validating: bytes, maximumBytes: bytes.count)
  }

  static func id(_ text: StaticString) -> MessageIdentifier { MessageIdentifier(json: json(text))! }

  static func key(_ text: Text) -> OrderKey { text.withBytes { OrderKey($0)! } }

  /// Every property, with a value that is not its default.
  static let everything = set { set in
    set.kind = .star
    set.name = "Größe \"5\""
    set.position = Point(x: -45.25, y: 1e7)
    set.size = Size(width: 1, height: 333.3333)
    set.rotation = 0.1 + 0.2
    set.fill = Color(red: 0xE4, green: 0x57, blue: 0x2E)
    set.stroke = Color(red: 1, green: 2, blue: 3)
    set.strokeWidth = 2.5
    set.alpha = 7
    set.visible = false
    set.z = key("Z1")
    set.cornerRadius = 1e6
    set.points = 64
    set.innerRatio = 0.05
    set.text = "Grüße,\n\"Ann\""
    set.textSize = 31.5
    set.textAlign = .right
    set.textPlace = .top
    set.dash = .dotted
    set.isFilled = false
    set.isLocked = true
    set.group = Identifier("afy-kw5-t7o")
    set.path = Path([
      Path.Point(BoxPlace(x: 0, y: .max)), Path.Point(BoxPlace(x: .max, y: 0), width: 40),
    ])!
    set.from = Tie(shape: other, place: BoxPlace(x: 0, y: 32_768))
    set.to = Tie(shape: other, place: BoxPlace(x: .max, y: 1))
    set.fromEnd = .dot
    set.toEnd = .arrow
    set.route = .elbow
    set.delete()
  }

  static let moved = set { $0.position = Point(x: 50, y: 44) }
  static let ellipse = set { $0.kind = .ellipse }
  static let erased = set { $0.delete() }
  static let faint = set { $0.alpha = 1 }
  static let middle = set { $0.z = .middle }
  static let turned = set { $0.rotation = -0.5 }
  static let shown = set { $0.visible = true }
  static let placed = set { set in
    set.kind = .rectangle
    set.position = Point(x: 45, y: 44)
  }

  /// Four moves. The third moves another shape, and the fourth is by another actor.
  static let stream: [CanvasCRDT.Operation] = (0..<4).map { step in
    let stamp = stamp(1_763_650_000_000 + UInt64(step) * 16, by: step < 3 ? ann : bob)
    let set = set { $0.position = Point(x: 45 + Double(step), y: 44.25) }
    return CanvasCRDT.Operation(shape: step < 2 ? shape : other, at: stamp, set: set)
  }

  static let hello: Hello = {
    var hello = Hello()
    hello.name = "Ann"
    hello.color = Color("#E4572E")
    hello.actor = ann
    hello.key = "KEY"
    hello.since = Cursor("CURSOR")
    hello.overlaps = true
    return hello
  }()

  static let crowdedHello: Hello = {
    var hello = Hello()
    hello.crowd = true
    return hello
  }()

  static let knowingHello: Hello = {
    var hello = Hello()
    hello.name = "Ann"
    hello.crowd = true
    hello.vocabularyNumber = 2
    return hello
  }()

  static let written = set { set in
    set.kind = .text
    set.text = "Buy milk,\nאבג"
    set.textSize = 24
    set.textAlign = .left
  }

  // MARK: - From the client

  static let clientMessages: [(name: String, message: ClientMessage)] = [
    ("hello-empty", .hello(Hello())),
    (
      "hello",
      .hello(hello)
    ),
    (
      "client-ops",
      .operations(
        Submission(
          id: MessageIdentifier(12),
          operations: [
            ProposedOperation(
              shape: shape,
              at: stamp(1_763_650_000_123),
              set: moved
            )
          ]
        )
      )
    ),
    (
      "client-ops-unstamped",
      .operations(
        Submission(
          id: nil,
          operations: [
            ProposedOperation(shape: shape, at: nil, set: ellipse),
            ProposedOperation(shape: shape, at: nil, set: erased),
          ]
        )
      )
    ),
    (
      "client-ops-many",
      .operations(
        Submission(
          id: id("\"a\\u0041 1\""),
          operations: [
            ProposedOperation(shape: shape, at: stamp(1_763_650_000_123, 7), set: everything),
            ProposedOperation(shape: other, at: stamp(1_763_650_000_123, 7), set: faint),
            ProposedOperation(shape: other, at: stamp(1_763_650_000_122, 65_535, by: bob), set: middle),
            ProposedOperation(shape: other, at: nil, set: turned),
            ProposedOperation(shape: shape, at: stamp(0), set: shown),
          ]
        )
      )
    ),
    ("client-presence", .presence(json(#"{"cursor":[10.5,-3],"selection":["afy-kw5-t7o"],"lifted":null}"#))),
    ("ping", .ping(MessageIdentifier(1))),
    ("ping-without-id", .ping(nil)),
    ("client-digest", .digest),
    ("client-token", .token("eyJhbGciOiJIUzI1NiJ9.e30.c2ln")),
    ("hello-crowd", .hello(crowdedHello)),
    ("hello-vocabulary", .hello(knowingHello)),
    (
      "client-ops-text",
      .operations(Submission(id: nil, operations: [ProposedOperation(shape: shape, at: nil, set: written)]))
    ),
  ]

  // MARK: - From the server

  static let serverMessages: [(name: String, message: ServerMessage)] = [
    (
      "welcome",
      .welcome(
        Welcome(
          room: "demo",
          actor: ann,
          key: "KEY",
          role: .editor,
          milliseconds: 1_763_650_000_000,
          limits: RoomLimits(),
          peers: [
            Peer(actor: bob, name: "Bob", color: Color("#2E86AB")!),
            Peer(actor: other, name: "Cleo", color: Color("#00FF00")!, state: json(#"{"cursor":[1,2]}"#)),
          ]
        )
      )
    ),
    (
      "welcome-alone",
      .welcome(
        Welcome(
          room: "demo",
          actor: ann,
          role: .viewer,
          milliseconds: Stamp.millisecondsMax,
          limits: RoomLimits(inOrder: [1, 2, 3, 4, 5, 6, UInt64.max]),
          peers: []
        )
      )
    ),
    (
      "server-ops",
      .operations(
        Delivery(
          cursor: Cursor("CURSOR"),
          operations: [
            CanvasCRDT.Operation(
              shape: shape,
              at: stamp(1_763_650_000_000),
              set: placed
            )
          ],
          more: true,
          reset: true
        )
      )
    ),
    ("server-ops-empty", .operations(Delivery(cursor: Cursor("CURSOR"), operations: []))),
    (
      "server-ops-stream",
      .operations(
        Delivery(
          cursor: Cursor("1a.3"),
          operations: stream
        )
      )
    ),
    (
      "ack",
      .acknowledgement(
        Acknowledgement(
          id: MessageIdentifier(12),
          cursor: Cursor("CURSOR"),
          superseded: [Superseded(operation: 0, property: .position, by: stamp(1_763_650_000_124, by: bob))]
        )
      )
    ),
    ("ack-plain", .acknowledgement(Acknowledgement(id: nil, cursor: Cursor("CURSOR")))),
    (
      "reject",
      .rejection(Rejection(id: MessageIdentifier(12), operation: 0, code: .badValue, message: "why, in words"))
    ),
    ("reject-whole", .rejection(Rejection(id: id("-1.5"), code: .tooManyOperations, message: "too many operations"))),
    (
      "server-presence",
      .presence([PeerState(actor: bob, state: json("{}")), PeerState(actor: ann, state: json(#"{"cursor":[1,2]}"#))])
    ),
    ("join", .join(Peer(actor: bob, name: "Bob", color: Color("#2E86AB")!))),
    ("leave", .leave(bob)),
    ("crowd", .crowd(people: 2_000)),
    (
      "overlaps",
      .overlaps(
        OverlapNotice(
          began: [ShapePair(shape, other)],
          ended: [ShapePair(shape, ann), ShapePair(other, ann)],
          more: true
        )
      )
    ),
    ("overlaps-none", .overlaps(OverlapNotice(began: [], ended: []))),
    ("pong", .pong(id: MessageIdentifier(1), milliseconds: 1_763_650_000_000)),
    ("server-digest", .digest(cursor: Cursor("CURSOR"), hash: 0x00C0_FFEE_0123_4567)),
    ("error", .error(code: "unknown_type", message: "a client sends no message of this type")),
    ("server-token", .token(until: 1_763_650_600_000)),
    ("server-token-without-end", .token(until: nil)),
  ]

  // MARK: - State

  static let framed = set { set in
    set.kind = .rectangle
    set.position = Point(x: 45, y: 44)
    set.size = Size(width: 89, height: 92)
  }
  static let filled = set { $0.fill = Color("#E4572E")! }
  static let risen = set { set in
    set.kind = .star
    set.position = Point(x: -10.25, y: 0)
    set.name = "Sun"
  }

  /// Three shapes, of which one was deleted and restored, and one was deleted.
  static let stateCanvas: Canvas = {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_000), set: framed))
    canvas.apply(CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_100, 2, by: bob), set: filled))
    canvas.apply(CanvasCRDT.Operation(shape: other, at: stamp(1_763_650_000_050), set: erased))
    canvas.apply(CanvasCRDT.Operation(shape: other, at: stamp(1_763_650_000_060), set: risen))
    canvas.apply(CanvasCRDT.Operation(shape: ann, at: stamp(1_763_650_000_070), set: erased))
    return canvas
  }()

  /// A text shape, and another shape that contains text.
  static let textCanvas: Canvas = {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_000), set: written))
    let note = set { set in
      set.kind = .ellipse
      set.text = "Hi"
      set.textPlace = .bottom
      set.dash = .dashed
      set.isFilled = false
      set.isLocked = true
      set.group = ann
    }
    canvas.apply(CanvasCRDT.Operation(shape: other, at: stamp(1_763_650_000_000), set: note))
    return canvas
  }()

  /// Messages with the state of each canvas above and of an empty canvas. They are not among the other samples, because
  /// JSON has no form for states: it encodes them as operations.
  static let stateMessages: [(name: String, message: ServerMessage)] = [
    (
      "state-empty",
      .operations(Delivery(cursor: Cursor("CURSOR"), content: .state(Canvas().stateParts()[0]), reset: true))
    ),
    (
      "state-text",
      .operations(Delivery(cursor: Cursor("CURSOR"), content: .state(textCanvas.stateParts()[0]), reset: true))
    ),
    (
      "state",
      .operations(Delivery(cursor: Cursor("CURSOR"), content: .state(stateCanvas.stateParts()[0]), reset: true))
    ),
  ]
}
