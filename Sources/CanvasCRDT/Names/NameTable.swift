/// Name groups by name.
///
/// Names are found by a hash of their bytes, cut to the size of an identifier, so that the tables of identifiers can be
/// used for names too. The few names that share a hash are stored together.
struct NameTable: Sendable {
  private struct Entry: Sendable {
    let name: Text
    var group: NameGroup
  }

  private var entries = IdentifierMap<[Entry]>()

  /// Names come from outside, so a random seed decides which of them share a hash.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  subscript(name: Text) -> NameGroup? {
    entries[NameTable.hash(name)]?.first { $0.name == name }?.group
  }

  /// Changes a group in place. A missing group starts empty; a group that ends empty is removed.
  mutating func change(_ name: Text, _ body: (inout NameGroup) -> Void) {
    let hash = NameTable.hash(name)
    let isOver = NameTable.change(name, among: &entries[hash, default: []], body)
    if isOver { entries[hash] = nil }
  }

  /// Returns whether no group is left.
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

  /// Multiplies and folds eight bytes at a time.
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
