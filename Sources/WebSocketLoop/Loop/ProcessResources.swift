internal import CWebSockets
import Glibc

/// libwebsockets sizes its tables by the soft limit of open files: too small a limit refuses connections, and a limit
/// of a thousand million, as some container runtimes set, would have it allocate gigabytes.
enum FileLimit {
  static let wanted: rlim_t = 65_536
  static let reasonable: rlim_t = 1_048_576

  static func prepare() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let target = min(max(limit.rlim_cur, min(wanted, limit.rlim_max)), reasonable)
    guard target != limit.rlim_cur else { return }
    limit.rlim_cur = target
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Waves of connections leave glibc's heap full of holes (15 MB grew to 102 MB over ten waves of 2,000); giving the
/// free pages back after many have gone holds it. It costs milliseconds, so it is not done for each.
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
  /// Gives free memory back to the system: for when something large was let go. Costs milliseconds.
  public static func returnFreedMemory() { malloc_trim(0) }
}
