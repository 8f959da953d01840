import Glibc
import Synchronization
import Testing

@testable import LogSupport
@testable import RoomLog

/// Runs histories of a log on a `LyingDisk`, and opens the log on what each power cut leaves.
struct DiskRuns {
  let directory: String

  /// The files after a power cut, with what is needed to check that the log opens correctly from them.
  struct Rest {
    fileprivate var image: LyingDisk.Image
    fileprivate var lock: [UInt8]
    fileprivate var ledger: DiskLedger
    fileprivate var lives: UInt32
  }

  /// Only the lock file of the directory is a real file. It is on a file system in memory, where syncing is cheap.
  init() {
    var template = Array("/dev/shm/room-log-XXXXXX".utf8CString)
    directory =
      mkdtemp(&template) == nil
      ? temporaryDirectory() : String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func finish() {
    unlink(lockPath)
    rmdir(directory)
  }

  private var lockPath: String { directory + "/canvas.lock" }
  private var lock: [UInt8] {
    SystemCalls.file(at: lockPath).flatMap { SystemCalls.read(lockPath, count: $0.bytes, at: 0) } ?? []
  }

  private func put(lock bytes: [UInt8]) {
    let descriptor = open(lockPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  private static let disks = Atomic<Int>(0)

  private func history(_ rest: Rest, seed: UInt64) -> DiskHistory {
    put(lock: rest.lock)
    let number = DiskRuns.disks.add(1, ordering: .relaxed).newValue
    let disk = LyingDisk(name: "lying-\(number)", seed: seed, image: rest.image)
    return DiskHistory(directory: directory, disk: disk, ledger: rest.ledger, lives: rest.lives)
  }

  private func rest(of history: DiskHistory, _ image: LyingDisk.Image) -> Rest {
    Rest(image: image, lock: lock, ledger: history.ledger, lives: history.lives)
  }

  /// The files with which each history starts. They contain two rooms.
  func beginning() throws -> Rest {
    let empty = Rest(image: [:], lock: [], ledger: DiskLedger(), lives: 0)
    let history = history(empty, seed: 1)
    defer { history.end() }
    let steps: [DiskHistory.Step] = [
      .reopen, .append(room: "a", count: 3, bytes: 100), .append(room: "b", count: 2, bytes: 3_000),
      .snapshot(room: "a"), .append(room: "a", count: 1, bytes: 10),
    ]
    for step in steps { try history.perform(step) }
    try history.close()
    return rest(of: history, history.disk.settled)
  }

  struct Outcome {
    /// What the files would be after power cuts: after certain steps, after the last step, and after the final
    /// recovery.
    var cuts: [Rest] = []
    var failures: [LyingDisk.Failure: Int] = [:]
    /// How many calls to the disk were made by the end of each step. The first step opens the log.
    var calls: [Int] = []
    var backUps = 0
    var repairs = 0

    var failureCount: Int { failures.values.reduce(0, +) }
  }

  /// Opens the log, carries out the steps, and lets the log recover.
  func run(
    _ steps: [DiskHistory.Step],
    from beginning: Rest,
    seed: UInt64,
    faults: [LyingDisk.Fault] = [],
    cutEvery: Int? = nil
  ) throws -> Outcome {
    let history = history(beginning, seed: seed)
    defer { history.end() }
    var outcome = Outcome()
    let disk = history.disk
    disk.faults = faults
    if let cutEvery {
      var changes = 0
      disk.beforeChange = {
        changes += 1
        if changes % cutEvery == 0 { outcome.cuts.append(rest(of: history, disk.cut())) }
      }
    }
    for step in [.reopen] + steps {
      try history.perform(step)
      outcome.calls.append(disk.callCount)
    }
    outcome.failures = disk.failures
    disk.beforeChange = {}
    outcome.cuts.append(rest(of: history, disk.cut()))
    try history.recover()
    outcome.cuts.append(rest(of: history, disk.cut()))
    outcome.backUps = history.backUps
    outcome.repairs = history.repairs
    return outcome
  }

  func start(on rest: Rest, seed: UInt64) throws {
    let history = history(rest, seed: seed)
    defer { history.end() }
    try history.start()
  }
}

/// Totals over many histories, with the messages of the first failures.
final class DiskTally {
  private(set) var cuts = 0
  private(set) var failures: [LyingDisk.Failure: Int] = [:]
  private(set) var backUps = 0
  private(set) var repairs = 0
  private var failed = 0

  func watch(_ place: @autoclosure () -> String, _ body: () throws -> Void) {
    do { try body() } catch {
      failed += 1
      if failed <= 4 { Issue.record("\(error): \(place())") }
    }
  }

  func add(_ outcome: DiskRuns.Outcome) {
    failures.merge(outcome.failures, uniquingKeysWith: +)
    backUps += outcome.backUps
    repairs += outcome.repairs
  }

  func addCut() { cuts += 1 }

  func end() { #expect(failed == 0, "histories failed") }
}
