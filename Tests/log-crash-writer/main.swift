// A process for tests to kill. It appends to several rooms without a pause, writes a snapshot now and then, and prints
// what is reported as durable. Whenever it is killed, its log has to have everything that it has printed.
//
//   log-crash-writer write DIRECTORY      prints "record ROOM POSITION INDEX", "snapshot ROOM POSITION"
//   log-crash-writer snapshot DIRECTORY   the same, with one snapshot of 50 MB under way
//   log-crash-writer open DIRECTORY       prints "opened", or what is wrong, and stays until its input ends
//   log-crash-writer nobody DIRECTORY     does what `open` does, but under a user account that owns no files
import Glibc
import RoomLog
import Synchronization

let roomCount = 5
let inFlight = 6

func say(_ lines: String) {
  let text = Array(lines.utf8)
  var written = 0
  while written < text.count {
    let count = text[written...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    guard count > 0 else { exit(1) }
    written += count
  }
}

/// The events of the log for the main thread.
final class Inbox: Sendable {
  let events = Mutex<[LogEvent]>([])
}

func writeWithoutEnd(directory: String, largeSnapshot: Bool) throws(StorageFault) {
  let inbox = Inbox()
  let log = try SQLiteLog(directory: directory) { events in
    var lines = ""
    for event in events {
      switch event {
      case .appended(let appended):
        for record in appended.records {
          let index = record.bytes.split(separator: UInt8(ascii: " "))[1]
          lines += "record \(appended.room) \(record.position) \(String(decoding: index, as: UTF8.self))\n"
        }
      case .snapshotted(_, let room, let position): lines += "snapshot \(room) \(position)\n"
      default: break
      }
    }
    say(lines)
    inbox.events.withLock { $0 += events }
  }
  var index = UInt64(getpid()) << 32
  var waiting = [Int](repeating: 0, count: roomCount)
  var hasLargeSnapshot = largeSnapshot
  while true {
    for room in 0..<roomCount where waiting[room] < inFlight {
      waiting[room] += 1
      index += 1
      let bytes = Array("room-\(room) \(index) ".utf8) + [UInt8](repeating: UInt8(index % 251), count: Int(index % 97))
      log.submit(
        .append(
          AppendRequest(
            id: UInt64(room),
            room: "room-\(room)",
            epoch: 7,
            mayCreate: true,
            milliseconds: index & 0xFFFF_FFFF,
            records: [NewRecord(bytes: bytes, operations: 1)]
          )
        )
      )
    }
    for event in inbox.events.withLock({ events in
      defer { events = [] }
      return events
    }) {
      switch event {
      case .appended(let appended):
        waiting[Int(appended.id ?? 0)] -= 1
        let position = appended.records[0].position
        if hasLargeSnapshot || position % 40 == 0 {
          let size = hasLargeSnapshot ? 50 << 20 : 200_000
          hasLargeSnapshot = false
          log.submit(
            .snapshot(
              SnapshotRequest(
                id: 100,
                room: appended.room,
                epoch: 7,
                position: position,
                shapes: position,
                bytes: [UInt8](repeating: UInt8(position % 251), count: size)
              )
            )
          )
        }
      case .failed(_, _, let error):
        say("failed \(error)\n")
        exit(1)
      default: break
      }
    }
    sched_yield()
  }
}

func openAndStay(directory: String) {
  do throws(StorageFault) {
    let log = try SQLiteLog(directory: directory) { _ in }
    say("opened\n")
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    log.close()
  } catch {
    say("\(error)\n")
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(64) }
switch arguments[1] {
case "write", "snapshot":
  do throws(StorageFault) {
    try writeWithoutEnd(directory: arguments[2], largeSnapshot: arguments[1] == "snapshot")
  } catch {
    say("\(error)\n")
    exit(1)
  }
case "nobody":
  guard getuid() != 0 || setgid(65_534) == 0 && setuid(65_534) == 0 else { exit(1) }
  openAndStay(directory: arguments[2])
case "open": openAndStay(directory: arguments[2])
default: exit(64)
}
