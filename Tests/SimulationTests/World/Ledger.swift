@testable import CanvasCRDT

/// All promises to clients, and everything that clients still have to find in the log.
struct Ledger {
  /// The stamps that somebody was told are durable, and those that somebody was shown of others.
  var acknowledged: Set<Stamp> = []
  var seen: Set<Stamp> = []
  /// By party and register, the value that it wrote there last and that nothing has explained away.
  private var owed: [Int: [Register: (value: String, at: UInt64)]] = [:]
  /// Tabs that went on from what another had kept, by that other: they may replace what it owes.
  private var doubles: [Int: [Int]] = [:]
  private var lastValue = 0
  /// The refusals that clients were told of.
  var refused: [(party: Int, at: Stamp, operation: ProposedOperation)] = []
  /// The operations of honest clients, by their stamps.
  var written: [Stamp: ProposedOperation] = [:]
  /// For each cursor that was given out, how much the log had by then.
  var cursors: [Text: UInt64] = [:]
  var hasForeignRecords = false
  /// Whether two tabs have ever gone on as one actor, with the same edits under the same stamps.
  private(set) var hasDoubles = false
  /// Stamps that were taken out of the log on purpose, or were only in a log that a standby has replaced.
  private(set) var gone: Set<Stamp> = []
  /// The marks of what only such a log had.
  var lostMarks: Set<UInt64> = []
  /// Whether deletions were forgotten, of which the room then knows nothing any more.
  var hasForgotten = false
  /// Values that a request was told are durable, and such that one was told are not.
  var promised: Set<String> = []
  var refusedKeys: Set<String> = []

  struct Register: Hashable {
    let shape: Identifier
    let property: Property
  }

  /// A value that nobody has written before.
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

  /// From now on two tabs go on with the same edits. Whichever writes a register anew replaces what the other wrote.
  mutating func double(_ party: Int, as other: Int) {
    hasDoubles = true
    doubles[party, default: []].append(other)
    doubles[other, default: []].append(party)
  }

  /// The party has changed or given up a register itself, or was told what became of it.
  mutating func settle(_ shape: Identifier, _ properties: PropertyMask, of party: Int) {
    for property in properties { owed[party]?[Register(shape: shape, property: property)] = nil }
    if properties.contains(.deleted) || properties.contains(.kind) { settle(shape, of: party) }
  }

  mutating func settle(_ shape: Identifier, of party: Int) {
    for property in PropertyMask.all { owed[party]?[Register(shape: shape, property: property)] = nil }
  }

  /// A tab died, and what it had not kept may be gone.
  mutating func settle(since time: UInt64, of party: Int) {
    guard let entries = owed[party] else { return }
    owed[party] = entries.filter { $0.value.at < time }
  }

  mutating func settleAll(of party: Int) { owed[party] = nil }

  /// Stored operations of the log are gone.
  mutating func forgetStored(_ operations: [Operation]) {
    gone.formUnion(operations.map(\.at))
    var values: Set<String> = []
    for operation in operations { values.formUnion(Ledger.keys(operation.shape, operation.set)) }
    promised.subtract(values)
    for party in owed.keys {
      owed[party] = owed[party]?.filter { !values.contains(Ledger.key($0.key.shape, $0.key.property, $0.value.value)) }
    }
  }

  /// What was taken out of the log may come into it again: somebody sends it again, or a copy that is put back has it. Where it comes
  /// too late, nobody takes it.
  /// - Returns: whether any of it was gone.
  @discardableResult
  mutating func areThere(_ records: some Sequence<Disk.Record>) -> Bool {
    let before = gone.count
    for record in records { for operation in record.taken { gone.remove(operation.at) } }
    return gone.count < before
  }

  /// Values that are owed and were never stored.
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

  /// The values that an operation writes, each by a key that no other has.
  static func keys(_ shape: Identifier, _ set: Properties) -> [String] {
    set.assigned.compactMap { property in words(property, set).map { key(shape, property, $0) } }
  }

  private static func key(_ shape: Identifier, _ property: Property, _ value: String) -> String {
    "\(shape.packed) \(property.rawValue) \(value)"
  }

  /// Only values that are written once are followed.
  private static func words(_ property: Property, _ set: Properties) -> String? {
    switch property {
    case .position: "\(set.position.x) \(set.position.y)"
    case .name: set.name.string
    default: nil
    }
  }
}
