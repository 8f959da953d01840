import RoomLog

/// Repairs damaged rooms by requests to the log, one at a time.
struct LogRepair {
  private let log: WaitingLog
  private let cutting: Bool
  private let directory: String

  /// Opens the directory. No server may be using it.
  init(directory: String, cutting: Bool) throws(StorageFault) {
    self.cutting = cutting
    self.directory = directory
    log = try WaitingLog(.directory(directory))
  }

  /// Prints what was found and done.
  /// - Returns: the exit code.
  func run(_ wanted: String?) -> Int32 {
    defer { log.close() }
    guard let rooms = log.rooms else {
      print("\(directory): the rooms can't be listed")
      return 1
    }
    if let wanted, !rooms.contains(where: { $0.room == wanted }) {
      print("\(directory): there is no room \(wanted)")
      return 1
    }
    var left = 0
    for room in rooms where wanted == nil || room.room == wanted {
      if !repair(room.room) { left += 1 }
    }
    if let wanted {
      print("\(directory): room \(wanted) \(left == 0 ? "can be used" : "is still damaged")")
    } else {
      print("\(directory): \(left == 0 ? "all rooms can be used" : "\(left) rooms are still damaged")")
    }
    return left == 0 ? 0 : 1
  }

  /// Repairs a room step by step, because the next damage shows only after the one before it is repaired.
  /// - Returns: whether the room is sound in the end.
  private func repair(_ room: String) -> Bool {
    var repaired: Set<LogError> = []
    while true {
      let damage: LogError
      do throws(LogError) {
        _ = try log.ask(.verify(room))
        return true
      } catch {
        damage = error
      }
      switch damage {
      case .damagedSnapshot(_, let position) where repaired.insert(damage).inserted:
        // Dropping a damaged snapshot loses nothing if the log still has another snapshot, or the records that the
        // damaged one covers.
        let means = RepairRequest.Means.droppingSnapshot(position: position)
        guard (try? log.ask(.repair(room, by: means))) != nil else {
          print("\(damage); restore the room from a backup")
          return false
        }
        print("\(damage); repaired: the room can be used without it")
      case .damaged where repaired.insert(damage).inserted:
        if (try? log.ask(.repair(room, by: .snapshot))) != nil {
          print("\(damage); repaired: its history up to the newest snapshot is dropped")
          continue
        }
        guard cutting else {
          print(
            "\(damage); no newer snapshot covers it; restore a backup, or drop it and everything after it with --cut"
          )
          return false
        }
        let means = RepairRequest.Means.cutting(newEpoch: .random(in: .min ... .max))
        guard let last = try? log.ask(.repair(room, by: means)) else {
          print("\(damage); cutting failed")
          return false
        }
        print("\(damage); repaired: the room now ends at position \(last)")
      default:
        print("\(damage); it can't be repaired")
        return false
      }
    }
  }
}
