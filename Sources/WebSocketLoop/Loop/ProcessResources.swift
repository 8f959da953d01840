internal import CWebSockets
import Glibc

/// The soft limit of open files. libwebsockets sizes its tables by this limit. If it is too small, connections are
/// refused. If it is a thousand million, as some container runtimes set it, libwebsockets would allocate gigabytes.
enum FileLimit {
  static let wanted: rlim_t = 65_536
  static let reasonable: rlim_t = 1_048_576

  /// The most open files that are not connections: the files of the log, of the page and of the loop itself.
  private static let othersMax = 128

  /// How many connections the limit of open files allows.
  static var connectionsMax: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return max(Int(clamping: limit.rlim_cur) - othersMax, Int(clamping: limit.rlim_cur) / 2)
  }

  static func prepare() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let target = min(max(limit.rlim_cur, min(wanted, limit.rlim_max)), reasonable)
    guard target != limit.rlim_cur else { return }
    limit.rlim_cur = target
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Returns free memory to the system after many connections have closed. Waves of connections leave glibc's heap full
/// of holes: 15 MB grew to 102 MB over ten waves of 2,000. Returning memory takes milliseconds, so it is not done for
/// each connection.
final class FreedMemory {
  private static let connectionsBetween = 1_000
  private var gone = 0
  private var timer: LoopTimer?

  func connectionWent(loop: EventLoop) {
    gone += 1
    guard gone >= Self.connectionsBetween, timer == nil else { return }
    timer = loop.schedule(afterMilliseconds: 1_000) { [self] in
      timer = nil
      gone = 0
      malloc_trim(0)
    }
  }
}

extension EventLoop {
  /// Returns free memory to the system, after something large was freed. Takes milliseconds.
  public static func returnFreedMemory() { malloc_trim(0) }
}
