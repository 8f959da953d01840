import CanvasCRDT
import TestSupport

@testable import SyncServer

// The clients' side: what replicas ask for, and what people do.

extension Simulation {
  mutating func run(_ index: Int, _ event: (inout Replica, Moment) -> [ReplicaEffect]) {
    let wall = UInt64(Int64(Simulation.wallStart + time) + peers[index].wallError)
    let effects = event(&peers[index].replica, Moment(wallMilliseconds: wall, monotonicMilliseconds: time))
    for effect in effects {
      switch effect {
      case .connect:
        peers[index].wantsConnection = true
        peers[index].connectsAt = time + UInt64.random(in: 1...40, using: &random)
      case .send(let bytes):
        guard let line = peers[index].line else { continue }
        // A connection keeps its order.
        let earliest = max(lines[line].toServer.last?.at ?? 0, time)
        lines[line].toServer.append((earliest + UInt64.random(in: 0...15, using: &random), bytes))
      case .disconnect:
        peers[index].wantsConnection = false
        if let line = peers[index].line { hangUp(line) }
      case .wake(let at): peers[index].wakeAt = at
      case .rejected(let edit):
        peers[index].rejected.append(edit)
        count(.rejected)
        if edit.code == .roomFull { count(.roomFull) }
      case .superseded: count(.superseded)
      case .digest(let verdict): peers[index].verdicts.append(verdict)
      case .failure(let error): peers[index].failures.append(error)
      case .overlaps(let notice):
        peers[index].pairs.formUnion(notice.began)
        peers[index].pairs.subtract(notice.ended)
        peers[index].hasPairs = true
      case .presence: count(.presenceShown)
      case .changed, .departed, .reset, .unsent, .state, .peers, .joined, .left, .presenceTooLong, .pong, .error: break
      }
    }
  }

  /// The client's end of a line is gone. The server learns of it later, or never, where it is down.
  mutating func hangUp(_ line: Int) {
    peers[lines[line].peer].line = nil
    peers[lines[line].peer].pairs = []
    peers[lines[line].peer].hasPairs = false
    lines[line].toClient = []
    lines[line].isOpen = false
    if happens(0.5) { forget(line) }
  }

  /// The network drops a connection: what is under way on it is lost, on either side.
  mutating func drop(_ line: Int, code: UInt16? = nil) {
    guard lines[line].isOpen else { return }
    count(.lostConnection)
    let peer = lines[line].peer
    if peers[peer].replica.state == .loading { count(.cutState) }
    if !lines[line].toServer.isEmpty { count(.lostSubmission) }
    if !lines[line].toClient.isEmpty { count(.lostAnswer) }
    lines[line].toServer = []
    hangUp(line)
    run(peer) { $0.disconnected(closeCode: code, at: $1) }
  }

  mutating func connect(_ index: Int) {
    peers[index].wantsConnection = false
    guard room != nil else {
      run(index) { $0.disconnected(closeCode: nil, at: $1) }
      return
    }
    let encoding = peers[index].replica.configuration.encoding
    lines.append(
      Line(
        peer: index,
        conversation: Conversation(encoding: encoding, limits: limits, now: now),
        room: peers[index].drain
      )
    )
    peers[index].line = lines.count - 1
    if peers[index].replica.cursor != nil { count(.resumed) }
    run(index) { $0.connected(at: $1) }
  }

  /// What has arrived at a client is read, as far as it keeps up.
  mutating func drain(_ line: Int) {
    let peer = lines[line].peer
    guard lines[line].isOpen, time >= peers[peer].stalledUntil else { return }
    lines[line].room = peers[peer].drain
    for message in LengthFraming.takeMessages(&lines[line].toClient) {
      guard lines[line].isOpen else { return }
      let isText = lines[line].conversation.encoding.isText
      witness(decoded(message, isText: isText), on: line)
      run(peer) { $0.received(message, isText: isText, at: $1) }
    }
    if lines[line].isOpen, let code = lines[line].closeCode {
      hangUp(line)
      run(peer) { $0.disconnected(closeCode: code, at: $1) }
    }
  }

  /// Remembers what a client was promised.
  private mutating func witness(_ message: ServerMessage?, on line: Int) {
    switch message {
    case .operations(let delivery):
      if delivery.reset { count(.reset) }
      switch delivery.content {
      case .operations(let operations): for operation in operations { seen.insert(operation.at) }
      case .state(let part): for operation in part.operations { seen.insert(operation.at) }
      }
    case .acknowledgement(let answer):
      guard let id = answer.id, let stamps = lines[line].submitted[id] else { return }
      acknowledged.formUnion(stamps)
    case .rejection(let rejection): if rejection.code == .clockAhead { count(.clockAhead) }
    default: break
    }
  }

  private func decoded(_ message: [UInt8], isText: Bool) -> ServerMessage? {
    isText ? try? JSONEncoding.decodeServerMessage(message) : try? BinaryEncoding.decodeServerMessage(message)
  }

  // MARK: People

  mutating func edit(_ index: Int) {
    let shapes = peers[index].replica.canvas.shapes.map { $0.id }
    let pick = shapes.randomElement(using: &random)
    var set = Properties()
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3:
      set.kind = ShapeKind.allCases.randomElement(using: &random)!
      set.position = point()
      if happens(0.5) { set.name = "Box" }
      run(index) { $0.add(set, at: $1).effects }
    case 3: if let pick { run(index) { $0.delete([pick], at: $1) } }
    case 4: if happens(0.1) { run(index) { $0.clear(at: $1) } }
    case 5: run(index) { $0.undo(at: $1) }
    case 6: run(index) { $0.redo(at: $1) }
    case 7:
      let edits = shapes.prefix(4).map { shape in
        var set = Properties()
        set.alpha = Int16.random(in: 1...10, using: &random)
        return ShapeEdit(shape: shape, set: set)
      }
      run(index) { $0.edit(edits, at: $1) }
    case 8: run(index) { $0.askDigest(at: $1) }
    default:
      guard let pick else { return }
      set.position = point()
      run(index) { $0.edit([ShapeEdit(shape: pick, set: set)], at: $1) }
    }
  }

  /// What others are to see of one: where its cursor is.
  mutating func show(_ index: Int, _ place: Int) {
    let state = "{\"cursor\":[\(place),0]}".utf8.span.withUnsafeBytes {
      try? JSONText(validating: $0, maximumBytes: 100)
    }
    guard let state else { return }
    peers[index].shown = state
    run(index) { $0.setPresence(state, at: $1) }
  }

  private mutating func point() -> Point {
    Point(
      x: Double.random(in: 0..<500, using: &random).rounded(),
      y: Double.random(in: 0..<500, using: &random).rounded()
    )
  }
}
