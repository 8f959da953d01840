import Basics
import Glibc
import Synchronization

/// Reads standard input, one line for each call of `next`. So a program that writes faster has to wait.
///
/// A separate thread reads, because a read from a file or terminal may block at any time.
final class InputLines: Sendable {
  struct Line: Sendable {
    /// Counted from 1.
    let number: Int
    let bytes: [UInt8]
    /// Whether the line was too long. `bytes` is then only its beginning.
    let isCut: Bool
  }

  private struct State {
    var waiting: CheckedContinuation<Line?, Never>?
    var isOver = false
    /// Whether all lines were read.
    var hasEnded = false
    var failure: Int32?
  }

  private let state = Mutex(State())
  private let bytesMax: Int
  private nonisolated(unsafe) let wanted: UnsafeMutablePointer<sem_t>

  init(bytesMax: Int = 1 << 20) throws(ClientFailure) {
    self.bytesMax = bytesMax
    // The semaphore is never freed, because the thread might be blocked in a read forever.
    wanted = .allocate(capacity: 1)
    sem_init(wanted, 0, 0)
    do throws(SystemThread.Failure) {
      try SystemThread(handlesSignals: true) { self.readAll() }.detach()
    } catch {
      throw .failed("can't start a thread to read standard input: \(error)")
    }
  }

  /// The next line. `nil` at the end of the input, after a failure to read it, or when the task is cancelled.
  func next() async -> Line? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isOver || Task.isCancelled { return true }
          state.waiting = continuation
          return false
        }
        if isOver { continuation.resume(returning: nil) } else { sem_post(wanted) }
      }
    } onCancel: {
      give(nil)
    }
  }

  /// Ends the lines, as if the input had ended.
  func stop() { give(nil) }

  /// Whether all lines were read, and the input has ended.
  var hasEnded: Bool { state.withLock(\.hasEnded) }

  /// Why the input couldn't be read to its end. `nil` if it could.
  var failure: ClientFailure? {
    state.withLock { $0.failure }.map { .failed("standard input: \(String(cString: strerror($0)))") }
  }

  private func give(_ line: Line?) {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      if line == nil { state.isOver = true }
      return state.waiting
    }
    waiting?.resume(returning: line)
  }

  private func readAll() {
    var buffer: [UInt8] = []
    var start = 0
    var number = 0
    var hasEnded = false
    while true {
      while sem_wait(wanted) != 0 {}
      number += 1
      var searched = start
      var isCut = false
      while true {
        if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
          let bytes = Array(buffer[start..<min(end, start + bytesMax)])
          give(Line(number: number, bytes: bytes, isCut: isCut || end - start > bytesMax))
          start = end + 1
          break
        }
        if hasEnded {
          guard buffer.count > start else {
            state.withLock { $0.hasEnded = true }
            give(nil)
            return
          }
          // The last line counts even without a line break at its end.
          give(Line(number: number, bytes: Array(buffer[start...]), isCut: isCut))
          start = buffer.count
          break
        }
        if buffer.count - start > bytesMax {
          isCut = true
          buffer.removeSubrange((start + bytesMax)...)
        }
        if start > 1 << 16 {
          buffer.removeSubrange(..<start)
          start = 0
        }
        searched = buffer.count
        switch InputLines.readMore(into: &buffer) {
        case .some: break
        case .end: hasEnded = true
        case .failed(let failure):
          // The beginning of a line is not a line.
          state.withLock { $0.failure = failure }
          return stop()
        }
      }
    }
  }

  private enum Reading {
    case some
    case end
    /// With `errno`.
    case failed(Int32)
  }

  /// Reads more bytes into the buffer.
  private static func readMore(into buffer: inout [UInt8]) -> Reading {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
      while true {
        let count = read(STDIN_FILENO, room.baseAddress, room.count)
        if count > 0 { buffer += UnsafeRawBufferPointer(rebasing: room[..<count]) }
        if count >= 0 { return count > 0 ? .some : .end }
        switch errno {
        case EAGAIN: StandardFiles.isReady(STDIN_FILENO, for: POLLIN)
        case EINTR: break
        default: return .failed(errno)
        }
      }
    }
  }
}
