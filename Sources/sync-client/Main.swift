import CommandWords
import Glibc

@main
enum Main {
  static func main() {
    // Signals are blocked before other threads start. Each new thread inherits the mask, so only the main thread gets
    // signals.
    Signals.block()
    StandardFiles.open()
    // The main thread does nothing else. While it waited for a token's file, no signal would end that. If it wrote a
    // notice that nobody reads, it would get the same signal as when nobody reads the output.
    let task = Task { @ClientLoop in await run() }
    Signals.wait(for: task, continued: TerminalGuard.comeBack)
  }

  /// Does what the command line says, and exits the process.
  @ClientLoop
  private static func run() async -> Never {
    let words = Array(CommandLine.arguments.dropFirst())
    let request: CommandLineRequest
    do throws(ClientFailure) {
      try checkWords()
      request = try CommandLineRequest(words, of: .all, environment: ProcessEnvironment.values)
    } catch {
      let isJSON = words.prefix { $0 != "--" }.contains("--json")
      Output(isJSON: isJSON).complain(error)
      exit(error.exitCode.rawValue)
    }
    switch request {
    case .help(let text):
      let output = Output()
      output.write(text)
      exit(ExitCode.success.rawValue)
    case .run(let command, let invocation):
      for complaint in Variables.complaints(about: invocation.environment.keys, own: Variables.client) {
        invocation.output.notice("unknown_variable", complaint)
      }
      await command.run(invocation)
    }
  }

  /// Fails if a word of the command line isn't UTF-8. It has been repaired, and may be the name of another file now.
  private static func checkWords() throws(ClientFailure) {
    for (index, word) in CommandLine.arguments.enumerated() {
      guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) != nil else {
        throw .usage("\(word): this is not UTF-8")
      }
    }
  }
}

extension Command {
  /// Runs the command, and exits the process with the command's exit code.
  @ClientLoop
  fileprivate func run(_ invocation: Invocation) async -> Never {
    let code: ExitCode
    do {
      code = try await body(invocation)
    } catch let failure as ClientFailure {
      invocation.output.complain(failure)
      code = failure.exitCode
    } catch is CancellationError {
      code = Signals.exitCode
    } catch {
      invocation.output.complain(.failed("\(error)"))
      code = .failed
    }
    exit(code.rawValue)
  }
}
