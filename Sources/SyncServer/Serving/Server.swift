import Glibc
import RoomLog
import WebSocketLoop

/// The server's process: makes the parts and connects them, waits for a signal, and stops the parts again.
enum Server {
  static func run(_ configuration: Configuration) -> Never {
    let isService = ServiceManager.running != nil
    let signals = signals(rereads: isService || configuration.asksForTokens || configuration.audit != nil)
    // The signals are blocked before there are other threads, so that only `waitForSignal` gets them.
    block(signals)
    let logger = Logger(level: configuration.logLevel, format: configuration.logFormat)
    var configuration = configuration
    configuration.host = host(configuration, logger)
    configuration.sites.addOwn([configuration.host, machineName()])
    for complaint in configuration.complaints { logger.warning(complaint) }
    if configuration.signingKeys == nil, configuration.tokenTerms.audience != nil {
      logger.warning("--jwt-audience has no effect without --jwt-keys")
    }
    let tokens = configuration.tokens.map { path in
      do throws(TokenFault) {
        let tokens = try read(tokens: path, logger)
        warnIfEmpty(tokens, path, logger)
        return tokens
      } catch {
        StandardError.complain("--tokens \(path): \(error.words)")
        exit(64)
      }
    }
    let signed = configuration.signingKeys.map { path in
      do throws(TokenFault) {
        let signed = try SignedTokens(keysAt: path, terms: configuration.tokenTerms)
        if signed.count == 0 {
          logger.warning("there are no keys, so no signed token is valid", ["directory": .text(path)])
        }
        return signed
      } catch {
        StandardError.complain("--jwt-keys \(path): \(error.words)")
        exit(64)
      }
    }
    var credentials = Credentials(tokens: tokens, signed: signed)
    let files = StaticFiles(directory: configuration.web)
    if !files.isThere { logger.warning("the page's files were not found", ["web": .text(configuration.web)]) }
    let loop: EventLoop
    do {
      loop = try EventLoop.ofHub { level, line in
        switch level {
        case .error: logger.error(line, ["from": .text("libwebsockets")])
        case .warning: logger.warning(line, ["from": .text("libwebsockets")])
        }
      }
    } catch {
      fail("can't start the event loop: \(error)")
    }
    let hub = Hub(
      on: Machine(loop: loop),
      configuration: configuration,
      logger: logger,
      files: files,
      credentials: credentials
    )
    let (log, bus) = openLog(configuration, logger, for: hub)
    let locks = locks(configuration)
    let audit = audit(configuration)
    do throws(ListenError) {
      _ = try loop.perform { () throws(ListenError) -> Int in
        // `assumeIsolated` rethrows errors without their type. A result keeps the type.
        let started = hub.assumeIsolated { hub in
          Result { () throws(ListenError) in try hub.start(log: log, bus: bus, locks: locks, audit: audit) }
        }
        return try started.get()
      }
    } catch {
      log.close()
      fail(words(error))
    }
    while waitForSignal(signals) == SIGHUP {
      loop.execute { hub.assumeIsolated { $0.journal.reopenAudit() } }
      reread(configuration, replacing: &credentials, for: hub, logger)
    }
    ServiceManager.running?.isStopping()
    loop.execute { hub.assumeIsolated { $0.stop() } }
    // Waits for a second signal other than SIGHUP, and then ends the process at once. The loop ends it, which has the
    // lines that were only counted. A loop that hangs is not waited for.
    while waitForSignal(signals) == SIGHUP {}
    loop.execute { hub.assumeIsolated { $0.stopAtOnce() } }
    sleep(1)
    logger.writeSums(isEnd: true)
    logger.warning("stopped at the second signal")
    exit(1)
  }

  // MARK: Tokens

  private static func read(tokens path: String, _ logger: Logger) throws(TokenFault) -> Tokens {
    let (tokens, isOpenToAll) = try Tokens.read(path)
    if isOpenToAll { logger.warning("every user of this machine can read the tokens", ["file": .text(path)]) }
    return tokens
  }

  private static func warnIfEmpty(_ tokens: Tokens, _ path: String, _ logger: Logger) {
    if tokens.count == 0 { logger.warning("the file has no tokens, so nobody can connect", ["file": .text(path)]) }
  }

  /// Reads the file of tokens and the keys again. Whichever can't be used stays in force as it was.
  private static func reread(
    _ configuration: Configuration,
    replacing credentials: inout Credentials,
    for hub: Hub,
    _ logger: Logger
  ) {
    func complain(_ field: String, _ path: String, _ fault: TokenFault) {
      logger.error(
        "the tokens can't be read; the old ones stay valid",
        [field: .text(path), "reason": .text(fault.words)],
        alike: .none
      )
    }
    var hasRead = false
    if let path = configuration.tokens {
      do throws(TokenFault) {
        let tokens = try read(tokens: path, logger)
        // An editor or a script may be in the middle of writing the file.
        if tokens.areFromNothing { throw TokenFault("the file is empty; leave a comment in it to let nobody in") }
        warnIfEmpty(tokens, path, logger)
        credentials.tokens = tokens
        hasRead = true
      } catch { complain("file", path, error) }
    }
    if let path = configuration.signingKeys {
      do throws(TokenFault) {
        let signed = try SignedTokens(keysAt: path, terms: configuration.tokenTerms)
        // A script may be in the middle of replacing the files.
        if signed.count == 0 { throw TokenFault("there are no keys; to end all signed tokens, put another key there") }
        credentials.signed = signed
        hasRead = true
      } catch { complain("keys", path, error) }
    }
    guard hasRead else { return }
    let read = credentials
    hub.loop.execute { hub.assumeIsolated { $0.take(read) } }
  }

