/// Name groups, found by their names.
///
/// A name is found by a hash of its bytes. The hash is cut to the size of an identifier, so that the tables made for
/// identifiers can be used for names too. The few names that share a hash are stored together.
struct NameTable: Sendable {
  private struct Entry: Sendable {
    let name: Text
    var group: NameGroup
  }

  private var entries = IdentifierMap<[Entry]>()

  /// Decides which names share a hash. It is random because names come from outside, and somebody could otherwise
  /// choose names with the same hash.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  subscript(name: Text) -> NameGroup? {
    entries[NameTable.hash(name)]?.first { $0.name == name }?.group
  }

  /// Changes a group in place. If there is no group of this name, it starts empty. A group that is empty after the
  /// change is removed.
  mutating func change(_ name: Text, _ body: (inout NameGroup) -> Void) {
    let hash = NameTable.hash(name)
    let isOver = NameTable.change(name, among: &entries[hash, default: []], body)
    if isOver { entries[hash] = nil }
  }

  /// Changes a group among the groups that share a hash. Returns whether no group with this hash is left.
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

  /// A hash of the name's bytes, computed by multiplying and folding eight bytes at a time.
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
