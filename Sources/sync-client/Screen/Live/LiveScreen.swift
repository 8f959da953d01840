import Basics
import CanvasCRDT
import TerminalCanvas

// The screen that shows the live canvas.

extension LiveCanvas {
  /// At most this many selected shapes get an outline. With more, the outlines couldn't be told apart.
  private static let marksMax = 200

  func screen(_ size: Terminal.Size) -> Screen {
    fit(size)
    followSomeone()
    tellPresence()
    let painted = paintShapes()
    var frame = frame()
    frame.scene = scene(labels: painted.labels)
    return RoomScreen(layout: layout, theme: theme, depth: depth).screen(frame, shapes: painted.pixels(in: view))
  }

  private func followSomeone() {
    guard let followed, let box = people[followed]?.view else { return }
    view.fit(box, scaleMax: CanvasView.scales.upperBound)
  }

  // MARK: - Shapes

  private func paintShapes() -> PaintedShapes {
    if drawing.moveTiedLines(in: canvas) || !departures.isEmpty { shapes.change() }
    if drawing.moves {
      drawing.advance(to: SteadyClock.milliseconds())
      shapes.change()
    }
    return shapes.next(view, theme, findsAll: { drawing.findCommonRegions(in: view.visibleBox) }) {
      PaintedShapes(
        &drawing,
        view: view,
        theme: theme,
        lifted: liftedShapes,
        over: departures.items(at: SteadyClock.milliseconds()) + inks.items
      )
    }
  }

  private var liftedShapes: Set<Identifier> { people.lifted.union(grip.lifted) }

  // MARK: - People

  private func scene(labels: [CanvasScene.Label]) -> CanvasScene {
    var scene = CanvasScene()
    scene.labels = labels
    for peer in client.replica.peers {
      let color = theme.person(peer.color)
      guard let state = people[peer.actor] else { continue }
      for (index, shape) in state.selection.enumerated() {
        guard scene.marks.count < LiveCanvas.marksMax, let outline = drawing.items[shape]?.outline else { continue }
        let flag = index == 0 ? peer.shownName : nil
        scene.marks.append(CanvasScene.Mark(outline: outline, color: color, flag: flag))
      }
      if let place = state.cursor {
        scene.pointers.append(CanvasScene.Pointer(place: place, color: color, name: peer.shownName))
      }
    }
    for shape in selection.prefix(LiveCanvas.marksMax) {
      guard let outline = drawing.items[shape]?.outline ?? drawn(shape)?.outline else { continue }
      scene.marks.append(
        CanvasScene.Mark(outline: outline, color: ownColor, hasHandles: selection.count == 1 && grip.lifted.isEmpty)
      )
    }
    scene.band = grip.band
    scene.hole = swelling
    if drawing.count == 0, departures.isEmpty, client.replica.state == .live || client.hasBeenLive {
      scene.invitation =
        isViewOnly
        ? ["An empty sheet", "", "Nothing has been drawn here yet."]
        : [
          "An empty sheet", "", "Drag to draw a rectangle · double click for a circle", "3 three squares · ? all keys",
        ]
    }
    return scene
  }

  private var swelling: Double {
    guard case .moving = grip, let pointer else { return 1 }
    return BlackHole(view: view).swelling(for: pointer)
  }

  private var ownColor: Color { theme.person(client.replica.configuration.color ?? Color(packed: 0x1D4ED8)) }

  var isViewOnly: Bool { client.replica.configuration.readonly || client.replica.role == .viewer }

  // MARK: - Around it

  private func frame() -> RoomFrame {
    var frame = RoomFrame(view: view)
    frame.room = client.room.text
    frame.people =
      [
        RoomFrame.Person(
          name: client.replica.configuration.name?.string.printable ?? "",
          color: ownColor,
          isSelf: true
        )
      ]
      + client.replica.peers.map {
        RoomFrame.Person(name: $0.shownName, color: theme.person($0.color), isFollowed: $0.actor == followed)
      }
    frame.unnamedCount = client.replica.unnamedCount
    layersStart = max(0, min(layersStart, drawing.count - layout.layers.count))
    frame.layers = drawing.layers(from: layersStart, rows: layout.layers.count, selected: selected)
    frame.isCrowded = drawing.picture.overlaps.isCrowded
    frame.overlaps = drawing.overlaps(rows: layout.overlaps.count, selected: selection.first)
    frame.connection = connection
    frame.unsent = client.replica.unsentCount
    if let postponement = client.replica.postponement, postponement.code != .rateLimited {
      frame.delay = postponement.message.string.printable
    }
    frame.roundTripMilliseconds = roundTrip
    frame.isViewOnly = isViewOnly
    // Whatever else is said goes after some seconds. A lost text is told again then.
    frame.notice = notice?.notice ?? lostTexts.words.map { RoomFrame.Notice($0, .warning) }
    frame.prompt = prompt?.prompt
    frame.showsHelp = showsHelp
    return frame
  }

  private var connection: RoomFrame.Connection {
    switch client.replica.state {
    case .live: .live
    case .loading: client.hasBeenLive ? .live : .loading
    case .closed(let code): .closed(closedWords(code))
    case .waiting(let until) where client.hasBeenLive: .reconnecting(seconds: seconds(until: until))
    case .offline, .waiting, .connecting, .greeting: client.hasBeenLive ? .reconnecting(seconds: nil) : .loading
    }
  }

  /// The whole seconds that are left. `nil` if less than one is left.
  private func seconds(until time: UInt64) -> Int? {
    let now = SteadyClock.milliseconds()
    return time > now + 1_000 ? Int((time - now) / 1_000) : nil
  }

  private func closedWords(_ code: UInt16) -> String {
    switch CloseCode(rawValue: code) {
    case .noSuchRoom: "This room was deleted"
    case .noToken where client.lastError == nil: "This room needs a token"
    case .forbidden where client.lastError == nil: "This token doesn’t give access to this room"
    case .actorElsewhere: "You have this room open elsewhere. Any key brings it here."
    default: "Not connected: \((client.lastError ?? "the server refused the connection (\(code))").printable)"
    }
  }
}
