@testable import CanvasCRDT

/// What the server has promised to clients, and what clients have written and must find in the log.
struct Ledger {
  /// The stamps that the server acknowledged to their writers, and the stamps that it sent to others.
  var acknowledged: Set<Stamp> = []
  var seen: Set<Stamp> = []
  /// The last value that each party wrote to each register. The log must contain it, unless the simulation knows a
  /// reason why it can be missing.
  private var owed: [Int: [Register: (value: String, at: UInt64)]] = [:]
  /// For each tab, the other tabs that started from a copy of its stored edits. Those tabs can replace its values.
  private var doubles: [Int: [Int]] = [:]
  private var lastValue = 0
  /// The refusals that clients were sent.
  var refused: [(party: Int, at: Stamp, operation: ProposedOperation)] = []
  /// The stamps of operations that may be stored although they were refused (W7): the log had failed at them before, or
  /// their room was closed, or an earlier attempt was still on its way.
  var undecided: Set<Stamp> = []
  /// The operations of honest clients, by their stamps.
  var written: [Stamp: ProposedOperation] = [:]
  /// For each cursor that the server gave out, the hash of the log at that time.
  var cursors: [Text: UInt64] = [:]
  var hasForeignRecords = false
  /// Whether two tabs have ever continued as the same actor with copies of the same edits.
  private(set) var hasDoubles = false
  /// Stamps of operations that were deliberately removed from the log, or that were lost when a standby took over.
  private(set) var gone: Set<Stamp> = []
  /// For each log that was lost when a standby took over: the log's hash.
  var lostMarks: Set<UInt64> = []
  /// Whether the room has ever dropped erasures (tombstones).
  var hasForgotten = false
  /// The stamps of deletions that the room was seen to have forgotten.
  var forgotten: Set<Stamp> = []
  /// The keys (`Ledger.keys`) of the values that HTTP requests wrote: `promised` for accepted requests, `refusedKeys`
  /// for refused requests.
  var promised: Set<String> = []
  var refusedKeys: Set<String> = []
  /// The actors of those who write over HTTP without stamps.
  var stampedActors: Set<Identifier> = []

  struct Register: Hashable {
    let shape: Identifier
    let property: Property
  }

  /// A value that no operation has written before.
  mutating func newValue() -> Int {
    lastValue += 1
    return lastValue
  }

  mutating func owe(_ shape: Identifier, _ set: Properties, by party: Int, at time: UInt64) {
    for property in set.assigned {
      guard let words = Ledger.words(property, set) else { continue }
      let register = Register(shape: shape, property: property)
      owed[party, default: [:]][register] = (words, time)
      for other in doubles[party] ?? [] { owed[other]?[register] = nil }
    }
  }

  /// Remembers that both tabs start with the same edits. From now on, each tab can replace values of the other.
  mutating func double(_ party: Int, as other: Int) {
    hasDoubles = true
    doubles[party, default: []].append(other)
    doubles[other, default: []].append(party)
  }

  /// To be called when the party has replaced or given up these values, or was told whether they were stored. Then the
  /// log need not have them.
  mutating func settle(_ shape: Identifier, _ properties: PropertyMask, of party: Int) {
    for property in properties { owed[party]?[Register(shape: shape, property: property)] = nil }
    if properties.contains(.deleted) || properties.contains(.kind) { settle(shape, of: party) }
  }

  mutating func settle(_ shape: Identifier, of party: Int) {
    for property in PropertyMask.all { owed[party]?[Register(shape: shape, property: property)] = nil }
  }

  /// The log need not have what a party wrote at `time` or later, because the party's tab died, perhaps before these
  /// values were saved.
  mutating func settle(since time: UInt64, of party: Int) {
    guard let entries = owed[party] else { return }
    owed[party] = entries.filter { $0.value.at < time }
  }

  mutating func settleAll(of party: Int) { owed[party] = nil }

  /// Remembers that stored operations were lost.
  mutating func forgetStored(_ operations: [Operation]) {
    gone.formUnion(operations.map(\.at))
    var values: Set<String> = []
    for operation in operations { values.formUnion(Ledger.keys(operation.shape, operation.set)) }
    promised.subtract(values)
    for party in owed.keys {
      owed[party] = owed[party]?.filter { !values.contains(Ledger.key($0.key.shape, $0.key.property, $0.value.value)) }
    }
  }

  /// Remembers that these operations are in the log, even if they had been lost before.
  /// - Returns: whether any of them had been lost.
  @discardableResult
  mutating func areThere(_ records: some Sequence<Disk.Record>) -> Bool {
    let before = gone.count
    for record in records { for operation in record.taken { gone.remove(operation.at) } }
    return gone.count < before
  }

  /// Remembers that another copy of the log has taken its place, with these records. They are older than all refusals
  /// so far, such as those of a later room of the same name.
  mutating func areBack(_ records: [Disk.Record]) {
    areThere(records)
    let stamps = Set(records.flatMap(\.operations).map(\.at))
    refused.removeAll { stamps.contains($0.at) }
  }

  /// The values that should be stored and are not.
  func missing(from stored: Set<String>) -> [(party: Int, register: Register)] {
    var missing: [(party: Int, register: Register)] = []
    for (party, registers) in owed {
      for (register, entry) in registers {
        if !stored.contains(Ledger.key(register.shape, register.property, entry.value)) {
          missing.append((party, register))
        }
      }
    }
    return missing
  }

  /// The values that an operation writes, each as a string that is unique in this history.
  static func keys(_ shape: Identifier, _ set: Properties) -> [String] {
    set.assigned.compactMap { property in words(property, set).map { key(shape, property, $0) } }
  }

  private static func key(_ shape: Identifier, _ property: Property, _ value: String) -> String {
    "\(shape.packed) \(property.rawValue) \(value)"
  }

  /// `nil` unless the property's values are unique. Only such properties are tracked.
  private static func words(_ property: Property, _ set: Properties) -> String? {
    switch property {
    case .position: "\(set.position.x) \(set.position.y)"
    case .name: set.name.string
    default: nil
    }
  }
}
