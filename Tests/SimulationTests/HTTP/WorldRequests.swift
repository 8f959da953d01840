import WebSocketLoop

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// HTTP requests by people and programs.

extension World {
  static let credentials = Credentials(
    tokens: try! Tokens(
      """
      \(Token.viewer.rawValue) viewer demo
      \(Token.editor.rawValue) editor demo
      \(Token.operator.rawValue) operator *
      \(Token.stranger.rawValue) operator other-*
      """
    )
  )

  enum Token: String, CaseIterable {
    case viewer = "token-of-a-viewer"
    case editor = "token-of-an-editor"
    case `operator` = "token-of-an-operator"
    /// A token that gives access to other rooms only.
    case stranger = "token-of-a-stranger"
  }

  /// Whether the node answers requests now. The simulation sends none while the node's process is suspended.
  private var isAnswering: Bool {
    node.isUp && !node.isStopping && time >= node.stillUntil && time >= partitionedUntil
  }

  mutating func request() {
    guard isAnswering else { return }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5: requestWrite()
    case 5: requestLayout()
    case 6: requestAgain()
    default: requestWrongly()
    }
  }

  /// Reads the room over HTTP, either its current state or a past one.
  mutating func readOverHTTP() {
    guard isAnswering else { return }
    let (moment, at) = someMoment()
    let and = at.isEmpty ? "" : "&\(at)"
    let point = Point(x: Double.random(in: -100...600, using: &random).rounded(), y: 20)
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2:
      let stamps = Bool.random(using: &random)
      let tag = happens(0.3) ? remembered.tags.randomElement(using: &random) : nil
      get("", stamps ? "stamps=1\(and)" : at, .drawing(stamps: stamps), moment, tag: tag)
    case 3: get("/picture.svg", at, .picture, moment)
    case 4: get("/overlaps", at, .overlaps, moment)
    case 5:
      let box = Rect(origin: point, size: Size(width: 90, height: 60))
      get("/overlaps", "box=\(point.x),\(point.y),90,60\(and)", .box(box), moment)
    case 6:
      get("/free", "size=60,40&near=\(point.x),\(point.y)", .free(Size(width: 60, height: 40)), .now)
    case 7: get("/history", "", .span, .now)
    case 8: ask(.list, "lists the rooms", "GET", "/v1/rooms", token: .viewer)
    default: ask(.readiness, "asks whether the server is ready", "GET", "/readyz")
    }
  }

  mutating func requestDeletion() {
    guard isAnswering else { return }
    ask(.deletion, "deletes the room", "DELETE", "/v1/rooms/demo", token: .operator)
  }

  /// Reads the room over HTTP once more, after all other activity has ended.
  mutating func readAtLast() {
    get("", "stamps=1", .drawing(stamps: true), .now)
    get("/overlaps", "", .overlaps, .now)
    let last = disk.records.last?.milliseconds ?? 0
    get("/overlaps", "at=\(last)", .overlaps, .milliseconds(last))
    // A box that goes on and on, and touches the rightmost shape.
    let edge = (open?.room.canvas.shapes ?? []).map { $0.properties.position.x + $0.properties.size.width }.max() ?? 0
    let box = Rect(origin: Point(x: edge, y: -2e7), size: Size(width: 2e7 - edge, height: 4e7))
    get("/overlaps", "box=\(edge),-1e300,1e300,2e300", .box(box), .now)
  }

  // MARK: Reading

  private mutating func someMoment() -> (Exchange.Moment, String) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      guard let record = disk.records.randomElement(using: &random) else { return (.now, "") }
      let milliseconds = UInt64(max(0, Int64(record.milliseconds) + Int64.random(in: -3...3, using: &random)))
      return (.milliseconds(milliseconds), "at=\(milliseconds)")
    case 1, 2:
      guard let known = remembered.cursors.randomElement(using: &random),
        let cursor = RoomCursor(Cursor(Text(known.cursor)))
      else { return (.now, "") }
      return (.position(cursor.position, isKnown: known.life == disk.life), "at=\(known.cursor)")
    case 3:
      // A tab can still have the cursor of a room that was deleted meanwhile.
      let cursors = parties.compactMap { $0.replica?.cursor }
      guard let kept = cursors.randomElement(using: &random), let cursor = RoomCursor(kept) else { return (.now, "") }
      return (.position(cursor.position, isKnown: false), "at=\(kept.text)")
    case 4:
      // Asks for the state at the present time. The log can have earlier records that the room has not applied yet.
      let milliseconds = now.wallMilliseconds
      return (.milliseconds(milliseconds), "at=\(milliseconds)")
    default: return (.now, "")
    }
  }

  private mutating func get(
    _ path: String,
    _ query: String,
    _ subject: Exchange.Subject,
    _ moment: Exchange.Moment,
    tag: String? = nil
  ) {
    ask(
      subject,
      "asks for \(path.isEmpty ? "the drawing" : path)\(query.isEmpty ? "" : "?\(query)")",
      "GET",
      "/v1/rooms/demo\(path)",
      query,
      token: .viewer,
      moment,
      tag: tag
    )
  }

  // MARK: Writing

  private mutating func requestWrite() {
    let isStamped = Bool.random(using: &random)
    let actor = Identifier.random(using: &random)
    let stamp = Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: actor)
    var operations: [ProposedOperation] = []
    for _ in 0..<Int.random(in: 1...Int(min(4, limits.operationsPerMessage)), using: &random) {
      var set = Properties()
      var shape = open?.room.canvas.shapes.randomElement(using: &random)?.id
      if let shape, happens(0.2) {
        set.delete()
        operations.append(ProposedOperation(shape: shape, at: isStamped ? stamp : nil, set: set))
        continue
      }
      set.position = newPoint()
      if shape == nil || happens(0.5) {
        shape = Identifier.random(using: &random)
        set.kind = .star
      } else if happens(0.3) {
        // The operation also sets the kind. A concurrent deletion might erase the shape's other values. The kind then
        // keeps the shape in existence.
        set.kind = .polygon
      }
      operations.append(ProposedOperation(shape: shape!, at: isStamped ? stamp : nil, set: set))
    }
    if isStamped, operations.count == 3, operations[0].set.assigned.contains(.position) {
      // The last operation gets its stamp from the room. That has to be later than the stamps in the message.
      var set = Properties()
      let value = ledger.newValue()
      set.position = Point(x: Double(value % 500), y: Double(value / 500 * 7))
      operations[2] = ProposedOperation(shape: operations[0].shape, at: nil, set: set)
    }
    post(operations, .write(operations), "writes \(operations.count) operations")
  }

  private mutating func post(
    _ operations: [ProposedOperation],
    _ subject: Exchange.Subject,
    _ words: String,
    isRepeated: Bool = false
  ) {
    let body = JSONEncoding.encode(.operations(Submission(id: nil, operations: operations)))
    // Over HTTP, only operators may send operations with stamps.
    let token = operations.contains { $0.at != nil } ? Token.operator : .editor
    ask(subject, words, "POST", "/v1/rooms/demo/ops", body: body, token: token, isRepeated: isRepeated)
  }

  private mutating func requestLayout() {
    let most = Int(min(limits.shapes + 1, 2 * limits.operationsPerMessage + 1, 40))
    let points = (0..<Int.random(in: 1...most, using: &random)).map { _ in newPoint() }
    let squares = points.map { "{'x':\($0.x),'y':\($0.y),'colour':'#102030','size':20}" }.joined(separator: ",")
    ask(
      .layout(points),
      "brings a layout of \(points.count) squares",
      "POST",
      "/v1/rooms/demo/layout",
      body: Array("{'squares':[\(squares)]}".utf8),
      token: .editor
    )
  }

  /// Repeats an accepted request, as a client does when the answer was lost.
  private mutating func requestAgain() {
    guard let write = remembered.writes.randomElement(using: &random), write.life == disk.life, !ledger.hasForgotten
    else { return }
    count(.requestRepeated)
    post(write.operations, .write(write.operations), "sends again what was taken", isRepeated: true)
  }

  // MARK: What must be refused

  private mutating func requestWrongly() {
    let shape = Identifier.random(using: &random)
    func body(_ operation: String) -> [UInt8] { Array("{\"ops\":[\(operation)]}".utf8) }
    func post(
      _ code: String,
      _ bytes: [UInt8],
      _ header: (name: String, value: String)? = nil,
      token: Token = .editor
    ) {
      let path = "/v1/rooms/demo/ops"
      ask(.wrong([code, "too_large"]), "posts nonsense", "POST", path, body: bytes, token: token, header: header)
    }
    func get(_ codes: [String], _ path: String, _ query: String = "", token: Token? = .viewer, method: String = "GET") {
      ask(.wrong(codes), "asks wrongly for \(method) \(path)?\(query)", method, path, query, token: token)
    }
    let star = body("{\"shape\":\"\(shape)\",\"set\":{\"kind\":\"star\"}}")
    switch Int.random(in: 0..<23, using: &random) {
    case 0: get(["no_token"], "/v1/rooms/demo", token: nil)
    case 1: get(["forbidden"], "/v1/rooms/demo", token: .stranger)
    case 2: get(["forbidden"], "/v1/rooms/demo", token: .editor, method: "DELETE")
    case 3: get(["method_not_allowed"], "/v1/rooms/demo", method: "PUT")
    case 4: get(["no_such_room"], "/v1/rooms/de%20mo")
    case 5: get(["no_such_room"], "/v1/rooms//overlaps")
    case 6: get(["not_found"], "/v1/rumours")
    case 7: get(["bad_request"], "/v1/rooms/demo", "at=%zz")
    case 8: get(["bad_request", "no_such_room"], "/v1/rooms/demo", "at=yesterday")
    case 9: get(["bad_request", "no_such_room"], "/v1/rooms/demo/overlaps", "box=1,2,3")
    case 10: get(["bad_request", "no_such_room"], "/v1/rooms/demo/free", "near=1,2")
    case 11: get(["forbidden"], "/metrics", token: .viewer)
    case 12: get(["no_such_room"], "/v1/rooms/another", token: .operator)
    case 13: post("unsupported_media_type", star, ("content-type", "text/plain"))
    case 20: post("unknown_host", star, ("host", "canvas.example.com"))
    case 21: post("foreign_origin", star, ("origin", "https://example.com"))
    case 14: post("bad_message", (0..<30).map { _ in UInt8.random(in: 0...255, using: &random) })
    case 15: post("bad_shape", body("{\"shape\":\"\",\"set\":{\"kind\":\"star\"}}"))
    case 16: post("bad_value", body("{\"shape\":\"\(shape)\",\"set\":{\"alpha\":11}}"))
    case 17: post("too_large", star + Array(repeating: UInt8(ascii: " "), count: Int(limits.messageBytes)))
    case 18:
      let ahead = Stamp(milliseconds: Stamp.millisecondsMax, counter: 0, actor: shape)!
      let operation = "{\"shape\":\"\(shape)\",\"at\":\"\(ahead)\",\"set\":{\"kind\":\"star\"}}"
      let isOperator = Bool.random(using: &random)
      post(isOperator ? "clock_ahead" : "bad_stamp", body(operation), token: isOperator ? .operator : .editor)
    case 19:
      let operation = "{\"shape\":\"\(shape)\",\"set\":{\"alpha\":3}}"
      let many = Array(repeating: operation, count: Int(limits.operationsPerMessage) + 1)
      post("too_many_ops", body(many.joined(separator: ",")))
    default:
      let path = "/v1/rooms/demo/ops"
      ask(.wrong(["read_only"]), "writes, and may only look", "POST", path, body: star, token: .viewer)
    }
  }

  // MARK: Delivery

  private mutating func ask(
    _ subject: Exchange.Subject,
    _ words: String,
    _ method: String,
    _ path: String,
    _ query: String = "",
    body: [UInt8] = [],
    token: Token? = nil,
    _ moment: Exchange.Moment = .now,
    header: (name: String, value: String)? = nil,
    tag: String? = nil,
    isRepeated: Bool = false
  ) {
    guard let server = node.server else { return }
    tell("A request \(words).")
    var headers: [(name: String, value: String)] = []
    if let token { headers.append(("authorization", "Bearer \(token.rawValue)")) }
    if let header { headers.append(header) }
    if let tag { headers.append(("if-none-match", tag)) }
    // One of these addresses is a trusted proxy, so its `X-Forwarded-For` counts.
    let peer = "10.0.0.\(Int.random(in: 7...9, using: &random))"
    if peer == "10.0.0.9" { headers.append(("x-forwarded-for", "192.168.0.\(Int.random(in: 1...2, using: &random))")) }
    let exchange = Exchange(
      subject: subject,
      moment: moment,
      isRepeated: isRepeated,
      tag: tag,
      words: words,
      position: open?.room.position ?? disk.records.last?.position ?? 0,
      stored: disk.records.last?.position ?? 0,
      life: open == nil ? disk.life : node.room.life,
      room: node.room.number,
      clockError: node.clockError,
      refusals: node.refusals
    )
    server.pass(to: now)
    let request = Request(method: method, path: path, query: query, headers: headers, peer: peer)
    node.exchanges.append((exchange, server.request(request, body: body)))
    serve()
  }
}
