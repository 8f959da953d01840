import Basics
import CanvasCRDT
import WebSocketLoop

/// The command `watch`, which prints each event in a room.
enum Watch {
  static let command = Command(
    name: "watch",
    group: .looking,
    operands: [.one("ROOM")],
    summary: "print what happens in a room, as it happens",
    details: [
      "It tells which shapes are made, changed and deleted, and by whom; which come to overlap, by how much of the "
        + "smaller one, and when they no longer do; who comes and goes. A drag is one line, printed when the shape "
        + "has come to rest.",
      "After a lost connection it reconnects by itself. It runs until it is interrupted, or until "
        + "nobody reads its output any more.",
    ],
    options: [Option("--for", "TIME", "stop after this time")],
    examples: ["watch demo", "watch demo --json | jq 'select(.event == \"overlap\")'", "watch demo --for 1m"]
  ) { invocation in
    let duration = try invocation.arguments.milliseconds("--for")
    let room = try invocation.room()
    try ReaderWatch.start()
    let watcher = Watcher(invocation.isJSON ? .programs : .people, invocation.output)
    var configuration = invocation.replicaConfiguration(name: "Watcher")
    configuration.readonly = true
    let client = invocation.client(of: room, configuration, follower: watcher)
    try await client.join(tell: invocation.tell)
    watcher.begin(client)
    _ = await client.wait(withinMilliseconds: duration) { $0.isClosedForGood }
    watcher.flush(client)
    if let refusal = client.refusal { throw refusal }
    await client.leave()
    return .success
  }
}

/// Follows a room, and prints its events.
@ClientLoop
final class Watcher: RoomFollower {
  enum Reader {
    case people
    case programs
  }

  /// At the start, at most this many people are named. If there are more, only their number is printed.
  private static let namesMax = 12

  private let reader: Reader
  private let output: Output
  private var ledger: RoomLedger?
  private var timer: LoopTimer?
  private var isOffline = false

  init(_ reader: Reader, _ output: Output) {
    self.reader = reader
    self.output = output
  }

  /// Starts printing, once the room has been loaded.
  func begin(_ client: RoomClient) {
    let canvas = client.replica.canvas
    var ledger = RoomLedger(canvas)
    ledger.note(all: client.replica.peers)
    self.ledger = ledger
    let pairs = ledger.picture.overlapCount
    let peers = client.replica.peers
    switch reader {
    case .people:
      var names = peers.prefix(Watcher.namesMax).map { $0.shownName }
      let more = peers.count + client.replica.unnamedCount - names.count
      if more > 0 { names.append("\(more) more") }
      let here = names.isEmpty ? "nobody else is here" : "here: " + names.joined(separator: ", ")
      let shapes = Figures.counted(canvas.liveCount, "shape")
      output.write(output.styled("\(client.room.text): \(shapes), \(Figures.overlaps(pairs)); \(here)", .faint))
    case .programs:
      output.write { line in
        line.member("time", WallClock.milliseconds())
        line.member("event", "here")
        line.member("room", client.room.text)
        line.member("shapes", canvas.liveCount)
        line.key("overlaps")
        if let pairs { line.value(UInt64(pairs)) } else { line.null() }
        line.key("peers")
        line.beginArray()
        for peer in peers {
          line.beginObject()
          RoomEvent.write(Person(actor: peer.actor, name: peer.name, color: peer.color), to: &line)
          line.endObject()
        }
        line.endArray()
        if client.replica.unnamedCount > 0 { line.member("unnamed", client.replica.unnamedCount) }
      }
    }
  }

  func follow(_ effect: ReplicaEffect, in client: RoomClient) {
    guard ledger != nil else { return }
    let now = Moment.now()
    switch effect {
    case .changed(let changes, let origin):
      let by = writer(origin)
      tell(ledger?.take(changes, by: by, on: client.replica.canvas, at: now) ?? [])
    case .departed(let edit): ledger?.depart(edit.shape)
    case .reset(let earlier): tell(ledger?.reset(to: client.replica.canvas, from: earlier, at: now) ?? [])
    case .peers(let peers): ledger?.note(all: peers)
    case .joined(let peer):
      ledger?.note(peer)
      tell(.came(Person(actor: peer.actor, name: peer.name, color: peer.color)), at: now)
    case .left(let actor):
      if let person = ledger?.people[actor] { tell(.went(person), at: now) }
      ledger?.noteLeft(actor)
    case .state(.waiting):
      if !isOffline { tell(.offline(client.whyNot), at: now) }
      isOffline = true
    case .state(.live):
      if isOffline { tell(.back, at: now) }
      isOffline = false
    default: break
    }
    awaitRest(client)
  }

  private func writer(_ origin: ChangeOrigin) -> RoomEvent.Writer {
    switch origin {
    case .remote(let actor): .person(ledger?.people[actor] ?? Person(actor: actor, name: nil, color: nil))
    case .room: .several
    case .own, .rejection: .oneself
    }
  }

  // MARK: - Telling

  /// Prints all waiting events when the command ends, even if shapes are still moving.
  func flush(_ client: RoomClient) {
    timer?.cancel()
    timer = nil
    tell(ledger?.due(at: .now(), isLast: true) ?? [])
    ledger = nil
  }

  private func awaitRest(_ client: RoomClient) {
    guard timer == nil, let due = ledger?.nextDue else { return }
    let now = SteadyClock.milliseconds()
    timer = ClientLoop.shared.loop.schedule(afterMilliseconds: due > now ? due - now : 0) { [self] in
      ClientLoop.assumeIsolated {
        timer = nil
        tell(ledger?.due(at: .now()) ?? [])
        awaitRest(client)
      }
    }
  }

  private func tell(_ what: RoomEvent.What, at now: Moment) {
    tell([RoomEvent(milliseconds: now.wallMilliseconds, what: what)])
  }

  private func tell(_ events: [RoomEvent]) {
    switch reader {
    case .people: EventLines(output: output).write(events)
    case .programs:
      for event in events { output.write { event.write(to: &$0) } }
    }
  }
}
