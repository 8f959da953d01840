/// Polls the followed rooms, because a notification can get lost.
extension PostgresFollowing {
  func goOn(now: UInt64) {
    guard link.isReady, let names = round.begin(now: now, rooms: followed.keys) else { return }
    let ownLockChanges = bells.ownLockChanges
    link.send([(.look, [.texts(names)]), (.locks, [])]) { answer in
      var lag: UInt64 = 0
      if case .success(let rows) = answer {
        self.bells.noteLocks(rows[1], askedAt: ownLockChanges)
        lag = self.lookAtThose(behind: rows[0], of: names)
      }
      let count = self.followed.count
      let whole = self.round.end(lag: lag)
      guard case .success = answer else { return }
      self.reports.update { figures in
        figures.following?.rooms = count
        if let whole { figures.following?.lagRecords = whole }
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
