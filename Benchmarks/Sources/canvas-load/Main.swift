import Glibc
import WebSocketLoop

/// Puts load on a server, and prints the measurements as one line of JSON. `Benchmarks/server.py` makes a table of
/// these lines.
@main
enum Load {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    do {
      let flags = try Flags(arguments: Array(CommandLine.arguments.dropFirst()))
      let loop = try EventLoop(name: "load")
      loop.execute { start(flags, on: loop) }
      // The main thread only waits: the event loop's thread prints the results and ends the process.
      while true { sleep(3_600) }
    } catch let problem as Flags.Problem {
      complain(problem.words)
    } catch {
      complain("no event loop: \(error)")
    }
  }

  private static func start(_ flags: Flags, on loop: EventLoop) {
    switch flags.scenario {
    case .traffic: Traffic(flags, loop: loop).start()
    case .join: Joining(flags, loop: loop).start()
    case .idle: Idling(flags, loop: loop).start()
    case .crowd: Crowding(flags, loop: loop).start()
    case .return: Returning(flags, loop: loop).start()
    case .cursors: Showing(flags, loop: loop).start()
    case .relay: Relay(flags, loop: loop).start()
    }
  }

  static func finish(_ result: ResultLine) -> Never {
    put(result.text, to: STDOUT_FILENO)
    exit(0)
  }

  static func complain(_ words: String) -> Never {
    note(words)
    exit(1)
  }

  static func note(_ words: String) { put("canvas-load: \(words)", to: STDERR_FILENO) }

  static func put(_ line: String, to descriptor: Int32) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
