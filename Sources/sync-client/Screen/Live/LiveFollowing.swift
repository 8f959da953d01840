import Basics
import CanvasCRDT
import TerminalCanvas

// Reacts to events in the room, and tells the user about them.

extension LiveCanvas: RoomFollower {
  func follow(_ effect: ReplicaEffect, in client: RoomClient) {
    losses(through: effect).forEach(tell)
    switch effect {
    case .changed(let changes, let origin): follow(changes, by: origin)
    case .departed(let edit): depart(edit)
    case .reset:
      // While a large drawing arrives, it is replaced several times a second. None of these states is shown, and
      // preparing each of them for the screen can take longer than receiving the drawing.
      guard hasBegun else { break }
      rebuild()
      noteWritten()
      lostTexts.forget(in: canvas)
    case .peers(let peers):
      paint(people.removeAll())
      for peer in peers { note(peer) }
    case .joined(let peer):
      note(peer)
      say("\(peer.shownName) is here.")
    case .presence(let peer): note(peer)
    case .left(let actor):
      paint(people.note(nil, of: actor))
      if followed == actor {
        followed = nil
        say("The person you followed has left.")
      }
    case .pong(let milliseconds):
      roundTrip = milliseconds
      noteSlowness(client.line.isSlow)
    case .rejected(let edit):
      leaving = .no
      switch edit.origin {
      case .edit: tell(edit)
      case .undo: say("Undo was not taken: \(reason(edit)). You can try it again.", .warning)
      case .redo: say("Redo was not taken: \(reason(edit)). You can try it again.", .warning)
      }
    case .unsent(0) where leaving == .onceSaved: host.end()
    case .state(.live): leaving = .no
    case .state where leaving == .onceSaved: leave()
    case .state(.waiting): countDown()
    case .error(_, let message): say(message.string.printable, .warning)
    case .digest(.disagrees): say("The drawing was loaded again because it differed from the server’s.", .warning)
    default: break
    }
    host.invalidate()
  }

  /// Shows the seconds until the next try to connect.
  private func countDown() {
    countdown?.cancel()
    guard case .waiting = client?.replica.state else { return }
    countdown = ClientLoop.shared.loop.schedule(afterMilliseconds: 500) { [weak self] in
      ClientLoop.assumeIsolated {
        self?.host.invalidate()
        self?.countDown()
      }
    }
  }

  /// Tells the user, but only once, that the connection has become slow.
  private func noteSlowness(_ isSlow: Bool) {
    if isSlow, !self.isSlow { say("Your connection is slow. Others see your changes late, and you theirs.", .warning) }
    self.isSlow = isSlow
  }

  private func note(_ peer: Peer) {
    let state = peer.state.map { PresenceState($0) } ?? PresenceState()
    paint(people.note(state, of: peer.actor))
    textLosses.note(peer.actor, writesIn: state.writing, at: client.replica.serverMilliseconds(at: .now()))
    if awaitsView, peer.actor == followed, state.view != nil {
      awaitsView = false
      say("You see what \(peer.shownName) sees.")
    }
  }

  private func paint(_ change: Presences.Change) {
    // A lifted shape looks different.
    if change.contains(.lifted) { shapes.change() }
    if change.contains(.ink) { followInks() }
  }

  /// Shows strokes that other people are drawing.
  private func followInks() {
    let canvas = canvas
    if inks.follow(people, at: SteadyClock.milliseconds(), isDrawn: { canvas[$0] != nil }) {
      shapes.change()
      host.invalidate()
    }
    // One timer is enough for any number of presence messages.
    guard inks.isWaiting, inkTimer == nil else { return }
    inkTimer = ClientLoop.shared.loop.schedule(afterMilliseconds: Inks.patienceMilliseconds + 10) { [weak self] in
      ClientLoop.assumeIsolated {
        self?.inkTimer = nil
        self?.followInks()
      }
    }
  }

  private func follow(_ changes: [Change], by origin: ChangeOrigin) {
    let canvas = canvas
    let now = SteadyClock.milliseconds()
    var began: [ShapePair] = []
    var vanished: Set<Identifier> = []
    var glidingAt: UInt64?
    if case .remote = origin, hasTimeToGlide { glidingAt = now }
    drawing.reorder(after: changes, in: canvas)
    for change in changes {
      began += drawing.follow(change, in: canvas, glidingAt: glidingAt).began
      if change.lifecycle == .vanished { vanished.insert(change.shape) }
    }
    if !vanished.isEmpty { selection.removeAll { vanished.contains($0) } }
    noteWritten()
    lostTexts.forget(in: canvas)
    shapes.change()
    if !inks.isEmpty { followInks() }
    tell(began, by: origin)
  }

  /// Tells the user that somebody has overwritten their text, or deleted its shape.
  private func tell(_ loss: TextLosses.Loss) {
    let who = client.replica.peer(loss.by)?.shownName ?? "Someone"
    let shape = canvas[loss.shape]
    var place = shape?.properties ?? Properties()
    if shape == nil { place.position = newPlace }
    place.text = ""
    let words =
      shape != nil
      ? "\(who) wrote over your text. Press I to keep it beside: \(TextWords.quoted(loss.text))"
      : "\(who) deleted the shape that you had written in. Press I to keep your text: \(TextWords.quoted(loss.text))"
    tell(LostTexts.Lost(text: loss.text, shape: loss.shape, place: place, words: words))
  }

  /// Tells the user that the server has refused an edit, and keeps the text that the user had written.
  private func tell(_ refused: RejectedEdit) {
    let (shape, set) = (refused.operation.shape, refused.operation.set)
    guard set.assigned.contains(.text), !TextWords.inOneLine(set.text).isEmpty else {
      return say("A change was refused: \(reason(refused)).", .warning)
    }
    let words = "Your text was refused: \(reason(refused)). Press I to keep it: \(TextWords.quoted(set.text))"
    var elsewhere = set
    elsewhere.position = newPlace
    var place = canvas[shape]?.properties ?? elsewhere
    // What somebody else has written in the shape since stays.
    if let at = refused.operation.at, let newest = canvas.stamp(of: .text, in: shape), newest > at { place.text = "" }
    tell(LostTexts.Lost(text: set.text, shape: shape, place: place, words: words))
  }

  /// Starts the animation into the black hole. To be called before the change, while the shape is still there.
  private func depart(_ edit: ShapeEdit) {
    guard let item = drawing.items[edit.shape] else { return }
    let size = edit.set.assigned.contains(.size) ? edit.set.size : Size(width: 1, height: 1)
    departures.add(item, to: Rect(origin: edit.set.position, size: size), at: SteadyClock.milliseconds())
  }

  private func tell(_ began: [ShapePair], by origin: ChangeOrigin) {
    guard let pair = began.first else { return }
    let who =
      switch origin {
      case .own, .rejection: "You"
      case .remote(let actor): client.replica.peer(actor)?.shownName ?? "Someone"
      case .room: "While you were away"
      }
    let what =
      began.count == 1
      ? "\(drawing.name(of: pair.first)) overlaps \(drawing.name(of: pair.second))" : "\(began.count) new overlaps"
    say("⚠ \(what) · \(who), just now", .overlap)
  }

  private func reason(_ edit: RejectedEdit) -> String {
    switch edit.code {
    case .roomFull: "the room is full"
    case .readOnly: "you can look but not edit here"
    case .tooOld: "it was made too long ago"
    case .clockAhead: "this computer’s clock is ahead"
    case .badValue: "a value is out of range"
    case .quotaExceeded: "more was drawn from here today than the server allows"
    default: edit.message.string.printable
    }
  }
}
