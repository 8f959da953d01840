@testable import sync_client

/// What a command is given that somebody runs by these words.
func invocation(_ words: [String], _ environment: [String: String] = [:]) throws -> Invocation {
  guard case .run(_, let invocation) = try CommandLineRequest(words, of: .all, environment: environment) else {
    throw ClientFailure.failed("it is no command")
  }
  return invocation
}
