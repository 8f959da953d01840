/// Finds the `NameGroup` of a name.
///
/// Groups are found by a hash of the name. The hash is cut to the size of an identifier, so that `IdentifierMap` can be
/// used. Names with the same hash are stored in one list.
struct NameTable: Sendable {
  private struct Entry: Sendable {
    let name: Text
    var group: NameGroup
  }

  private var entries = IdentifierMap<[Entry]>()

  /// The seed of the hash. It is random because untrusted clients choose names, and could otherwise choose ones that
  /// collide.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  subscript(name: Text) -> NameGroup? {
    entries[NameTable.hash(name)]?.first { $0.name == name }?.group
  }

  /// Changes a group in place. A missing group is created empty, and a group that is empty afterwards is removed.
  mutating func change(_ name: Text, _ body: (inout NameGroup) -> Void) {
    let hash = NameTable.hash(name)
    let isOver = NameTable.change(name, among: &entries[hash, default: []], body)
    if isOver { entries[hash] = nil }
  }

  /// Sorts the numbers that groups can't use.
  mutating func sortNumbers() {
    for hash in entries.keys {
      for index in entries[hash, default: []].indices { entries[hash, default: []][index].group.sortNumbers() }
    }
  }

  /// Changes one of the groups whose names have the same hash. Returns whether none of these groups is left.
  private static func change(
    _ name: Text,
    among sharing: inout [Entry],
    _ body: (inout NameGroup) -> Void
  ) -> Bool {
    let index = sharing.firstIndex { $0.name == name } ?? sharing.count
    if index == sharing.count { sharing.append(Entry(name: name, group: NameGroup())) }
    body(&sharing[index].group)
    if sharing[index].group.isEmpty { sharing.remove(at: index) }
    return sharing.isEmpty
  }

  /// A hash of the name's bytes. It takes eight bytes at a time, and multiplies and folds them.
  private static func hash(_ name: Text) -> Identifier {
    name.withBytes { bytes in
      var hash = seed ^ UInt64(bytes.count)
      var word: UInt64 = 0
      for (index, byte) in bytes.enumerated() {
        word = word << 8 | UInt64(byte)
        if index & 7 == 7 || index == bytes.count - 1 {
          let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ seed)
          hash = product.high ^ product.low
          word = 0
        }
      }
      return Identifier(unchecked: hash % Identifier.packedLimit)
    }
  }
}
