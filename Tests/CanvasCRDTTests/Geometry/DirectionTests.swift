import Foundation
import Testing

@testable import CanvasCRDT

@Suite("Sines and cosines")
struct DirectionTests {
  @Test("Quarter turns are exact, however many")
  func quarterTurns() {
    for turn in [0, 1, 2, 3, -1, -5, 400, 11_111, -11_110] {
      let direction = Direction(degrees: Double(turn) * 90)
      let expected = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][((turn % 4) + 4) % 4]
      #expect(direction.cosine == expected.0)
      #expect(direction.sine == expected.1)
    }
    #expect(Direction(degrees: 30).sine.distance(to: 0.5).magnitude < 1e-16)
  }

  @Test("They differ from the platform's by at most one unit in the last place")
  func accuracy() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let degrees = Double.random(in: -45...45, using: &generator)
      let direction = Direction(degrees: degrees)
      let radians = degrees * Double.pi / 180
      // `sin` and `cos` get radians that are already rounded. That can change their results by two units in the last
      // place.
      #expect(abs(direction.sine - sin(radians)) <= 3 * sin(radians).ulp)
      #expect(abs(direction.cosine - cos(radians)) <= 3 * cos(radians).ulp)
      let far = Direction(degrees: degrees + 360 * 2_048)
      #expect(abs(far.sine - direction.sine) < 1e-11)
    }
  }

  @Test("An angle that isn't a number counts as zero")
  func nonsense() {
    for degrees in [Double.nan, .infinity, -.infinity, 1e300] {
      #expect(Direction(degrees: degrees) == Direction(cosine: 1, sine: 0))
    }
  }

  @Test("Mirrored angles have mirrored values")
  func symmetry() {
    for degrees in stride(from: 0.0, through: 720, by: 0.37) {
      let direction = Direction(degrees: degrees)
      let mirrored = Direction(degrees: -degrees)
      #expect(direction.cosine == mirrored.cosine)
      #expect(direction.sine == 0 - mirrored.sine)
    }
  }
}
