/// Makes a connected link ready: checks the database, prepares the statements, and makes a first commit.
extension PostgresNode {
  func setUp(_ link: PostgresLink) {
    link.prepare([PostgresSchema.settings, PostgresSchema.presence]) { answer in
      guard link.went(answer) != nil else { return }
      link.send([(PostgresSchema.settings, []), (PostgresSchema.presence, [])]) { answer in
        guard let rows = link.went(answer) else { return }
        let fault =
          self.fault(of: link, settings: rows[0]) ?? self.reach(PostgresTimeline(settings: rows[0]), over: link)
        if let fault { return link.refuse(fault) }
        self.concerns.note(rows[0])
        self.meet(link, isThere: rows[1].truth(0, 0), isOurs: rows[1].truth(0, 1))
      }
    }
  }

  private func fault(of link: PostgresLink, settings: PostgresRows) -> StorageFault? {
    let place = address.description
    guard link.version >= PostgresSchema.oldestServer else {
      return .unfit("\(place) is version \(link.version / 10_000); rooms need PostgreSQL 14 or newer")
    }
    if settings.truth(0, 0) {
      return .database("\(place): this host is a standby; waiting for the one that takes writes")
    }
    if settings.text(0, 1) == "off" {
      return .unfit("\(place) has fsync = off and could lose what it has acknowledged; set fsync = on")
    }
    let commits = settings.text(0, 2)
    guard commits == "on" || commits == "remote_apply" else {
      return .unfit(
        "\(place) has synchronous_commit = \(commits) and could lose what it has acknowledged; "
          + "ALTER ROLE … SET synchronous_commit = on"
      )
    }
    return nil
  }

  /// Checks the settings of a ready link, because an operator can change them at any time.
  func lookAtSettings(over link: PostgresLink) {
    link.send([(PostgresSchema.settings, [])]) { answer in
      guard let rows = link.went(answer) else { return }
      if let fault = self.fault(of: link, settings: rows[0]) { return link.refuse(fault) }
      self.concerns.note(rows[0])
    }
  }

  private func meet(_ link: PostgresLink, isThere: Bool, isOurs: Bool) {
    guard isOurs else {
      guard !isThere else {
        return link.refuse(
          .unfit("\(address.description) has a schema “canvas” of another program; name another database")
        )
      }
      // An open log had its tables. Somebody has removed them, perhaps to restore a backup.
      guard mayCreate, !reports.isOpen else {
        return link.refuse(.unfit("\(address.description): there are no rooms of CanvasSync in this database"))
      }
      return upgrade(link) { self.learnVersion(link) }
    }
    learnVersion(link)
  }

  private func learnVersion(_ link: PostgresLink) {
    link.prepare([PostgresSchema.version]) { answer in
      if link.went(answer) != nil { self.compareVersion(link) }
    }
  }

  private func compareVersion(_ link: PostgresLink) {
    link.send([(PostgresSchema.version, [])]) { answer in
      guard let rows = link.went(answer) else { return }
      let (version, readableFrom, newest) = (rows[0].number(0, 0), rows[0].number(0, 1), PostgresSchema.newest)
      guard readableFrom <= newest else {
        return link.refuse(
          .unfit(
            "\(self.address.description) was written by a newer server: its schema \(version) is for servers that know "
              + "schema \(readableFrom) or newer, and this one knows \(newest); start a newer server"
          )
        )
      }
      guard version < newest else { return self.prepare(link) }
      guard self.mayCreate else {
        return link.refuse(
          .unfit(
            "\(self.address.description) was written by an older server: its schema is \(version), and this needs "
              + "\(newest); start a server of this version first, which upgrades it"
          )
        )
      }
      // The version is compared again after the upgrade, because a newer node might have upgraded the tables further.
      self.upgrade(link) { self.compareVersion(link) }
    }
  }

  private func upgrade(_ link: PostgresLink, _ then: @escaping () -> Void) {
    link.prepare([PostgresSchema.upgrade]) { answer in
      guard link.went(answer) != nil else { return }
      link.send([(PostgresSchema.upgrade, [])]) { answer in
        if link.went(answer) != nil { then() }
      }
    }
  }

  private func prepare(_ link: PostgresLink) {
    link.prepare(link.statements) { answer in
      guard link.went(answer) != nil else { return }
      if link === self.writer {
        self.takeOver(link)
      } else {
        let then = link === self.bell ? PostgresNode.listening : link === self.reader ? [(.readAtOnce, [])] : []
        let ownLockChanges = self.bells.ownLockChanges
        link.send([(.fence, [])] + then) { answer in
          guard let rows = link.went(answer) else { return }
          if link === self.bell, let locks = rows.last { self.bells.noteLocks(locks, askedAt: ownLockChanges) }
          link.becomeReady()
        }
      }
    }
  }

  /// The statements that make the connection for notifications ready. The connection listens for changes before it
  /// reads the locks, so that it misses no change.
  private static let listening: [(PostgresStatement, [PostgresValue])] = [
    (.listen, []), (.listenToNodes, []), (.locks, []),
  ]

  /// Ends earlier connections of this process, so that they can't store anything more. If one of them is committing,
  /// this waits for the end of the commit. After that, it is known which appends are stored.
  private func takeOver(_ link: PostgresLink, triesLeft: Int = triesMax) {
    let key = PostgresValue.number(writing.number)
    link.send([(.evict, [key])]) { answer in
      guard link.went(answer) != nil else { return }
      var questions: [(PostgresStatement, [PostgresValue])] = [(.lock, [key]), (.fence, [])]
      if self.mayCreate, let secret = self.secret { questions.append((.offerSecret, [.bytes(secret)])) }
      link.send(questions + [(.secret, [])]) { answer in
        guard let rows = link.went(answer) else { return }
        guard rows[0].truth(0, 0) else { return self.takeOverLater(link, triesLeft: triesLeft - 1) }
        self.secret = rows.last.flatMap { $0.count > 0 ? $0.bytes(0, 0) : nil }
        self.writing.settle()
      }
    }
  }

  private func takeOverLater(_ link: PostgresLink, triesLeft: Int) {
    guard triesLeft > 0 else { return link.lose("an earlier connection of this node is still storing something") }
    link.send([(.pause, [])]) { answer in
      if link.went(answer) != nil { self.takeOver(link, triesLeft: triesLeft) }
    }
  }

  /// `takeOver` is tried at most this many times, for about five seconds. Then the next host is tried: this host might
  /// be a former primary, whose commits wait forever.
  private static let triesMax = 200
}
