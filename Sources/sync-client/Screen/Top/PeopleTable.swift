import CanvasCRDT
import TerminalCanvas
import WebSocketLoop

/// The table of people in a room, updated every second. Operators can use it to remove a person or to lock the room.
@ClientLoop
final class PeopleTable: ScreenContent {
  private let host: ScreenHost
  private let requests: ServerRequests
  private let room: RoomName
  private let depth: ColorDepth
  private let theme: Theme
  private var table: PeopleScreen
  private var selectedActor: String?
  /// The person to remove if the user confirms.
  private var doomed: String?
  private var timer: LoopTimer?
  private var isStopped = false

  private static let everyMilliseconds: UInt64 = 1_000

  init(_ invocation: Invocation, _ room: RoomName, host: ScreenHost) {
    self.host = host
    self.room = room
    requests = ServerRequests(server: invocation.server)
    depth = invocation.colorDepth
    theme = invocation.arguments.has("--light") || host.terminalIsLight == true ? .light : .dark
    table = PeopleScreen(room: room.text)
  }

  let moves = false

  func screen(_ size: Terminal.Size) -> Screen {
    table.screen(columns: size.columns, rows: size.rows, theme: theme, depth: depth)
  }

  func begin() async {
    await ask()
    askAgain()
  }

  func stop() {
    isStopped = true
    timer?.cancel()
    timer = nil
  }

  private func askAgain() {
    guard !isStopped else { return }
    timer = ClientLoop.shared.loop.schedule(afterMilliseconds: PeopleTable.everyMilliseconds) { [weak self] in
      ClientLoop.assumeIsolated {
        guard let self else { return }
        Task { @ClientLoop in
          await self.ask()
          self.host.invalidate()
          self.askAgain()
        }
      }
    }
  }

  private func ask() async {
    do {
      let answer = JSONValue(try await requests.get(room.path("/peers"), of: room.text))
      let people = try requests.list("peers", in: answer)
      let isLocked = answer?["locked"]?.isTrue == true
      // What was said of the lock may be no longer true.
      if isLocked != table.isLocked { table.notice = nil }
      table.isLocked = isLocked
      table.people = people.map { person in
        func text(_ key: String) -> String { person[key]?.text?.printable ?? "" }
        return PeopleScreen.Row(
          actor: text("actor"),
          name: text("name"),
          role: text("role"),
          token: text("token"),
          address: text("address")
        )
      }
      table.trouble = nil
      // The same person stays selected, although their row changes when others come and go.
      if let index = table.people.firstIndex(where: { $0.actor == selectedActor }) {
        table.selected = index
      } else {
        select(table.selected)
      }
    } catch {
      table.trouble = words(of: error)
    }
  }

  private func words(of error: any Error) -> String {
    (error as? ClientFailure)?.words.printable ?? "The server could not be asked."
  }

  private func select(_ index: Int) {
    table.selected = max(0, min(index, table.people.count - 1))
    selectedActor = table.people.isEmpty ? nil : table.people[table.selected].actor
  }

  // MARK: - Keys

  func take(_ event: TerminalEvent) {
    guard case .key(let key, let modifiers) = event else { return }
    if let doomed {
      self.doomed = nil
      table.question = nil
      if key == .character("y") { remove(doomed) }
      return
    }
    switch key {
    case .up: select(table.selected - 1)
    case .down: select(table.selected + 1)
    case .home: select(0)
    case .end: select(table.people.count - 1)
    case .character("x"), .delete: askToRemove()
    case .character("l"): toggleLock()
    case .escape, .character("q"): host.end()
    case .character("c") where modifiers == .control: host.end()
    default: break
    }
  }

  private func askToRemove() {
    guard table.people.indices.contains(table.selected) else { return }
    let person = table.people[table.selected]
    doomed = person.actor
    let name = person.name.isEmpty ? person.actor : person.name.fittingWithEnd(24)
    table.question =
      "Remove \(name) from \(room.text)? y removes, any other key doesn’t"
  }

  private func remove(_ actor: String) {
    change("DELETE", room.path("/peers/\(actor)"), "\(actor) was removed. The same token lets the person in again.")
  }

  private func toggleLock() {
    let isLocked = table.isLocked
    change(isLocked ? "DELETE" : "PUT", room.path("/lock"), "The room is \(isLocked ? "unlocked" : "locked").")
  }

  private func change(_ method: String, _ path: String, _ words: String) {
    Task { @ClientLoop in
      let notice: String
      do {
        try await requests.order(method, path, of: room.text)
        notice = words
      } catch {
        notice = self.words(of: error)
      }
      await ask()
      table.notice = notice
      host.invalidate()
    }
  }
}
