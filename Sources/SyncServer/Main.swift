import CommandWords
import Glibc

@main
enum Main {
  static func main() {
    // Only the server's own user can read the files that the server or a command writes.
    umask(0o077)
    let invocation: Invocation
    do throws(ConfigurationError) {
      invocation = try Invocation(arguments: Array(CommandLine.arguments.dropFirst()), environment: environment())
    } catch {
      StandardError.complain(error.words)
      exit(64)
    }
    switch invocation {
    case .help(let text): print(text)
    case .log(let command): exit(command.run())
    case .version: print("SyncServer \(Release.name)")
    case .serve(let configuration): Server.run(configuration)
    }
  }

  private static func environment() -> [String: String] {
    var values: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let halves = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2 { values[String(halves[0])] = String(halves[1]) }
      entry += 1
    }
    return values
  }
}
