@testable import CanvasCRDT

/// Everything that was promised to clients, and everything that clients have written and the log still has to show.
struct Ledger {
  /// The stamps that were acknowledged to their writers, and those that clients were sent from others.
  var acknowledged: Set<Stamp> = []
  var seen: Set<Stamp> = []
  /// By party and register: the value that the party wrote there last. The log has to show it, unless something excuses
  /// its absence.
  private var owed: [Int: [Register: (value: String, at: UInt64)]] = [:]
  /// By tab: the tabs that went on from the edits that this tab had stored. They may replace values that this tab
  /// wrote.
  private var doubles: [Int: [Int]] = [:]
  private var lastValue = 0
  /// The refusals that clients were sent.
  var refused: [(party: Int, at: Stamp, operation: ProposedOperation)] = []
  /// The operations of honest clients, by their stamps.
  var written: [Stamp: ProposedOperation] = [:]
  /// For each cursor that was given out, the mark of the log at that time.
  var cursors: [Text: UInt64] = [:]
  var hasForeignRecords = false
  /// Whether two tabs have ever gone on as the same actor, with the same edits under the same stamps.
  private(set) var hasDoubles = false
  /// Stamps of operations that were removed from the log on purpose, or that were only in a log which a standby has
  /// replaced.
  private(set) var gone: Set<Stamp> = []
  /// The marks that were only in a log which a standby has replaced.
  var lostMarks: Set<UInt64> = []
  /// Whether deletions were forgotten. The room then knows nothing of them any more.
  var hasForgotten = false
  /// Values of HTTP requests that were answered as stored, and of those that were refused.
  var promised: Set<String> = []
  var refusedKeys: Set<String> = []

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

  /// From now on, two tabs go on with the same edits. The tab that writes a register anew replaces what the other
  /// wrote.
  mutating func double(_ party: Int, as other: Int) {
    hasDoubles = true
    doubles[party, default: []].append(other)
    doubles[other, default: []].append(party)
  }

  /// The party's value is no longer looked for. Either the party has changed or given up the register itself, or it was
  /// told whether the value was stored.
  mutating func settle(_ shape: Identifier, _ properties: PropertyMask, of party: Int) {
    for property in properties { owed[party]?[Register(shape: shape, property: property)] = nil }
    if properties.contains(.deleted) || properties.contains(.kind) { settle(shape, of: party) }
  }

  mutating func settle(_ shape: Identifier, of party: Int) {
    for property in PropertyMask.all { owed[party]?[Register(shape: shape, property: property)] = nil }
  }

  /// The values of a party since a time are no longer looked for: its tab died, and may not have kept them.
  mutating func settle(since time: UInt64, of party: Int) {
    guard let entries = owed[party] else { return }
    owed[party] = entries.filter { $0.value.at < time }
  }

  mutating func settleAll(of party: Int) { owed[party] = nil }

  /// Operations that the log had are lost.
  mutating func forgetStored(_ operations: [Operation]) {
    gone.formUnion(operations.map(\.at))
    var values: Set<String> = []
    for operation in operations { values.formUnion(Ledger.keys(operation.shape, operation.set)) }
    promised.subtract(values)
    for party in owed.keys {
      owed[party] = owed[party]?.filter { !values.contains(Ledger.key($0.key.shape, $0.key.property, $0.value.value)) }
    }
  }

  /// Operations that were lost may come into the log again: somebody sends them again, or they are in a copy that is
  /// put back. If they come too late, no room takes them.
  /// - Returns: whether any of the operations was lost.
  @discardableResult
  mutating func areThere(_ records: some Sequence<Disk.Record>) -> Bool {
    let before = gone.count
    for record in records { for operation in record.taken { gone.remove(operation.at) } }
    return gone.count < before
  }

  /// The values that should have been stored and were not.
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

  /// The values that an operation writes, each as a text that no other value has.
  static func keys(_ shape: Identifier, _ set: Properties) -> [String] {
    set.assigned.compactMap { property in words(property, set).map { key(shape, property, $0) } }
  }

  private static func key(_ shape: Identifier, _ property: Property, _ value: String) -> String {
    "\(shape.packed) \(property.rawValue) \(value)"
  }

  /// Only properties whose values are never written twice are followed.
  private static func words(_ property: Property, _ set: Properties) -> String? {
    switch property {
    case .position: "\(set.position.x) \(set.position.y)"
    case .name: set.name.string
    default: nil
    }
  }
}
