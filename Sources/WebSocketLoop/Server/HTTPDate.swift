import Glibc

/// The current time in the form of HTTP's `Date` header. It is formatted at most once a second.
final class HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private unowned let loop: EventLoop
  private var madeAt: UInt64?
  private var latest = ""

  init(loop: EventLoop) { self.loop = loop }

  var text: String {
    if let madeAt, loop.now < madeAt + 1_000 { return latest }
    madeAt = loop.now
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let padded = { (value: Int32) in value < 10 ? "0\(value)" : "\(value)" }
    latest =
      "\(Self.days[Int(parts.tm_wday)]), \(padded(parts.tm_mday)) \(Self.months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1_900) \(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec)) GMT"
    return latest
  }
}
