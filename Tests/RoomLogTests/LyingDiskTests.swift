import Glibc
import Synchronization
import TestSupport
import Testing

@testable import RoomLog

@Suite("A log on a disk that lies", .serialized, .timeLimit(.minutes(5)))
struct LyingDiskTests {
  private let directory: String

  /// The file in which the directory is locked is the only one that isn't on the disk that lies. In memory its syncs cost nothing.
  init() {
    var template = Array("/dev/shm/room-log-XXXXXX".utf8CString)
    directory =
      mkdtemp(&template) == nil
      ? temporaryDirectory() : String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func finish() {
    unlink(lockPath)
    rmdir(directory)
  }

  #if DEBUG
    /// Without optimisation a history takes ten times as long.
    private static let share = 20
  #else
    private static let share = 1
  #endif

  // MARK: Where a history begins

  /// All that is left when the power is cut.
  private struct Rest {
    var image: LyingDisk.Image
    var lock: [UInt8]
    var ledger: DiskLedger
    var lives: UInt32
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
    let number = LyingDiskTests.disks.add(1, ordering: .relaxed).newValue
    let disk = LyingDisk(name: "lying-\(number)", seed: seed, image: rest.image)
    return DiskHistory(directory: directory, disk: disk, ledger: rest.ledger, lives: rest.lives)
  }

  private func rest(of history: DiskHistory, _ image: LyingDisk.Image) -> Rest {
    Rest(image: image, lock: lock, ledger: history.ledger, lives: history.lives)
  }

  /// Two rooms that have been there for a while.
  private func beginning() throws -> Rest {
    let empty = Rest(image: [:], lock: [], ledger: DiskLedger(), lives: 0)
    let history = history(empty, seed: 1)
    defer { history.end() }
    let steps: [DiskHistory.Step] = [
      .reopen, .append(room: "a", count: 3, bytes: 100), .append(room: "b", count: 2, bytes: 3_000),
      .snapshot(room: "a"), .append(room: "a", count: 1, bytes: 10),
    ]
    for step in steps { try history.perform(step) }
    history.close()
    return rest(of: history, history.disk.settled)
  }

  private static func story(seed: UInt64, steps: Int) -> [DiskHistory.Step] {
    var random = SeededGenerator(seed: seed)
    let rooms = ["a", "b", "c"]
    return (0..<steps).map { _ in
      let room = rooms[Int.random(in: 0..<3, using: &random)]
      return switch Int.random(in: 0..<24, using: &random) {
      case 0..<8:
        .append(
          room: room,
          count: UInt32.random(in: 1...3, using: &random),
          bytes: [10, 200, 5_000, 20_000][Int.random(in: 0..<4, using: &random)]
        )
      case 8..<11: .snapshot(room: room)
      case 11: .damageSnapshot(room: room)
      case 12: .trim(room: room)
      case 13: .retain
      case 14: .delete(room: room)
      case 15: .look(room: room)
      case 16: .beginReading
      case 17: .endReading
      case 18: .reopen
      case 19: .kill
      case 20: .heal
      default: .turn
      }
    }
  }

  // MARK: Running

  /// Runs a history, and collects what a power cut at each moment would leave.
  private func run(
    _ steps: [DiskHistory.Step],
    from beginning: Rest,
    seed: UInt64,
    faults: [LyingDisk.Fault] = [],
    cutEvery: Int? = nil
  ) throws -> (cuts: [Rest], faults: Int, calls: Int) {
    let history = history(beginning, seed: seed)
    defer { history.end() }
    var cuts: [Rest] = []
    let disk = history.disk
    disk.faults = faults
    if let cutEvery {
      var changes = 0
      disk.beforeChange = {
        changes += 1
        if changes % cutEvery == 0 { cuts.append(rest(of: history, disk.cut())) }
      }
    }
    for step in [.reopen] + steps { try history.perform(step) }
    let (happened, calls) = (disk.faultCount, disk.callCount)
    disk.beforeChange = {}
    // Once at the end, and once when all works again and everyone has been told.
    cuts.append(rest(of: history, disk.cut()))
    try history.recover()
    cuts.append(rest(of: history, disk.cut()))
    return (cuts, happened, calls)
  }

  private func start(on rest: Rest, seed: UInt64) throws {
    let history = history(rest, seed: seed)
    defer { history.end() }
    try history.start()
  }

  /// Failures of many histories. Only the first are told.
  private final class Failures {
    private var count = 0

    func watch(_ place: @autoclosure () -> String, _ body: () throws -> Void) {
      do { try body() } catch {
        count += 1
        if count <= 4 { Issue.record("\(error): \(place())") }
      }
    }

    func end() { #expect(count == 0, "histories failed") }
  }

  @Test("whenever the power is cut, what was acknowledged is there, and it goes on")
  func cuts() throws {
    defer { finish() }
    let beginning = try beginning()
    var count = 0
    let failures = Failures()
    for seed in 1...UInt64(20 / LyingDiskTests.share) {
      let steps = LyingDiskTests.story(seed: seed, steps: 16)
      failures.watch("seed \(seed), \(steps)") {
        for (index, rest) in try run(steps, from: beginning, seed: seed, cutEvery: 1).cuts.enumerated() {
          count += 1
          failures.watch("seed \(seed), cut \(index), \(steps)") { try start(on: rest, seed: seed) }
        }
      }
    }
    failures.end()
    #expect(count > 3_000 / LyingDiskTests.share)
  }

  @Test("each call to the disk fails in turn, once and from then on")
  func everyFailure() throws {
    defer { finish() }
    let beginning = try beginning()
    let failures = Failures()
    let steps = LyingDiskTests.story(seed: 1, steps: 16)
    let calls = try run(steps, from: beginning, seed: 1).calls
    for number in stride(from: 1, through: calls, by: LyingDiskTests.share) {
      for lasts in [false, true] {
        let fault = LyingDisk.Fault(number: number, code: number % 2, lasts: lasts)
        failures.watch("\(fault), \(steps)") {
          let (cuts, happened, _) = try run(steps, from: beginning, seed: 1, faults: [fault])
          if happened == 0 { throw DiskLedger.Failure("the fault didn't happen") }
          for rest in cuts { try start(on: rest, seed: 1) }
        }
      }
    }
    failures.end()
  }

  /// A snapshot is written with commits that aren't synced. What follows it in the write-ahead log counts only if it is there.
  @Test("each sync fails once while another program reads, and the power is cut at any moment after that")
  func everySync() throws {
    defer { finish() }
    let beginning = try beginning()
    let failures = Failures()
    let steps: [DiskHistory.Step] = [
      .append(room: "b", count: 1, bytes: 200), .beginReading, .snapshot(room: "b"),
      .append(room: "a", count: 2, bytes: 5_000), .turn, .turn, .append(room: "a", count: 1, bytes: 10),
      .append(room: "c", count: 1, bytes: 10), .kill, .append(room: "c", count: 2, bytes: 10), .reopen,
      .append(room: "a", count: 1, bytes: 10),
    ]
    var count = 0
    for number in stride(from: 1, through: 40, by: LyingDiskTests.share) {
      let fault = LyingDisk.Fault(number: number, kind: .sync)
      failures.watch("sync \(number)") {
        let (cuts, happened, _) = try run(steps, from: beginning, seed: 1, faults: [fault], cutEvery: 2)
        if happened == 0 { return }
        for (index, rest) in cuts.enumerated() {
          count += 1
          failures.watch("sync \(number), cut \(index)") { try start(on: rest, seed: UInt64(index)) }
        }
      }
    }
    failures.end()
    #expect(count > 800 / LyingDiskTests.share)
  }

  @Test("calls to the disk fail at random, one, two or three of them, and the power is cut at random too")
  func randomFailures() throws {
    defer { finish() }
    let beginning = try beginning()
    let failures = Failures()
    var count = 0
    for seed in 1...UInt64(600 / LyingDiskTests.share) {
      var random = SeededGenerator(seed: seed)
      let steps = LyingDiskTests.story(seed: seed, steps: 24)
      let faults =
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          LyingDisk.Fault(
            number: Int.random(in: 1...400, using: &random),
            code: Int.random(in: 0..<2, using: &random),
            lasts: Int.random(in: 0..<3, using: &random) == 0
          )
        }
        + (Bool.random(using: &random)
          ? [LyingDisk.Fault(number: Int.random(in: 1...30, using: &random), kind: .sync)] : [])
      failures.watch("seed \(seed), \(faults), \(steps)") {
        for (index, rest) in try run(steps, from: beginning, seed: seed, faults: faults, cutEvery: 100).cuts
          .enumerated()
        {
          count += 1
          failures.watch("seed \(seed), cut \(index), \(faults), \(steps)") { try start(on: rest, seed: seed) }
        }
      }
    }
    failures.end()
    #expect(count > 2_000 / LyingDiskTests.share)
  }
}
