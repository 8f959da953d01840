import Glibc
import Testing

/// Runs the program `log-crash-writer` as a child process.
final class CrashWriter {
  let process: pid_t
  private let input: Int32
  private let output: UnsafeMutablePointer<FILE>

  init(_ mode: String, directory: String) throws {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    // Keeps other tests from starting processes meanwhile. Such a process would inherit an end of this pipe and keep
    // the pipe open.
    CrashWriter.starting.lock()
    defer { CrashWriter.starting.unlock() }
    try #require(pipe(&toChild) == 0 && pipe(&fromChild) == 0)
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let path = try CrashWriter.path()
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(mode), strdup(directory), nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, nil, &arguments, environ)
    try #require(code == 0, "\(path) could not be started")
    close(toChild[0])
    close(fromChild[1])
    self.process = process
    input = toChild[1]
    output = try #require(fdopen(fromChild[0], "r"))
  }

  private struct Starting: @unchecked Sendable {
    // A mutex of the system, which is never freed.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
      return mutex
    }()
    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
  }

  private static let starting = Starting()

  deinit { fclose(output) }

  /// The path of the program, which is in the same folder as the test's executable.
  private static func path() throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    try #require(count > 0)
    let own = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let beside = own.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(beside)/log-crash-writer"
  }

  /// The next line of the program's output. `nil` at the end.
  func line() -> String? {
    var start: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(start) }
    let count = getline(&start, &capacity, output)
    guard count > 0, let start, start[count - 1] == 10 else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count - 1), as: UTF8.self)
  }

  func signal(_ number: Int32) { Glibc.kill(process, number) }

  /// Kills the program. Returns the lines that it had printed and that were not read yet.
  func kill() -> [String] {
    Glibc.kill(process, SIGKILL)
    return finish()
  }

  /// Closes the program's input, waits until it ends, and returns its remaining output.
  @discardableResult
  func finish() -> [String] {
    close(input)
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return lines
  }
}
