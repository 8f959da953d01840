import Glibc
import RoomLog
import WebSocketLoop

/// The process: puts the parts together, and waits for the signal to take them apart.
enum Server {
  static func run(_ configuration: Configuration) -> Never {
    // Before there are threads, so that all of them leave the signals to `waitForSignal`.
    blockSignals()
    let logger = Logger(level: configuration.logLevel, format: configuration.logFormat)
    let files = StaticFiles(directory: configuration.web)
    if !files.isThere { logger.warning("the page's files are not there", ["web": .text(configuration.web)]) }
    let loop: EventLoop
    do {
      loop = try EventLoop(name: "hub") { level, line in
        switch level {
        case .error: logger.error(line, ["from": .text("libwebsockets")])
        case .warning: logger.warning(line, ["from": .text("libwebsockets")])
        }
      }
    } catch {
      fail("no event loop could be made: \(error)")
    }
    let hub = Hub(loop: loop, configuration: configuration, logger: logger, files: files)
    let log = openLog(configuration, sink: { hub.logTold($0) })
    do throws(ListenError) {
      let port = try loop.perform { () throws(ListenError) -> Int in
        // `assumeIsolated` would throw any error, and this is one of a listener.
        let started = hub.assumeIsolated { hub in Result { () throws(ListenError) in try hub.start(log: log) } }
        return try started.get()
      }
      logger.info(
        "listening on http://\(shown(configuration.host)):\(port)",
        ["port": .init(port), "data": .text(name(configuration.storage)), "version": .text(Configuration.version)]
      )
    } catch {
      log.close()
      fail(words(error))
    }
    waitForSignal()
    loop.execute { hub.assumeIsolated { $0.stop() } }
    // Told twice, it goes at once.
    waitForSignal()
    logger.warning("told twice to stop")
    exit(1)
  }

  private static func openLog(_ configuration: Configuration, sink: @escaping LogSink) -> any RoomLog {
    switch configuration.storage {
    case .memory: return MemoryLog(retention: configuration.retention, sink: sink)
    case .directory(let directory):
      var options = SQLiteOptions()
      options.retention = configuration.retention
      do throws(StorageFault) {
        return try SQLiteLog(directory: directory, options: options, sink: sink)
      } catch {
        fail("\(error)")
      }
    }
  }

  private static func name(_ storage: Configuration.Storage) -> String {
    switch storage {
    case .memory: "memory"
    case .directory(let directory): directory
    }
  }

  /// As it stands in a URL.
  private static func shown(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  private static func words(_ error: ListenError) -> String {
    switch error {
    case .portInUse(let host, let port): "port \(port) on \(host) is in use"
    case .noRight(let host, let port): "no right to listen on port \(port) of \(host)"
    case .badHost(let host): "\(host) is no address of this machine"
    case .failed(let number): "can't listen: \(String(cString: strerror(number)))"
    }
  }

  private static func fail(_ words: String) -> Never {
    Main.complain(words)
    exit(1)
  }

  // MARK: Signals

  private static func signals() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    return set
  }

  private static func blockSignals() {
    var set = signals()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A reader of our standard error that goes away is no reason to go too.
    signal(SIGPIPE, SIG_IGN)
  }

  private static func waitForSignal() {
    var set = signals()
    var caught: Int32 = 0
    while sigwait(&set, &caught) != 0 {}
  }
}
