import Glibc

/// Past times as users type and read them.
enum TimeWords {
  /// Reads one of three forms: Unix milliseconds, a date, or a time before now. A date is `2026-11-20` or
  /// `2026-11-20T18:00`, also with seconds, in local time unless `Z` follows. A time before now is `10m` or `10m ago`.
  static func milliseconds(_ text: String, now: UInt64) -> UInt64? {
    if let number = UInt64(text) { return number }
    let length = text.hasSuffix(" ago") ? String(text.dropLast(4)) : text
    if let ago = Figures.milliseconds(length) { return now - min(ago, now) }
    return date(text)
  }

  private static func date(_ text: String) -> UInt64? {
    var digits = Substring(text)
    let isUTC = digits.hasSuffix("Z")
    if isUTC { digits = digits.dropLast() }
    let halves = digits.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    let day = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
    var clock: [Int32?] = [0, 0, 0]
    if halves.count == 2 { clock = halves[1].split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) } }
    if clock.count == 2 { clock.append(0) }
    guard day.count == 3, clock.count == 3, let year = day[0], let month = day[1], let date = day[2],
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(date),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    var parts = tm()
    parts.tm_year = year - 1_900
    parts.tm_mon = month - 1
    parts.tm_mday = date
    parts.tm_hour = hour
    parts.tm_min = minute
    parts.tm_sec = second
    parts.tm_isdst = -1
    let seconds = isUTC ? timegm(&parts) : mktime(&parts)
    // The C library would read 30 February as a day in March.
    guard seconds >= 0, parts.tm_mday == date else { return nil }
    return UInt64(seconds) * 1_000
  }

  /// A time in the local time zone, such as `2026-11-20 18:00:07`.
  static func shown(_ milliseconds: UInt64) -> String {
    let parts = local(milliseconds)
    return "\(Int(parts.tm_year) + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(clock(parts))"
  }

  /// `18:00:07`, local time.
  static func clock(_ milliseconds: UInt64) -> String { clock(local(milliseconds)) }

  private static func clock(_ parts: tm) -> String { "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))" }

  private static func local(_ milliseconds: UInt64) -> tm {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
