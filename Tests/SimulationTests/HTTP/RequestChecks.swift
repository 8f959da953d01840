import WebSocketLoop

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

// Checks that the answers over HTTP agree with the log.

extension World {
  mutating func judge(_ exchange: Exchange, _ response: Response) {
    if response.status >= 400 {
      let code = response.code ?? "no code"
      tell("  It is refused: \(response.status) \(code)")
      guard Response.codes[response.status]?.contains(code) == true else {
        return fail(.http, "a request that \(exchange.words) was answered by \(response.status) \(code)")
      }
      return judgeRefusal(exchange, code)
    }
    switch exchange.subject {
    case .write(let operations): wasTaken(exchange, operations, response)
    case .layout(let points): layoutWasTaken(exchange, points, response)
    case .drawing, .picture, .overlaps, .box: judgeReading(exchange, response)
    case .free(let size): judgePlace(exchange, size, response)
    case .span, .list: judgeFigures(exchange, response)
    case .readiness: if node.isToldOfFault { fail(.http, "the server calls itself ready, and its log takes nothing") }
    case .deletion: count(.roomDeletedByRequest)
    case .wrong(let codes):
      fail(.http, "a request that \(exchange.words) was answered by \(response.status) and not \(codes)")
    }
  }

  // MARK: Writing

  private mutating func wasTaken(_ exchange: Exchange, _ operations: [ProposedOperation], _ response: Response) {
    count(.requestTaken)
    guard let position = response.cursor.flatMap({ RoomCursor(Cursor(Text($0))) })?.position else {
      return fail(.http, "a taken request is answered without a cursor")
    }
    // The room was deleted after the request. The log no longer shows what the request did, so nothing can be checked.
    guard exchange.life == disk.life else { return }
    remember(response)
    ledger.acknowledged.formUnion(operations.compactMap(\.at))
    if operations.allSatisfy({ $0.at == nil }), let actor = response.header("Canvas-Actor").flatMap({ Identifier($0) })
    {
      ledger.stampedActors.insert(actor)
    }
    var stored: [String: Stamp] = [:]
    for record in disk.records where record.position <= position {
      for operation in record.taken {
        for key in Ledger.keys(operation.shape, operation.set) { stored[key] = operation.at }
      }
    }
    var newest: Stamp?
    for operation in operations {
      for key in Ledger.keys(operation.shape, operation.set) {
        ledger.promised.insert(key)
        guard let at = stored[key] else {
          fail(.durability, "a request was taken, and its \(key) is not in the log")
          continue
        }
        if operation.at == nil, let newest, at <= newest {
          fail(.stamps, "of a request, \(key) is stamped before what the request has before it")
        }
        newest = max(newest ?? at, at)
      }
    }
    if operations.allSatisfy({ $0.at != nil }), !exchange.isRepeated {
      remembered.writes.append((operations, disk.life))
      if remembered.writes.count > 8 { remembered.writes.removeFirst() }
    }
  }

  private mutating func layoutWasTaken(_ exchange: Exchange, _ points: [Point], _ response: Response) {
    count(.layoutTaken)
    guard let shapes = response.identifiers(of: "shapes"), shapes.count == points.count else {
      return fail(.http, "a layout is answered without the shapes that it made")
    }
    var operations: [ProposedOperation] = []
    for (shape, point) in zip(shapes, points) {
      var set = Properties()
      set.position = point
      operations.append(ProposedOperation(shape: shape, at: nil, set: set))
    }
    wasTaken(exchange, operations, response)
  }

