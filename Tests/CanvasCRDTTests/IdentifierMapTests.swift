import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Maps of identifiers")
struct IdentifierMapTests {
  /// There are few identifiers, so each is inserted and removed many times.
  private static func identifiers(using generator: inout SeededGenerator) -> [Identifier] {
    (0..<60).map { _ in Identifier.random(using: &generator) }
  }

  @Test("a map holds what a dictionary would, whatever is inserted and removed", arguments: UInt64(1)...20)
  func likeADictionary(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let identifiers = IdentifierMapTests.identifiers(using: &generator)
    var map = IdentifierMap<Int>()
    var expected: [Identifier: Int] = [:]
    for step in 0..<2_000 {
      let identifier = identifiers.randomElement(using: &generator)!
      switch Int.random(in: 0..<5, using: &generator) {
      case 0...1:
        map[identifier] = step
        expected[identifier] = step
      case 2:
        map[identifier, default: step] += 1
        expected[identifier, default: step] += 1
      default: #expect(map.removeValue(forKey: identifier) == expected.removeValue(forKey: identifier))
      }
      #expect(map.count == expected.count)
      #expect(identifiers.allSatisfy { map[$0] == expected[$0] })
    }
    let doomed = Set(identifiers.prefix(30))
    map.removeAll { identifier, _ in doomed.contains(identifier) }
    expected = expected.filter { !doomed.contains($0.key) }
    #expect(Dictionary(uniqueKeysWithValues: zip(map.keys, map.values)) == expected)
    map.removeAll()
    #expect(map.isEmpty && identifiers.allSatisfy { map[$0] == nil })
  }

  @Test("a set gives out places without gaps, and holds many", arguments: UInt64(1)...3)
  func places(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var set = IdentifierSet()
    if seed > 1 { set.reserveCapacity(5_000) }
    let identifiers = (0..<10_000).map { _ in Identifier.random(using: &generator) }
    for identifier in identifiers { set.insert(identifier) }
    #expect(set.insert(identifiers[7]) == (place: 7, isNew: false))
    #expect(identifiers.enumerated().allSatisfy { set.place(of: $0.element) == $0.offset })
    for identifier in identifiers.prefix(9_990) { #expect(set.remove(identifier) != nil) }
    #expect(set.remove(identifiers[0]) == nil)
    #expect(Set(set.members) == Set(identifiers.suffix(10)))
    #expect(set.members.enumerated().allSatisfy { set.place(of: $0.element) == $0.offset })
  }
}
