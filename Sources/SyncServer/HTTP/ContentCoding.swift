/// How the body of an answer is written, other than plainly. The order is that of preference.
enum ContentCoding: String, CaseIterable {
  case brotli = "br"
  case gzip

  /// The one that a request likes best, by the qualities in its `Accept-Encoding`; nothing where it likes a plain body
  /// better, or takes nothing else.
  static func chosen(of codings: [ContentCoding] = allCases, by list: [String]) -> ContentCoding? {
    var qualities: [String: Int] = [:]
    for entry in list {
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let name = parts.first else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
      qualities[name == "x-gzip" ? "gzip" : name] = quality.map { thousandths($0.dropFirst(2)) } ?? 1_000
    }
    var best: ContentCoding?
    // Not named, a plain body is what is sent where nothing else can be.
    var bestQuality = max(1, qualities["identity"] ?? 1) - 1
    for coding in codings {
      let quality = qualities[coding.rawValue] ?? qualities["*"] ?? 0
      if quality > bestQuality { (best, bestQuality) = (coding, quality) }
    }
    return best
  }

  /// `0.25` is 250. What is no quality is none.
  private static func thousandths(_ text: Substring) -> Int {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard let whole = parts.first, whole == "0" || whole == "1", fraction.utf8.count <= 3,
      fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return 0 }
    let digits = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
    return whole == "1" ? 1_000 : Int(digits) ?? 0
  }

  /// Nothing where it would not be shorter, or by little.
  func compress(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    guard bytes.count >= bytesMin else { return nil }
    return switch self {
    case .brotli: Brotli.compress(bytes)
    case .gzip: Gzip.compress(bytes, level: level)
    }
  }

  /// What is made anew for each answer fits into a packet either way; a page is many short files.
  private var bytesMin: Int { self == .brotli ? 256 : 1_024 }
}
