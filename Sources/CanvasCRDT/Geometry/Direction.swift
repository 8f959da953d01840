/// The cosine and sine of an angle, as a unit vector.
///
/// They are computed here by IEEE addition, subtraction, multiplication, division and rounding only. The platforms' own
/// sines can differ in the last bit, and then replicas would disagree about which shapes overlap.
struct Direction: Hashable, Sendable {
  var cosine: Double
  var sine: Double

  @inlinable
  init(cosine: Double, sine: Double) {
    self.cosine = cosine
    self.sine = sine
  }

  /// Computes cosine and sine. They are accurate to about one unit in the last place, and exact at every multiple of 90
  /// degrees.
  init(degrees: Double) {
    // An angle beyond this bound has no meaningful direction, because its fraction of a full rotation is only rounding
    // noise. NaN has none either.
    guard degrees.magnitude <= 1e15 else {
      self.init(cosine: 1, sine: 0)
      return
    }
    // Adding and then subtracting 1.5·2⁵² rounds to a whole number by IEEE's rules, without a call to the platform's
    // `rint`.
    let quarters = (degrees / 90 + 6_755_399_441_055_744) - 6_755_399_441_055_744
    // This subtraction is exact. Both operands are multiples of one small unit: one degree, or the value of the angle's
    // last binary digit if that is smaller. And the result is no greater than the angle.
    let rest = degrees - quarters * 90
    let radians = Direction.radians(degrees: rest)
    let cosine = Direction.cosine(radians.value, radians.error)
    let sine = Direction.sine(radians.value, radians.error)
    switch Int64(quarters) & 3 {
    case 0: self.init(cosine: cosine, sine: sine)
    case 1: self.init(cosine: 0 - sine, sine: cosine)
    case 2: self.init(cosine: 0 - cosine, sine: 0 - sine)
    default: self.init(cosine: sine, sine: 0 - cosine)
    }
  }

  /// Converts an angle of at most 45 degrees to radians: the rounded value, and its rounding error.
  private static func radians(degrees: Double) -> (value: Double, error: Double) {
    let unit = 0.017453292519943295
    let unitError = 2.9486522708701687e-19
    let value = degrees * unit
    // The rounding error of the product. It is computed by splitting both factors into halves whose products are exact
    // (Dekker).
    let splitter = 134_217_729.0
    let unitHigh = splitter * unit - (splitter * unit - unit)
    let unitLow = unit - unitHigh
    let degreesHigh = splitter * degrees - (splitter * degrees - degrees)
    let degreesLow = degrees - degreesHigh
    let lost =
      ((degreesHigh * unitHigh - value) + degreesHigh * unitLow + degreesLow * unitHigh) + degreesLow * unitLow
    return (value, lost + degrees * unitError)
  }

  /// The sine by a minimax polynomial in odd powers, for angles between ±π/4. The coefficients come from Sun's msun, as
  /// in FreeBSD.
  private static func sine(_ value: Double, _ error: Double) -> Double {
    let square = value * value
    let cube = square * value
    let tail =
      8.33333333332248946124e-03
      + square
      * (-1.98412698298579493134e-04
        + square
        * (2.75573137070700676789e-06 + square * (-2.50507602534068634195e-08 + square * 1.58969099521155010221e-10)))
    return value - ((square * (0.5 * error - cube * tail) - error) - cube * -1.66666666666666324348e-01)
  }

  /// The cosine by a minimax polynomial in even powers.
  private static func cosine(_ value: Double, _ error: Double) -> Double {
    let square = value * value
    let tail =
      square
      * (4.16666666666666019037e-02
        + square
        * (-1.38888888888741095749e-03
          + square
          * (2.48015872894767294178e-05
            + square
            * (-2.75573143513906633035e-07 + square
              * (2.08757232129817482790e-09 + square * -1.13596475577881948265e-11)))))
    let half = 0.5 * square
    let whole = 1 - half
    return whole + (((1 - whole) - half) + (square * tail - value * error))
  }
}

extension Direction {
  /// Rotates a vector by this angle, clockwise on a canvas whose y grows downwards.
  @inlinable
  func turning(_ x: Double, _ y: Double) -> Point {
    Point(x: x * cosine - y * sine, y: x * sine + y * cosine)
  }

  /// Rotates a vector by this angle in the opposite direction.
  @inlinable
  func turningBack(_ x: Double, _ y: Double) -> Point {
    Point(x: x * cosine + y * sine, y: y * cosine - x * sine)
  }

  /// This angle minus another angle. If the two angles are equal, the result is exactly zero.
  @inlinable
  func relative(to other: Direction) -> Direction {
    if self == other { return Direction(cosine: 1, sine: 0) }
    return Direction(
      cosine: cosine * other.cosine + sine * other.sine,
      sine: sine * other.cosine - cosine * other.sine
    )
  }

  /// Whether upright rectangles stay upright when rotated by this angle.
  @inlinable var isQuarterTurn: Bool { sine == 0 || cosine == 0 }
}
