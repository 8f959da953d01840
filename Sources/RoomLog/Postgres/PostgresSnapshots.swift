/// A room, and its newest snapshot at or before a bound.
struct FoundSnapshot {
  /// `nil` if there is no such room.
  let entry: RoomEntry?
  var snapshot: RoomSnapshot?
  /// Why the snapshot that is stored can't be used.
  var damage: LogError?
}

extension FoundSnapshot {
  /// - Parameter answers: those to `.room` and `.places`, and the one to `.snapshot` if that was asked.
  fileprivate init(_ answers: [PostgresRows], of room: String) {
    entry = try? PostgresReading.entry(room, answers[0], answers[1])
    guard let entry, answers.count > 2 else { return }
    do throws(LogError) { snapshot = try PostgresReading.snapshot(answers[2], of: entry) } catch { damage = error }
  }
}

extension PostgresLink {
  /// Looks for a room's newest snapshot at or before a position and a time.
  /// - Parameter listed: what the list has for these bounds, after PostgreSQL has failed to read the snapshot.
  func findSnapshot(
    of room: String,
    position: Int64,
    milliseconds: Int64 = .max,
    listed: (entry: RoomEntry, position: UInt64)? = nil,
    _ answer: @escaping (Result<FoundSnapshot, PostgresFailure>) -> Void
  ) {
    let questions: [(PostgresStatement, [PostgresValue])] = [(.room, [.text(room)]), (.places, [.text(room)])]
    let snapshot: [PostgresValue] = [.text(room), .number(position), .number(milliseconds)]
    send(questions + [(.snapshot, snapshot)]) { found in
      guard case .failure(let failure) = found, failure.isDamage else {
        return answer(found.map { FoundSnapshot($0, of: room) })
      }
      if let listed {
        let damage = LogError.damagedSnapshot(room: room, position: listed.position)
        return answer(.success(FoundSnapshot(entry: listed.entry, damage: damage)))
      }
      // PostgreSQL doesn't say which snapshot it can't read. The list of snapshots does. But meanwhile another node may
      // have stored a newer one, so the one that is listed is read again.
      self.send(questions) { list in
        let found = list.map { FoundSnapshot($0, of: room) }
        guard let entry = try? found.get().entry,
          let place = entry.snapshots.last(where: { $0.position <= position && $0.milliseconds <= milliseconds })
        else { return answer(found) }
        self.findSnapshot(
          of: room,
          position: Int64(clamping: place.position),
          listed: (entry, place.position),
          answer
        )
      }
    }
  }
}
