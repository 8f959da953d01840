import Basics

/// What clients have begun and not finished: requests, messages, answers that they don't read. If there are too many
/// entries, one is dropped: the oldest entry of an address that has more than an equal share, otherwise the oldest of
/// all.
///
/// So a client that begins much and finishes nothing loses its own entries. Entries that are finished soon are not
/// affected.
///
/// What always holds:
/// - An entry is in the queue of its party (the client's address) and in the queue of all entries. Both are in the
///   order in which the entries began.
/// - What is counted for a party is the sum of its entries.
struct Unfinished {
  /// What is scarce: space in the list of entries, or memory.
  enum Measure {
    case count
    case bytes
  }

  private struct Entry {
    let party: String
    let began: UInt64
    var bytes: Int
  }

  private struct Party {
    var count = 0
    var bytes = 0
    var queue = Queue()
  }

  /// The numbers of entries in the order in which they began. The number of an ended entry is removed only when it
  /// comes to the front.
  private struct Queue {
    private var numbers = Fifo<UInt64>()

    mutating func append(_ number: UInt64) { numbers.append(number) }

    /// The oldest entries that exist and pass the test, at most `most` of them.
    mutating func oldest(
      _ most: Int,
      except: UInt64?,
      _ isThere: (UInt64) -> Bool,
      _ isWanted: (UInt64) -> Bool
    ) -> [UInt64] {
      while let first = numbers.first, !isThere(first) { _ = numbers.popFirst() }
      var found: [UInt64] = []
      var place = 0
      // This `while` loop is short, because `compact` limits how many ended entries lie between two existing entries.
      while place < numbers.count, found.count < most {
        if numbers[place] != except, isThere(numbers[place]), isWanted(numbers[place]) { found.append(numbers[place]) }
        place += 1
      }
      return found
    }

    /// Keeps the memory in proportion to the number of existing entries.
    mutating func compact(there: Int, _ isThere: (UInt64) -> Bool) {
      guard numbers.count > 64, numbers.count > there * 4 else { return }
      numbers = Fifo(numbers.filter(isThere))
    }
  }

  /// How many of the oldest entries are checked to find one whose address has more than its share.
  private static let looksMax = 64
  /// An entry is evicted for a newer entry of its own address only after this time. Otherwise many users behind one
  /// address would lose requests that are about to be finished.
  private let graceMilliseconds: UInt64

  private var entries: [UInt64: Entry] = [:]
  private var parties: [String: Party] = [:]
  private var queue = Queue()
  private var lastNumber: UInt64 = 0
  private(set) var bytes = 0
  /// How many parties hold bytes.
  private var holders = 0
  var count: Int { entries.count }

  init(graceMilliseconds: UInt64) { self.graceMilliseconds = graceMilliseconds }

  /// - Returns: the entry's number.
  mutating func begin(party: String, bytes: Int = 0, now: UInt64) -> UInt64 {
    lastNumber += 1
    entries[lastNumber] = Entry(party: party, began: now, bytes: bytes)
    parties[party, default: Party()].count += 1
    parties[party]!.queue.append(lastNumber)
    queue.append(lastNumber)
    add(bytes, to: party)
    return lastNumber
  }

  mutating func resize(_ number: UInt64, bytes: Int) {
    guard let entry = entries[number] else { return }
    entries[number]!.bytes = bytes
    add(bytes - entry.bytes, to: entry.party)
  }

  private mutating func add(_ growth: Int, to party: String) {
    let before = parties[party]!.bytes
    parties[party]!.bytes = before + growth
    holders += (before + growth > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
    bytes += growth
  }

  mutating func end(_ number: UInt64) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    add(-entry.bytes, to: entry.party)
    var party = parties[entry.party]!
    parties[entry.party] = nil
    party.count -= 1
    let entries = entries
    if party.count > 0 {
      party.queue.compact(there: party.count) { entries[$0] != nil }
      parties[entry.party] = party
    }
    queue.compact(there: entries.count) { entries[$0] != nil }
  }

  /// The entry to drop so that `party` can have more.
  /// - Parameter except: an entry that must not be dropped.
  mutating func victim(_ measure: Measure, for party: String, except: UInt64? = nil, now: UInt64) -> UInt64? {
    let own = parties[party].map { share($0, measure) } ?? 0
    let all = measure == .count ? entries.count : bytes
    // The space is shared by all addresses that have some of it, and by this one, even if it has none yet. If this one
    // weren't counted, another address could keep everything.
    let sharers = (measure == .count ? parties.count : holders) + (own == 0 ? 1 : 0)
    let fair = max(1, own, all / sharers)
    let entries = entries
    let isThere = { (number: UInt64) in entries[number] != nil }
    // If memory is short, an entry without bytes is not dropped, because that would free nothing.
    let isWanted = { (number: UInt64) in measure == .count || entries[number].map { $0.bytes > 0 } == true }
    // An address that already has its share or more has to drop an entry of its own.
    if own * sharers >= all { return ofItsOwn(party, measure, except: except, now: now) }
    for number in queue.oldest(Self.looksMax, except: except, isThere, isWanted) {
      guard let entry = entries[number], let theirs = parties[entry.party] else { continue }
      if share(theirs, measure) > fair { return number }
    }
    guard let oldest = queue.oldest(1, except: except, isThere, isWanted).first, isOld(entries[oldest]!, now) else {
      return nil
    }
    return oldest
  }

  /// The oldest of an address's own entries.
  mutating func ofItsOwn(
    _ party: String,
    _ measure: Measure = .count,
    except: UInt64? = nil,
    now: UInt64
  ) -> UInt64? {
    let entries = entries
    let found = parties[party]?.queue.oldest(
      1,
      except: except,
      { entries[$0] != nil },
      { measure == .count || entries[$0].map { $0.bytes > 0 } == true }
    )
    guard let oldest = found?.first, isOld(entries[oldest]!, now) else { return nil }
    return oldest
  }

  private func share(_ party: Party, _ measure: Measure) -> Int { measure == .count ? party.count : party.bytes }

  private func isOld(_ entry: Entry, _ now: UInt64) -> Bool { now >= entry.began + graceMilliseconds }
}