  /// Opens the log and, for several nodes, its bus. A log that stores the secret for the actors' keys reports it when it
  /// is open. For a data directory, the secret is also in a file there.
  private static func openLog(
    _ configuration: Configuration,
    _ logger: Logger,
    for hub: Hub
  ) -> (log: any RoomLog, bus: (any Bus)?) {
    let sink: LogSink = { hub.logTold($0) }
    switch configuration.storage {
    case .memory: return (MemoryLog(retention: configuration.retention, sink: sink), nil)
    case .postgres(let url):
      do throws(StorageFault) {
        let retention = configuration.retention
        let log = try PostgresLog(url, retention: retention, heard: { hub.busTold($0) }, sink: sink)
        return (log, log)
      } catch {
        fail("\(error)")
      }
    case .directory(let directory):
      var options = SQLiteOptions()
      options.retention = configuration.retention
      options.secret = secret(in: directory, logger)
      do throws(StorageFault) {
        let log = try SQLiteLog(directory: directory, options: options, sink: sink)
        for path in log.openToAll {
          logger.warning("every user of this machine could read this file; that is taken away", ["file": .text(path)])
        }
        if options.secret == nil { write(log.secret, in: directory) }
        return (log, nil)
      } catch {
        fail("\(error)")
      }
    }
  }

  /// The address to listen on. Without tokens it is loopback, unless the operator has allowed other machines to
  /// connect.
  private static func host(_ configuration: Configuration, _ logger: Logger) -> String {
    let host = configuration.host
    let isLoopback = host == "localhost" || NetworkAddress(host)?.isLoopback == true
    guard !configuration.asksForTokens, !configuration.isOpen, !isLoopback else { return host }
    guard host == "0.0.0.0" || host == "::" else {
      StandardError.complain(
        "--host \(host): without --tokens everyone who reaches this address could read and erase all rooms; "
          + "give --tokens FILE, or --open"
      )
      exit(64)
    }
    logger.warning(
      "without tokens the server listens on loopback only; give --tokens FILE, or --open to let everyone in",
      ["host": .text(host)]
    )
    return "127.0.0.1"
  }

  /// Reads the locks from their file, so that rooms stay locked after a restart.
  private static func locks(_ configuration: Configuration) -> RoomLocks? {
    guard case .directory(let directory) = configuration.storage else { return nil }
    let path = directory + "/canvas.locks"
    do throws(StateFileFault) { return try RoomLocks(path: path) } catch { fail("\(path): \(error.words)") }
  }

  private static func audit(_ configuration: Configuration) -> AuditLog? {
    configuration.audit.map { path in
      do throws(AuditFault) { return try AuditLog(path: path) } catch {
        StandardError.complain("--audit \(path): \(error.words)")
        exit(64)
      }
    }
  }

  /// The secret from a file in the directory, which an operator or an earlier process has put there. The secret is
  /// stored in the database too, so that everyone stays the same actor when a copy of the database is used.
  private static func secret(in directory: String, _ logger: Logger) -> [UInt8]? {
    let path = directory + "/canvas.secret"
    do throws(StateFileFault) {
      guard let (keys, isOpenToOthers) = try ActorKeys.read(path) else { return nil }
      if isOpenToOthers { logger.warning("other users of this machine can read the secret", ["file": .text(path)]) }
      return keys.secret
    } catch {
      fail("\(path): \(error.words)")
    }
  }

  private static func write(_ secret: [UInt8], in directory: String) {
    let path = directory + "/canvas.secret"
    do throws(StateFileFault) { try ActorKeys.write(secret, to: path) } catch { fail("\(path): \(error.words)") }
  }

  /// The machine's host name, by which others on the network may reach it.
  private static func machineName() -> String {
    var room = [CChar](repeating: 0, count: 256)
    guard gethostname(&room, room.count - 1) == 0 else { return "localhost" }
    return room.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  private static func words(_ error: ListenError) -> String {
    switch error {
    case .portInUse(let host, let port): "port \(port) on \(host) is in use"
    case .noRight(let host, let port): "permission denied for port \(port) on \(host)"
    case .badHost(let host): "\(host) is not an address of this machine"
    case .failed(let number): "can't listen: \(String(cString: strerror(number)))"
    }
  }

  private static func fail(_ words: String) -> Never {
    StandardError.complain(words)
    exit(1)
  }

  // MARK: Signals

  /// - Parameter rereads: whether there are files to read again on SIGHUP. If there are none, SIGHUP ends the process,
  ///   as is usual when a terminal is closed. A service has no terminal, and `systemctl reload` must not end it.
  private static func signals(rereads: Bool) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    if rereads { sigaddset(&set, SIGHUP) }
    return set
  }

  private static func block(_ signals: sigset_t) {
    var set = signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // SIGPIPE is ignored. Otherwise the server would end when the reader of its standard error goes away.
    signal(SIGPIPE, SIG_IGN)
  }

  private static func waitForSignal(_ signals: sigset_t) -> Int32 {
    var set = signals
    var caught: Int32 = 0
    while sigwait(&set, &caught) != 0 {}
    return caught
  }
}
