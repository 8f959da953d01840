import Basics
import Foundation
import Synchronization
import Testing

@Suite("What is asked of the system") struct SystemTests {
  @Test("a path is told without links, dots and slashes too many, and only where something is")
  func paths() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/paths-\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "inner")
    try FileManager.default.createSymbolicLink(atPath: folder + "/nowhere", withDestinationPath: "gone")
    let inner = try #require(resolvedPath(folder + "/inner"))
    #expect(inner.hasPrefix("/") && inner.hasSuffix("/inner"))
    for other in ["/link", "/inner/", "/./inner/../link", "//inner"] { #expect(resolvedPath(folder + other) == inner) }
    for missing in ["/nowhere", "/gone", "/inner/gone", "/inner/../../gone"] {
      #expect(resolvedPath(folder + missing) == nil)
    }
    #expect(resolvedPath("") == nil)
  }

  @Test("the steady clock tells one time in three units, and the other clock is Unix time")
  func clocks() {
    let before = SteadyClock.nanoseconds()
    let (microseconds, milliseconds) = (SteadyClock.microseconds(), SteadyClock.milliseconds())
    let after = SteadyClock.nanoseconds()
    #expect(before / 1_000 <= microseconds && microseconds <= after / 1_000)
    #expect(before / 1_000_000 <= milliseconds && milliseconds <= after / 1_000_000)
    let seconds = UInt64(time(nil))
    let now = WallClock.milliseconds()
    // `time` may tell a second that ended some milliseconds ago.
    #expect(now + 1_000 >= seconds * 1_000 && now / 1_000 <= UInt64(time(nil)) + 1)
  }

  /// Notes what threads find out about themselves.
  private final class Notes: Sendable {
    let isBlocked = Mutex<[Bool]>([])
    let worked = Mutex<UInt64>(0)

    /// Whether this thread leaves a signal to other threads.
    func noteSignals() {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      isBlocked.withLock { $0.append(sigismember(&mask, SIGUSR2) == 1) }
    }
  }

  @Test("a thread leaves signals to others unless it is to handle them, and the one that starts it goes on as before")
  func signals() throws {
    let notes = Notes()
    // A test runs in a thread that leaves signals to others, so a thread that doesn't starts the two.
    try SystemThread {
      var signal = sigset_t()
      sigaddset(&signal, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &signal, nil)
      for handlesSignals in [false, true] {
        let thread = try? SystemThread(handlesSignals: handlesSignals) { notes.noteSignals() }
        thread?.join()
        notes.noteSignals()
      }
    }.join()
    #expect(notes.isBlocked.withLock { $0 } == [true, false, false, false])
  }

  @Test("processor time is that of the thread which asks, and not of the whole process")
  func processorTime() throws {
    let notes = Notes()
    let began = SteadyClock.microseconds()
    try SystemThread {
      let first = ProcessorClock.microseconds()
      while ProcessorClock.microseconds() == first {}
      notes.worked.withLock { $0 = ProcessorClock.microseconds() }
    }.join()
    let worked = notes.worked.withLock { $0 }
    // The clocks round by themselves.
    #expect(worked > 0 && worked <= SteadyClock.microseconds() - began + 10)
  }
}
