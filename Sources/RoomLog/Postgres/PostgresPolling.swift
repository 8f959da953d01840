/// Polls the followed rooms, because a notification can get lost.
extension PostgresFollowing {
  func goOn(now: UInt64) {
    guard link.isReady, let names = round.begin(now: now, rooms: followed.keys) else { return }
    let ownLockChanges = bells.ownLockChanges
    // A request of its own, because locks have to be heeded also if a page with rooms is damaged.
    link.send([(.locks, [])]) { answer in
      if case .success(let rows) = answer { self.bells.noteLocks(rows[0], askedAt: ownLockChanges) }
    }
    poll(names) { lag in
      let count = self.followed.count
      let whole = self.round.end(lag: lag ?? 0)
      guard lag != nil else { return }
      self.reports.update { figures in
        figures.following?.rooms = count
        if let whole { figures.following?.lagRecords = whole }
      }
    }
  }

  /// - Parameter then: gets the number of unreported records of these rooms. `nil` if the poll failed.
  private func poll(_ names: [String], then: @escaping (UInt64?) -> Void) {
    link.send([(.look, [.texts(names)])]) { answer in
      switch answer {
      case .success(let rows): then(self.lookAtThose(behind: rows[0], of: names))
      case .failure(let failure) where failure.isDamage && names.count > 1:
        // For many names the database may read all rows, and meets a damaged page that has none of them.
        let half = names.count / 2
        self.poll(Array(names[..<half])) { first in
          guard let first else { return then(nil) }
          self.poll(Array(names[half...])) { then($0?.addingClamped(first)) }
        }
      case .failure(let failure) where failure.isDamage:
        names.forEach(self.look)
        then(0)
      case .failure: then(nil)
      }
    }
  }

  /// Reads the rooms that, according to a poll, have unreported records, and those in doubt, whose last read was refused.
  /// Returns the number of unreported records.
  private func lookAtThose(behind rows: PostgresRows, of names: [String]) -> UInt64 {
    var seen: Set<String> = []
    var lag: UInt64 = 0
    for row in 0..<rows.count {
      let (name, epoch, last) = (rows.text(row, 0), rows.unsigned(row, 1), rows.natural(row, 2))
      seen.insert(name)
      guard let room = followed[name] else { continue }
      if room.epoch == epoch { lag = lag.addingClamped(last - min(room.reported, last)) }
      if room.epoch != epoch || room.reported != last || room.isInDoubt { look(at: name) }
    }
    for name in names where followed[name]?.epoch != nil && !seen.contains(name) { look(at: name) }
    return lag
  }
}
