import Glibc
import WebSocketLoop

/// A minimal server, whose figures are a lower bound for any server. It passes each message of a room on to all clients
/// there, and does nothing else. It uses the server's event loop, and collects messages into batches for as long as the
/// server does. A real server costs more, for reading, checking, merging, storing and answering.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Relay: ServerHandler, TurnObserver, @unchecked Sendable {
  struct Room {
    var members: [Connection] = []
    var gathered: [UInt8] = []
    var due: UInt64 = 0
    var isDirty = false
  }

  let flags: Flags
  let loop: EventLoop
  private var rooms: [Room] = []
  private var places: [String: Int] = [:]
  private var dirty: [Int] = []
  private var isTimed = false

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
  }

  func start() {
    var options = ListenOptions()
    options.subprotocols = ["canvas.v1.json", "canvas.v1.bin"]
    do throws(ListenError) {
      let port = Endpoint(flags.server)?.port ?? 0
      // The loop retains the listener.
      _ = try loop.listen(host: "127.0.0.1", port: port, options: options, handler: self)
    } catch {
      Load.complain("can't listen: \(error)")
    }
    loop.register(self)
    Load.put("{\"ready\":true}", to: STDOUT_FILENO)
  }

  func party(of request: Request) -> String { NetworkAddress.party(of: request.peer) }

  func upgradeRequested(_ request: Request) -> UpgradeDecision {
    .accept(subprotocol: request.offeredSubprotocols.first)
  }

  func requested(_ exchange: PendingRequest) {}

  func connected(_ connection: Connection, request: Request) {
    let place = places[request.path] ?? rooms.count
    if place == rooms.count {
      places[request.path] = place
      rooms.append(Room())
    }
    connection.tag = place
    rooms[place].members.append(connection)
  }

  func received(_ message: Message, on connection: Connection) {
    let place = connection.tag
    if message.isText {
      MessageFrames.append(text: message.bytes, to: &rooms[place].gathered)
    } else {
      MessageFrames.append(binary: message.bytes, to: &rooms[place].gathered)
    }
    guard !rooms[place].isDirty else { return }
    rooms[place].isDirty = true
    dirty.append(place)
  }

  func turnEnded() {
    guard !dirty.isEmpty else { return }
    let now = loop.now
    var later: [Int] = []
    for place in dirty {
      if now < rooms[place].due {
        later.append(place)
        continue
      }
      rooms[place].isDirty = false
      rooms[place].due = now + flags.beat
      rooms[place].gathered.withUnsafeBytes { bytes in
        for member in rooms[place].members { _ = member.write(bytes) }
      }
      rooms[place].gathered.removeAll(keepingCapacity: true)
    }
    dirty = later
    guard !later.isEmpty, !isTimed else { return }
    isTimed = true
    loop.schedule(afterMilliseconds: flags.beat) { self.isTimed = false }
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) {
    rooms[connection.tag].members.removeAll { $0 === connection }
  }
}