  private mutating func judgeRefusal(_ exchange: Exchange, _ code: String) {
    // A server that stops refuses everything. A server whose questions the log has refused can't answer.
    if code == "unavailable", node.isStopping || node.refusals > exchange.refusals { return }
    switch exchange.subject {
    case .write(let operations):
      count(.requestRefused)
      judgeWrite(exchange, operations, code)
    case .layout(let points):
      count(.requestRefused)
      var operations: [ProposedOperation] = []
      for point in points {
        var set = Properties()
        set.kind = .rectangle
        set.position = point
        operations.append(ProposedOperation(shape: Identifier.random(using: &random), at: nil, set: set))
      }
      judgeWrite(exchange, operations, code)
    case .wrong(let codes):
      count(.requestForbidden)
      // A request counts toward the address's rate limit before it is checked. So any request can be refused as
      // `rate_limited`.
      if !codes.contains(code), code != "rate_limited" {
        fail(.http, "a request that \(exchange.words) was refused as \(code) and not \(codes)")
      }
    case .readiness: if !node.isToldOfFault { fail(.http, "the server calls itself not ready: \(code)") }
    case .deletion:
      if code != "no_such_room" || exchange.position > 0 && exchange.life == disk.life {
        fail(.http, "a deletion was refused as \(code)")
      }
    case .list where code == "rate_limited" && node.exchanges.count >= 8: break
    case .list: fail(.http, "the list of rooms was refused as \(code)")
    case .drawing, .picture, .overlaps, .box, .free, .span: judgeRefusedReading(exchange, code)
    }
  }

  private mutating func judgeWrite(_ exchange: Exchange, _ operations: [ProposedOperation], _ code: String) {
    // A request that failed with `unavailable` might have been stored nevertheless (W7).
    if !exchange.isRepeated, code != "unavailable" {
      for operation in operations { ledger.refusedKeys.formUnion(Ledger.keys(operation.shape, operation.set)) }
    }
    switch code {
    case "room_full":
      guard let room = open?.room else { return }
      // The log might have newer records, stored by other nodes, that this node has not read yet.
      let isKnown = room.position == disk.records.last?.position
      if exchange.isRepeated, exchange.life == disk.life, isKnown {
        fail(.http, "what was taken once is refused as \(code)")
      }
      if let open { judgeFullness(of: operations, open) }
    case "rate_limited", "unavailable": break
    // A repeated operation that has become too old is accepted only if the room still holds one of its values.
    case "too_old" where exchange.isRepeated && !operations.allSatisfy({ isHeld($0) }): break
    case "too_old" where operations.contains { ($0.at?.milliseconds ?? .max) < open?.room.refusedBefore ?? 0 }: break
    case "no_such_room" where exchange.life != disk.life: break
    // While the request waited for the room, the server's clock was set.
    case "clock_ahead" where node.clockError < exchange.clockError: break
    case "too_old" where node.clockError > exchange.clockError: break
    default: fail(.http, "a request that \(exchange.words) was refused as \(code)")
    }
  }

  /// Whether the room still holds any value that an operation wrote.
  private func isHeld(_ operation: ProposedOperation) -> Bool {
    operation.set.assigned.contains { property in
      open?.room.canvas.stamp(of: property, in: operation.shape) == operation.at
    }
  }

  // MARK: Reading

  private mutating func judgeRefusedReading(_ exchange: Exchange, _ code: String) {
    // The room was deleted, and perhaps created again, after the request was sent. So nothing can be checked.
    guard exchange.life == disk.life else { return }
    switch (code, exchange.moment) {
    case ("no_such_room", _) where exchange.position == 0: return
    case ("no_place", _): return
    case ("rate_limited", _) where node.exchanges.count >= 8: return
    case ("too_many_overlaps", .now): return
    // The refusal is right: the node closed the room after the request was sent, and has to read the room from the log
    // again.
    case ("unavailable", _) where exchange.room != node.room.number: return
    // The node had begun to open the room when a standby took over, so records that it still had to read are missing.
    case ("unavailable", _) where open == nil && node.room.lifeLoaded != disk.life: return
    case ("too_many_overlaps", _) where canvases(exchange).contains { isCrowded($0) }: return
    case ("other_cursor", .position(_, isKnown: false)): return count(.otherCursor)
    case ("not_kept", .position(let position, _)) where isDropped(position): return count(.notKept)
    case ("not_kept", .milliseconds(let last)) where isDropped(disk.position(notAfter: last, upTo: .max)):
      return count(.notKept)
    default: fail(.past, "a request that \(exchange.words) was refused as \(code)")
    }
  }

