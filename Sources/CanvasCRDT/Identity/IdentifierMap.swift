// Sets and maps whose keys are identifiers. They replace the standard library's collections to keep the code small.
//
// The compiler specialises the standard collections for every type of value, which takes two kilobytes each time. They
// also hash arbitrary bytes. In this file, finding, inserting and removing are written once, for integers, and a map
// only adds an array of values.

/// A set of identifiers. Each has an index in 0 ..< count, its place. A new identifier gets the next place. When an
/// identifier is removed, the last one moves into its place.
public struct IdentifierSet: Sendable {
  public private(set) var members: [Identifier] = []

  /// A hash table with open addressing. An entry is 0 if it is free, otherwise the place of an identifier plus one. The
  /// table's length is a power of two, or 0.
  private var table: [UInt32] = []

  /// The seed of the hash. It is random because untrusted clients choose identifiers, and could otherwise choose ones
  /// that collide.
  private static let seed = UInt64.random(in: 0...UInt64.max) | 1

  private static let tableMin = 8

  public init() {}

  public init(_ identifiers: [Identifier]) {
    for identifier in identifiers { insert(identifier) }
  }

  public var count: Int { members.count }
  public var isEmpty: Bool { members.isEmpty }

  public func contains(_ identifier: Identifier) -> Bool { place(of: identifier) != nil }

  @inline(never)
  public func place(of identifier: Identifier) -> Int? {
    guard !table.isEmpty else { return nil }
    let entry = table[slot(of: identifier)]
    return entry == 0 ? nil : Int(entry) - 1
  }

  /// Adds an identifier. Returns its place, and whether it is new.
  @discardableResult
  @inline(never)
  public mutating func insert(_ identifier: Identifier) -> (place: Int, isNew: Bool) {
    // The table is at most two thirds full, so a search always ends at a free entry.
    if (members.count + 1) * 3 > table.count * 2 { resize(to: max(IdentifierSet.tableMin, table.count * 2)) }
    let slot = slot(of: identifier)
    if table[slot] != 0 { return (Int(table[slot]) - 1, false) }
    members.append(identifier)
    table[slot] = UInt32(members.count)
    return (members.count - 1, true)
  }

  /// Removes an identifier and returns its place, or `nil` if it was not in the set. The last identifier moves to this
  /// place.
  @discardableResult
  @inline(never)
  public mutating func remove(_ identifier: Identifier) -> Int? {
    guard !table.isEmpty else { return nil }
    var hole = slot(of: identifier)
    guard table[hole] != 0 else { return nil }
    let place = Int(table[hole]) - 1
    // Entries that were displaced by the removed entry move up. So the table needs no markers of removed entries.
    let mask = table.count - 1
    var next = (hole + 1) & mask
    while table[next] != 0 {
      let home = home(of: members[Int(table[next]) - 1])
      if (next &- home) & mask >= (next &- hole) & mask {
        table[hole] = table[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    table[hole] = 0
    let last = members.removeLast()
    if place < members.count {
      table[entrySlot(of: last, at: members.count)] = UInt32(place) + 1
      members[place] = last
    }
    return place
  }

  public mutating func removeAll() {
    self = IdentifierSet()
  }

  public mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
    var length = max(IdentifierSet.tableMin, table.count)
    while count * 3 > length * 2 { length *= 2 }
    if length > table.count { resize(to: length) }
  }

  /// The slot of an identifier's entry, or the free slot where it would be.
  private func slot(of identifier: Identifier) -> Int {
    let mask = table.count - 1
    var slot = home(of: identifier)
    while table[slot] != 0, members[Int(table[slot]) - 1] != identifier { slot = (slot + 1) & mask }
    return slot
  }

  /// The slot of the entry for `place`.
  private func entrySlot(of identifier: Identifier, at place: Int) -> Int {
    let mask = table.count - 1
    var slot = home(of: identifier)
    while table[slot] != UInt32(place) + 1 { slot = (slot + 1) & mask }
    return slot
  }

  private func home(of identifier: Identifier) -> Int {
    var mixed = identifier.packed &* IdentifierSet.seed
    mixed ^= mixed >> 29
    mixed = mixed &* 0xBF58_476D_1CE4_E5B9
    return Int(truncatingIfNeeded: mixed ^ (mixed >> 32)) & (table.count - 1)
  }

  private mutating func resize(to length: Int) {
    table = [UInt32](repeating: 0, count: length)
    for (place, member) in members.enumerated() { table[slot(of: member)] = UInt32(place) + 1 }
  }
}

/// A map from identifiers to values. Equal maps may have their keys in different orders.
public struct IdentifierMap<Value> {
  private var identifiers = IdentifierSet()
  /// The values, by the places of their identifiers.
  public private(set) var values: [Value] = []

  public init() {}

  /// The keys, in the order of the values.
  public var keys: [Identifier] { identifiers.members }
  public var count: Int { values.count }
  public var isEmpty: Bool { values.isEmpty }

  /// Whether there is a value for an identifier. The comparison `map[…] != nil` would copy the value.
  public func contains(_ identifier: Identifier) -> Bool { identifiers.contains(identifier) }

  public subscript(identifier: Identifier) -> Value? {
    get { identifiers.place(of: identifier).map { values[$0] } }
    set {
      if let newValue {
        let (place, isNew) = identifiers.insert(identifier)
        if isNew { values.append(newValue) } else { values[place] = newValue }
      } else {
        removeValue(forKey: identifier)
      }
    }
  }

  public subscript(identifier: Identifier, default standard: @autoclosure () -> Value) -> Value {
    get { self[identifier] ?? standard() }
    _modify {
      let (place, isNew) = identifiers.insert(identifier)
      if isNew { values.append(standard()) }
      yield &values[place]
    }
  }

  @discardableResult
  public mutating func removeValue(forKey identifier: Identifier) -> Value? {
    guard let place = identifiers.remove(identifier) else { return nil }
    let last = values.removeLast()
    guard place < values.count else { return last }
    let removed = values[place]
    values[place] = last
    return removed
  }

  public mutating func removeAll() {
    self = IdentifierMap()
  }

  public mutating func removeAll(atMost most: Int = .max, where isUnwanted: (Identifier, Value) -> Bool) {
    var unwanted: [Identifier] = []
    for (place, identifier) in keys.enumerated() where isUnwanted(identifier, values[place]) {
      unwanted.append(identifier)
      if unwanted.count == most { break }
    }
    for identifier in unwanted { removeValue(forKey: identifier) }
  }

  public mutating func reserveCapacity(_ count: Int) {
    identifiers.reserveCapacity(count)
    values.reserveCapacity(count)
  }
}

extension IdentifierMap: Sendable where Value: Sendable {}
