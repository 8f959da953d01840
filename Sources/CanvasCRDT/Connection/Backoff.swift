/// Retry with jitter: pauses that grow with each try and are random. Otherwise clients that lost their connections
/// together would all come back at once.
public struct Backoff: Hashable, Sendable {
  static let firstMilliseconds: UInt64 = 250
  public static let millisecondsMax: UInt64 = 15_000

  /// The shortest pause, whatever the random number is.
  static let millisecondsMin: UInt64 = 20

  private(set) var tries: UInt64 = 0

  public init() {}

  /// Full jitter: a random pause up to a bound that doubles with each try.
  public mutating func next(
    upTo longest: UInt64 = Backoff.millisecondsMax,
    using generator: inout some RandomNumberGenerator
  ) -> UInt64 {
    // The shift stops at six, because six doublings of the first 250 ms already exceed the upper bound.
    let bound = min(longest, Backoff.firstMilliseconds << min(tries, 6))
    tries &+= 1
    return UInt64.random(in: Backoff.millisecondsMin...bound, using: &generator)
  }

  public mutating func reset() {
    tries = 0
  }
}

/// The SplitMix64 generator. All of a replica's randomness comes from one seed, which the host chooses at random.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
