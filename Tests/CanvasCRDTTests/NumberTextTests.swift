import Testing

@testable import CanvasCRDT

@Suite("Numbers as text")
struct NumberTextTests {
  private func printed(_ value: Double) -> String {
    String(unsafeUninitializedCapacity: NumberText.lengthMax) {
      NumberText.write(value, to: UnsafeMutableRawBufferPointer($0))
    }
  }

  private func parsed(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { NumberText.parse(UnsafeRawBufferPointer($0)) }
  }

  @Test(
    "J5: a number is printed as ECMAScript prints it",
    arguments: [
      (0, "0"), (-0.0, "0"), (45, "45"), (-1, "-1"), (0.1, "0.1"), (-0.5, "-0.5"), (4.35, "4.35"), (100.125, "100.125"),
      (0.001, "0.001"), (0.0005, "0.0005"), (0.000001, "0.000001"), (0.00000123, "0.00000123"), (1e-7, "1e-7"),
      (1.5e-7, "1.5e-7"), (-1.5e-7, "-1.5e-7"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.5e21, "1.5e+21"),
      (1.2345678901234568e20, "123456789012345680000"), (9_007_199_254_740_991, "9007199254740991"),
      (9_007_199_254_740_994, "9007199254740994"), (18_014_398_509_481_984, "18014398509481984"),
      (.leastNonzeroMagnitude, "5e-324"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (999_999_999_999.999, "999999999999.999"),
      (1_000_000_000_000.001, "1000000000000.001"), (0.1 + 0.2, "0.30000000000000004"),
      (-0.0000012345678901234567, "-0.0000012345678901234567"), (.infinity, "null"), (-.infinity, "null"),
      (.nan, "null"),
    ] as [(Double, String)]
  )
  func printing(value: Double, text: String) {
    #expect(printed(value) == text)
    var writer = ByteWriter()
    writer.appendNumber(value)
    #expect(writer.bytes == Array(text.utf8))
  }

  @Test("whole numbers up to the last of 64 bits are printed digit by digit")
  func integers() {
    var generator = SeededGenerator(seed: 5)
    let values = [0, 9, 10, 99, 100, UInt64.max] + (0..<2_000).map { _ in generator.next() >> (generator.next() % 64) }
    for value in values {
      var writer = ByteWriter()
      writer.appendNumber(value)
      #expect(writer.bytes == Array(String(value).utf8))
    }
  }

  @Test("a printed number reads back as the same bits, and is no longer than necessary")
  func roundTrip() {
    var generator = SeededGenerator(seed: 6)
    for round in 0..<20_000 {
      let value: Double
      switch round % 4 {
      case 0: value = Double(bitPattern: generator.next())
      case 1: value = (Double.random(in: -1e7...1e7, using: &generator) * 1_000).rounded() / 1_000
      case 2: value = Double.random(in: -1e7...1e7, using: &generator)
      default: value = Double.random(in: -1...1, using: &generator) * 1e-5
      }
      guard value.isFinite, value != 0 else { continue }
      let text = printed(value)
      #expect(parsed(text)?.bitPattern == value.bitPattern, "\(value) as \(text)")
      let digits = { (text: String) in
        text.prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }.reversed().drop { $0 == "0" }.count
      }
      #expect(digits(text) == digits(value.description), "\(value) as \(text)")
    }
  }

  @Test(
    "only text in JSON's grammar is a number",
    arguments: [
      "", "-", "+1", ".5", "5.", "-.5", "01", "00", "-01", "1e", "1e+", "1.e5", "0x10", "1_000", " 1", "1 ", "1,", "e5",
      "--1", "NaN", "Infinity", "inf", "1.5.5", "1e5.5", "1e--5", "٣",
    ]
  )
  func refused(text: String) {
    #expect(parsed(text) == nil)
  }

  @Test("a number that is too large is infinity, one that is too small is zero, each with its sign")
  func outOfRange() {
    #expect(parsed("1e309") == .infinity)
    #expect(parsed("-1e400") == -.infinity)
    #expect(parsed("1e99999999999999999999999999") == .infinity)
    #expect(parsed("0e99999999999999999999999999") == 0)
    #expect(parsed("1e-99999999999999999999999999") == 0)
    #expect(parsed("-1e-400")?.bitPattern == (-0.0).bitPattern)
    #expect(parsed("-0")?.bitPattern == (-0.0).bitPattern)
    #expect(parsed("0." + String(repeating: "0", count: 400) + "1e401") == 1)
    #expect(parsed("1" + String(repeating: "0", count: 400) + "e-400") == 1)
    #expect(parsed("1.7976931348623158e308") == .greatestFiniteMagnitude)
    #expect(parsed("1.7976931348623159e308") == .infinity)
    #expect(parsed("2.4703282292062327e-324") == 0)
    #expect(parsed("2.4703282292062328e-324") == .leastNonzeroMagnitude)
  }

  @Test("parsing rounds correctly, like the standard library")
  func agreesWithStandardLibrary() {
    var generator = SeededGenerator(seed: 7)
    func digits(_ count: Int) -> String {
      String(1 + generator.next() % 9) + (1..<max(count, 1)).map { _ in String(generator.next() % 10) }.joined()
    }
    for _ in 0..<5_000 {
      let exponent = Int.random(in: -360...340, using: &generator)
      let texts = [
        digits(Int.random(in: 1...40, using: &generator)) + "e\(exponent)",
        digits(Int.random(in: 1...20, using: &generator)) + "." + digits(Int.random(in: 1...25, using: &generator)),
        "-0." + String(repeating: "0", count: Int.random(in: 0...30, using: &generator)) + digits(17) + "E+2",
        digits(19) + "e\(exponent % 28)",
      ]
      for text in texts { #expect(parsed(text)?.bitPattern == Double(text)?.bitPattern, "\(text)") }
    }
    for exponent in -400...400 { #expect(parsed("7e\(exponent)") == Double("7e\(exponent)"), "\(exponent)") }
  }

  @Test("the exact middle between two numbers rounds to the even one, and a digit far to the right decides")
  func middles() {
    // The number 2⁵³ + 1 is exactly halfway between the doubles 2⁵³ and 2⁵³ + 2.
    #expect(parsed("9007199254740993") == 9_007_199_254_740_992)
    #expect(parsed("9007199254740995") == 9_007_199_254_740_996)
    let zeros = String(repeating: "0", count: 1_000)
    #expect(parsed("9007199254740993." + zeros) == 9_007_199_254_740_992)
    #expect(parsed("9007199254740993." + zeros + "1") == 9_007_199_254_740_994)
    #expect(parsed("9007199254740992.9" + String(repeating: "9", count: 1_000)) == 9_007_199_254_740_992)
    // The exact 752 digits of 2⁻¹⁰⁷⁵, which is half of the smallest positive double. They are computed by multiplying
    // by 5.
    var digits: [UInt8] = [1]
    for _ in 0..<1_075 {
      var carry: UInt8 = 0
      for index in digits.indices.reversed() {
        let value = digits[index] * 5 + carry
        (digits[index], carry) = (value % 10, value / 10)
      }
      if carry > 0 { digits.insert(carry, at: 0) }
    }
    let half = digits.map(String.init).joined()
    #expect(digits.count == 752)
    #expect(parsed(half + "e-1075") == 0)
    #expect(parsed(half + zeros + "1e-2076") == .leastNonzeroMagnitude)
    #expect(parsed(half.dropLast() + "4e-1075") == 0)
    #expect(parsed(half.dropLast() + "6e-1075") == .leastNonzeroMagnitude)
  }
}
