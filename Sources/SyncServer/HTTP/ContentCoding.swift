/// The compressions for the bodies of answers, the preferred one first.
enum ContentCoding: String, CaseIterable {
  case brotli = "br"
  case gzip

  /// The coding that a request prefers, by the qualities in its `Accept-Encoding`. `nil` if the request prefers a plain
  /// body, or accepts none of `codings`.
  static func chosen(of codings: [ContentCoding] = allCases, by list: [String]) -> ContentCoding? {
    var qualities: [String: Int] = [:]
    for entry in list {
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let name = parts.first else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
      qualities[name == "x-gzip" ? "gzip" : name] = quality.map { thousandths($0.dropFirst(2)) } ?? 1_000
    }
    var best: ContentCoding?
    // `bestQuality` starts just below the quality of `identity` (a plain body), so that a coding of equal quality is
    // preferred. It starts at 0 if the header doesn't name `identity`.
    var bestQuality = max(1, qualities["identity"] ?? 1) - 1
    for coding in codings {
      let quality = qualities[coding.rawValue] ?? qualities["*"] ?? 0
      if quality > bestQuality { (best, bestQuality) = (coding, quality) }
    }
    return best
  }

  /// A quality in thousandths: `0.25` is 250. Text that is not a quality counts as 0.
  private static func thousandths(_ text: Substring) -> Int {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard let whole = parts.first, whole == "0" || whole == "1", fraction.utf8.count <= 3,
      fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return 0 }
    let digits = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
    return whole == "1" ? 1_000 : Int(digits) ?? 0
  }

  /// - Returns: `nil` if compressing would save too little.
  func compress(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    guard bytes.count >= bytesMin else { return nil }
    return switch self {
    case .brotli: Brotli.compress(bytes)
    case .gzip: Gzip.compress(bytes, level: level)
    }
  }

  /// The lower bound on the bytes that are worth compressing. A shorter answer fits into one packet, compressed or not.
  /// The bound for brotli is lower, because the page has many short files, and each is compressed only once.
  private var bytesMin: Int { self == .brotli ? 256 : 1_024 }
}