  /// Whether the room as it was at a position isn't kept. Before its first record it is empty.
  private func isDropped(_ position: UInt64) -> Bool { position > 0 && position < disk.summary?.trimmed ?? 0 }

  /// Checks that an answer shows the log up to the position that the answer names, and that the request allows this
  /// position.
  private mutating func judgeReading(_ exchange: Exchange, _ response: Response) {
    if response.status == 304 { return judgeUnchanged(exchange, response) }
    let cursor = response.cursor
    guard let position = cursor.flatMap({ RoomCursor(Cursor(Text($0))) })?.position else {
      // The answer about a box doesn't name a position of the log. It must be right for some moment between the request
      // and the answer.
      guard case .box(let box) = exchange.subject, exchange.life == disk.life else { return }
      let documents = canvases(exchange).map {
        OverlapIndex(of: $0, pairsMax: .max, stepsLeft: .max).document(overlapping: box)
      }
      if !documents.contains(response.body) { compare(documents[0], response) }
      return
    }
    guard exchange.life == disk.life, let cursor else { return }
    let (first, last) = places(exchange)
    guard position >= first, position <= last else {
      return fail(.past, "a request that \(exchange.words) was shown \(position), and not \(first) to \(last)")
    }
    switch exchange.moment {
    case .now: count(.readAnswered)
    case .position, .milliseconds: count(.pastAnswered)
    }
    if let room = open?.room, room.fold.place(of: Cursor(Text(cursor))) == nil {
      fail(.past, "a request that \(exchange.words) is told \(cursor), which the room at \(room.cursor) refuses")
    }
    remember(response)
    let canvas = fold(through: position)
    let drawing = CanvasCRDT.Drawing(canvas)
    switch exchange.subject {
    case .drawing(let stamps):
      compare(drawing.document(room: Text(Disk.roomName), cursor: Text(cursor), stamps: stamps), response)
    case .picture:
      var picture = SVGExport(drawing)
      picture.title = Text(Disk.roomName)
      compare(picture.document(), response)
    case .overlaps:
      let index = OverlapIndex(of: canvas, pairsMax: .max, stepsLeft: .max)
      compare(index.document(room: Text(Disk.roomName), cursor: Cursor(Text(cursor))) ?? [], response)
    default: break
    }
  }

  private mutating func compare(_ expected: [UInt8], _ response: Response) {
    guard response.body != expected else { return }
    let words = (String(decoding: response.body, as: UTF8.self), String(decoding: expected, as: UTF8.self))
    let common = zip(words.0, words.1).prefix { $0 == $1 }.count
    fail(
      .past,
      "over HTTP is shown …\(words.0.dropFirst(max(0, common - 30)).prefix(90)), and the log says "
        + "…\(words.1.dropFirst(max(0, common - 30)).prefix(90))"
    )
  }

  private mutating func judgeUnchanged(_ exchange: Exchange, _ response: Response) {
    count(.notModified)
    guard exchange.life == disk.life else { return }
    guard response.header("ETag") == exchange.tag,
      let position = response.cursor.flatMap({ RoomCursor(Cursor(Text($0))) })?.position
    else { return fail(.past, "a request is told that nothing has changed, by another tag") }
    let (first, last) = places(exchange)
    if position < first || position > last {
      fail(.past, "a request is told that nothing has changed since \(position)")
    }
  }

  /// All versions of the canvas that an answer is allowed to show.
  private func canvases(_ exchange: Exchange) -> [Canvas] {
    let (first, last) = places(exchange)
    let between = disk.records.map(\.position).filter { $0 > first && $0 <= last }
    return ([first] + between).map { fold(through: $0) }
  }

  /// The first and the last position that an answer may show.
  private func places(_ exchange: Exchange) -> (first: UInt64, last: UInt64) {
    let newest = disk.records.last?.position ?? 0
    switch exchange.moment {
    case .now: return (exchange.position, newest)
    case .position(let position, _):
      let place = disk.records.last { $0.position <= position }?.position ?? 0
      return (place, place)
    case .milliseconds(let last):
      return (disk.position(notAfter: last, upTo: exchange.position), disk.position(notAfter: last, upTo: newest))
    }
  }

