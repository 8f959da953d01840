import TestSupport

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

  static func id(_ text: String) -> MessageIdentifier { MessageIdentifier(json: JSONText(text))! }

  static func key(_ text: Text) -> OrderKey { text.withBytes { OrderKey($0)! } }

  /// Every property, with a value that is not its default.
  static let everything = Properties {
    $0.kind = .star
    $0.name = "Größe \"5\""
    $0.position = Point(x: -45.25, y: 1e7)
    $0.size = Size(width: 1, height: 333.3333)
    $0.rotation = 0.1 + 0.2
    $0.fill = Color(red: 0xE4, green: 0x57, blue: 0x2E)
    $0.stroke = Color(red: 1, green: 2, blue: 3)
    $0.strokeWidth = 2.5
    $0.alpha = 7
    $0.visible = false
    $0.z = key("Z1")
    $0.cornerRadius = 1e6
    $0.points = 64
    $0.innerRatio = 0.05
    $0.text = "Grüße,\n\"Ann\""
    $0.textSize = 31.5
    $0.textAlign = .right
    $0.textPlace = .top
    $0.dash = .dotted
    $0.isFilled = false
    $0.isLocked = true
    $0.group = Identifier("afy-kw5-t7o")
    $0.path = Path([Path.Point(BoxPlace(x: 0, y: .max)), Path.Point(BoxPlace(x: .max, y: 0), width: 40)])!
    $0.from = Tie(shape: other, place: BoxPlace(x: 0, y: 32_768))
    $0.to = Tie(shape: other, place: BoxPlace(x: .max, y: 1))
    $0.fromEnd = .dot
    $0.toEnd = .arrow
    $0.route = .elbow
    $0.delete()
  }

  static let moved = Properties { $0.position = Point(x: 50, y: 44) }
  static let ellipse = Properties { $0.kind = .ellipse }
  static let faint = Properties { $0.alpha = 1 }
  static let middle = Properties { $0.z = .middle }
  static let turned = Properties { $0.rotation = -0.5 }
  static let shown = Properties { $0.visible = true }
  static let placed = Properties {
    $0.kind = .rectangle
    $0.position = Point(x: 45, y: 44)
  }

  /// Four moves. The third moves another shape, and the fourth is by another actor.
  static let stream: [CanvasCRDT.Operation] = (0..<4).map { step in
    let stamp = stamp(1_763_650_000_000 + UInt64(step) * 16, by: step < 3 ? ann : bob)
    let set = Properties { $0.position = Point(x: 45 + Double(step), y: 44.25) }
    return CanvasCRDT.Operation(shape: step < 2 ? shape : other, at: stamp, set: set)
  }

  private static func greeting(_ change: (inout Hello) -> Void) -> Hello {
    var hello = Hello()
    change(&hello)
    return hello
  }

  static let hello = greeting {
    $0.name = "Ann"
    $0.color = Color("#E4572E")
    $0.actor = ann
    $0.key = "KEY"
    $0.since = Cursor("CURSOR")
    $0.overlaps = true
  }

  static let crowdedHello = greeting { $0.crowd = true }

  static let knowingHello = greeting {
    $0.name = "Ann"
    $0.crowd = true
    $0.vocabularyNumber = 2
  }

  static let written = Properties {
    $0.kind = .text
    $0.text = "Buy milk,\nאבג"
    $0.textSize = 24
    $0.textAlign = .left
  }

  // MARK: - From the client

  private static func submission(_ id: MessageIdentifier?, _ operations: (Identifier, Stamp?, Properties)...)
    -> ClientMessage
  {
    let operations = operations.map { ProposedOperation(shape: $0.0, at: $0.1, set: $0.2) }
    return .operations(Submission(id: id, operations: operations))
  }

  static let clientMessages: [(name: String, message: ClientMessage)] = [
    ("hello-empty", .hello(Hello())),
    ("hello", .hello(hello)),
    ("client-ops", submission(MessageIdentifier(12), (shape, stamp(1_763_650_000_123), moved))),
    ("client-ops-unstamped", submission(nil, (shape, nil, ellipse), (shape, nil, .deletion))),
    (
      "client-ops-many",
      submission(
        id("\"a\\u0041 1\""),
        (shape, stamp(1_763_650_000_123, 7), everything),
        (other, stamp(1_763_650_000_123, 7), faint),
        (other, stamp(1_763_650_000_122, 65_535, by: bob), middle),
        (other, nil, turned),
        (shape, stamp(0), shown)
      )
    ),
    ("client-presence", .presence(JSONText(#"{"cursor":[10.5,-3],"selection":["afy-kw5-t7o"],"lifted":null}"#))),
    ("ping", .ping(MessageIdentifier(1))),
    ("ping-without-id", .ping(nil)),
    ("client-digest", .digest),
    ("client-token", .token("eyJhbGciOiJIUzI1NiJ9.e30.c2ln")),
    ("hello-crowd", .hello(crowdedHello)),
    ("hello-vocabulary", .hello(knowingHello)),
    ("client-ops-text", submission(nil, (shape, nil, written))),
  ]

  // MARK: - From the server

  private static let cursor = Cursor("CURSOR")

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
            Peer(actor: other, name: "Cleo", color: Color("#00FF00")!, state: JSONText(#"{"cursor":[1,2]}"#)),
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
          cursor: cursor,
          operations: [CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_000), set: placed)],
          more: true,
          reset: true
        )
      )
    ),
    ("server-ops-empty", .operations(Delivery(cursor: cursor, operations: []))),
    ("server-ops-stream", .operations(Delivery(cursor: Cursor("1a.3"), operations: stream))),
    (
      "ack",
      .acknowledgement(
        Acknowledgement(
          id: MessageIdentifier(12),
          cursor: cursor,
          superseded: [Superseded(operation: 0, property: .position, by: stamp(1_763_650_000_124, by: bob))]
        )
      )
    ),
    ("ack-plain", .acknowledgement(Acknowledgement(id: nil, cursor: cursor))),
    (
      "reject",
      .rejection(Rejection(id: MessageIdentifier(12), operation: 0, code: .badValue, message: "why, in words"))
    ),
    ("reject-whole", .rejection(Rejection(id: id("-1.5"), code: .tooManyOperations, message: "too many operations"))),
    (
      "server-presence",
      .presence([
        PeerState(actor: bob, state: JSONText("{}")), PeerState(actor: ann, state: JSONText(#"{"cursor":[1,2]}"#)),
      ])
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
    ("server-digest", .digest(cursor: cursor, hash: 0x00C0_FFEE_0123_4567)),
    ("error", .error(code: "unknown_type", message: "a client sends no message of this type")),
    ("server-token", .token(until: 1_763_650_600_000)),
    ("server-token-without-end", .token(until: nil)),
  ]

  // MARK: - State

  static let framed = Properties {
    $0.kind = .rectangle
    $0.position = Point(x: 45, y: 44)
    $0.size = Size(width: 89, height: 92)
  }
  static let filled = Properties { $0.fill = Color("#E4572E")! }
  static let risen = Properties {
    $0.kind = .star
    $0.position = Point(x: -10.25, y: 0)
    $0.name = "Sun"
  }

  /// Three shapes, of which one was deleted and restored, and one was deleted.
  static let stateCanvas: Canvas = {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_000), set: framed))
    canvas.apply(CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_100, 2, by: bob), set: filled))
    canvas.apply(CanvasCRDT.Operation(shape: other, at: stamp(1_763_650_000_050), set: .deletion))
    canvas.apply(CanvasCRDT.Operation(shape: other, at: stamp(1_763_650_000_060), set: risen))
    canvas.apply(CanvasCRDT.Operation(shape: ann, at: stamp(1_763_650_000_070), set: .deletion))
    return canvas
  }()

  /// A text shape, and another shape that contains text.
  static let textCanvas: Canvas = {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: shape, at: stamp(1_763_650_000_000), set: written))
    let note = Properties {
      $0.kind = .ellipse
      $0.text = "Hi"
      $0.textPlace = .bottom
      $0.dash = .dashed
      $0.isFilled = false
      $0.isLocked = true
      $0.group = ann
    }
    canvas.apply(CanvasCRDT.Operation(shape: other, at: stamp(1_763_650_000_000), set: note))
    return canvas
  }()

  /// Messages with the state of each canvas above and of an empty canvas. They are not among the other samples, because
  /// JSON has no form for states: it encodes them as operations.
  static let stateMessages: [(name: String, message: ServerMessage)] = [
    ("state-empty", Canvas()), ("state-text", textCanvas), ("state", stateCanvas),
  ].map { name, canvas in
    (name, .operations(Delivery(cursor: cursor, content: .state(canvas.stateParts()[0]), reset: true)))
  }
}
