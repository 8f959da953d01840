import Basics
import CanvasCRDT
import WebSocketLoop

extension Traffic {
  func received(_ message: Message, on connection: Connection) {
    let now = SteadyClock.nanoseconds()
    let index = connection.tag
    let room = clients[index].room
    // A client that isn't ready yet gets its state, which must be decoded. Later messages can be known from another
    // client, because all clients get the same bytes.
    if clients[index].isReady, let place = rooms[room].place(of: message.bytes, from: clients[index].nextMessage) {
      return delivered(place, of: room, to: index, bytes: message.bytes.count, at: now)
    }
    do throws(MessageError) {
      if flags.isThroughRelay {
        guard case .operations(let submission) = try flags.encoding.clientMessage(message.bytes) else { return }
        let place = rooms[room].take(message.bytes, submission: submission)
        return delivered(place, of: room, to: index, bytes: message.bytes.count, at: now)
      }
      switch try flags.encoding.serverMessage(message.bytes) {
      case .welcome(let welcome):
        if index < writers.count { writers[index].clock = Clock(actor: welcome.actor) }
      case .operations(let delivery):
        let place = rooms[room].take(message.bytes, content: delivery.content)
        delivered(place, of: room, to: index, bytes: message.bytes.count, at: now)
        if !delivery.more, !clients[index].isReady {
          becameReady(index, actor: index < writers.count ? writers[index].clock?.actor : nil)
        }
      case .acknowledgement(let acknowledgement):
        acknowledged(index, upTo: Traffic.number(acknowledgement.id), at: now)
      case .rejection(let rejection):
        rejected += 1
        if rejected == 1 { Load.note("refused: \(rejection.code.wireName) \(rejection.message.string)") }
      case .digest(_, let hash): compared(index, hash: hash)
      case .error(_, let words): Load.note("error: \(words.string)")
      // Other messages aren't counted.
      default: break
      }
    } catch {
      faults += 1
      if faults == 1 { Load.note("not understood: \(error)") }
    }
  }

  private func delivered(_ place: Int, of room: Int, to index: Int, bytes: Int, at now: UInt64) {
    clients[index].nextMessage = place + 1
    counts.messages += 1
    counts.bytes += UInt64(bytes)
    let marks = rooms[room].marks(at: place)
    counts.deliveries += UInt64(marks.count)
    for mark in marks {
      let writer = Int(mark.writer)
      let slot = writer / flags.rooms
      let last = clients[index].last[slot]
      if mark.sequence <= last {
        repeated += 1
        continue
      }
      skipped += UInt64(mark.sequence - last - 1)
      clients[index].last[slot] = mark.sequence
      latency.add(now - writers[writer].sentAt[Int(mark.sequence)])
    }
    // A relay doesn't acknowledge. A writer's operation counts as acknowledged when it comes back.
    guard flags.isThroughRelay, index < writers.count else { return }
    for mark in marks where Int(mark.writer) == index {
      let sent = Int(mark.sequence) + 1
      if sent == 1 || (sent - 1) % flags.batch == 0 { acknowledged(index, upTo: sent, at: now) }
    }
  }

  private static func number(_ id: MessageIdentifier?) -> Int {
    id?.json.bytes.reduce(0) { $0 &* 10 &+ Int($1) &- 48 } ?? 0
  }
}
