import Testing

@testable import CanvasCRDT

@Suite("Digests of canvases that hardly differ")
struct DigestCollisionTests {
  private func digest(_ writes: (shape: Identifier, property: Property, at: Stamp)...) -> UInt64 {
    var sum: UInt64 = 0
    for write in writes {
      var hash = RegisterHash(shape: write.shape)
      hash.add(write.property, at: write.at)
      hash.finish()
      sum &+= hash.sum
    }
    return sum
  }

  @Test("M9: two registers of which the one or the other is a millisecond younger, or another's, have two digests")
  func swapped() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<20_000 {
      let (one, other) = (Identifier.random(using: &random), Identifier.random(using: &random))
      let (ann, bob) = (Identifier.random(using: &random), Identifier.random(using: &random))
      let milliseconds = UInt64.random(in: 1_763_650_000_000...1_763_750_000_000, using: &random)
      let first = Property.byBit[Int.random(in: 0..<6, using: &random)]
      let second = Property.byBit[Int.random(in: 0..<6, using: &random)]
      let older = Stamp(milliseconds: milliseconds, counter: 0, actor: ann)!
      let younger = Stamp(milliseconds: milliseconds + 1, counter: 0, actor: ann)!
      let foreign = Stamp(milliseconds: milliseconds, counter: 0, actor: bob)!
      #expect(
        digest((one, first, older), (other, second, younger)) != digest((one, first, younger), (other, second, older))
      )
      #expect(
        digest((one, first, older), (other, second, foreign)) != digest((one, first, foreign), (other, second, older))
      )
    }
  }

  @Test("M9: the number that the contract names")
  func example() {
    let stamp = Stamp("1763650000000.0.k3j-9x2-m1p")!
    #expect(digest((Identifier("afy-kw5-t7o")!, .kind, stamp)) == 0x5037_dcd7_0e23_6179)
  }
}