  private mutating func judgePlace(_ exchange: Exchange, _ size: Size, _ response: Response) {
    guard exchange.life == disk.life else { return }
    guard let place = response.numbers(of: "position"), place.count == 2 else {
      return fail(.http, "a free place is answered without a position")
    }
    let box = Rect(origin: Point(x: place[0], y: place[1]), size: size)
    let isFree = canvases(exchange).contains {
      OverlapIndex(of: $0, pairsMax: .max, stepsLeft: .max).overlapping(box).isEmpty
    }
    if !isFree { fail(.past, "a place is called free that shapes cover") }
  }

  private mutating func judgeFigures(_ exchange: Exchange, _ response: Response) {
    guard exchange.life == disk.life, exchange.stored > 0 else { return }
    guard let operations = response.numbers(of: "operations")?.first else {
      return fail(.http, "a request that \(exchange.words) was answered without what it asked for")
    }
    func sum(_ last: UInt64) -> Double {
      Double(disk.records.filter { $0.position <= last }.reduce(0) { $0 + $1.operations.count })
    }
    /// - Parameter start: the position after which operations count.
    func isRight(after start: UInt64) -> Bool {
      operations >= sum(exchange.position) - sum(start) && operations <= sum(.max) - sum(start)
    }
    guard case .span = exchange.subject else {
      if !isRight(after: 0) {
        fail(.past, "\(operations) operations are told of; the log has had \(sum(exchange.position)) to \(sum(.max))")
      }
      return
    }
    let from = response.numbers(of: "from")?.first ?? 0
    let to = response.numbers(of: "to")?.first ?? 0
    // What is kept begins with the first record, or after the last of those that are trimmed.
    var starts = disk.records.filter { Double($0.milliseconds) == from }.map(\.position)
    if starts.contains(disk.records.first?.position ?? 0) { starts.append(0) }
    let earliest = disk.records.last { $0.position <= exchange.stored }?.milliseconds ?? 0
    if !starts.contains(where: { isRight(after: $0) }) || to < Double(earliest)
      || to > Double(disk.records.last?.milliseconds ?? 0)
    {
      fail(.past, "history is said to go from \(from) to \(to), with \(operations) operations")
    }
  }

  private func isCrowded(_ canvas: Canvas) -> Bool {
    let steps = OverlapBudget.most(shapes: canvas.liveCount, stepsPerShape: limits.overlapSteps)
    return OverlapIndex(of: canvas, pairsMax: Int(limits.overlapPairs), stepsLeft: steps).isCrowded
  }

  // MARK: The log

  /// Applies the records of the log up to a position.
  func fold(through position: UInt64) -> Canvas {
    var fold = Canvas()
    for record in disk.records where record.position <= position {
      for operation in record.taken { fold.apply(operation) }
    }
    return fold
  }

  private mutating func remember(_ response: Response) {
    if let cursor = response.cursor {
      remembered.cursors.append((cursor, disk.life))
      if remembered.cursors.count > 8 { remembered.cursors.removeFirst() }
    }
    if let tag = response.header("ETag") {
      remembered.tags.append(tag)
      if remembered.tags.count > 4 { remembered.tags.removeFirst() }
    }
  }
}

extension Response {
  /// The number, or list of numbers, under a key of a JSON object.
  fileprivate func numbers(of name: String) -> [Double]? {
    words(of: name)?.split(separator: ",").compactMap { Double($0) }
  }

  fileprivate func identifiers(of name: String) -> [Identifier]? {
    words(of: name)?.split(separator: ",").compactMap { word in
      Identifier(String(word.filter { $0 != "\"" }))
    }
  }

  private func words(of name: String) -> Substring? {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.firstRange(of: "\"\(name)\":") else { return nil }
    let rest = text[start.upperBound...]
    if rest.first == "[" { return rest.dropFirst().prefix { $0 != "]" } }
    return rest.prefix { $0 != "," && $0 != "}" }
  }
}
