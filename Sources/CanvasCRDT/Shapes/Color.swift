/// A colour with three channels, `#RRGGBB`.
public struct Color: Hashable, Sendable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  @inlinable
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The three channels in the lower 24 bits, red first.
  @inlinable
  public init(packed: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: packed >> 16),
      green: UInt8(truncatingIfNeeded: packed >> 8),
      blue: UInt8(truncatingIfNeeded: packed)
    )
  }

  @inlinable public var packed: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

  /// A colour from three channels. `nil` if a channel is outside 0…255.
  public init?(channels red: Int, _ green: Int, _ blue: Int) {
    guard let red = UInt8(exactly: red), let green = UInt8(exactly: green), let blue = UInt8(exactly: blue) else {
      return nil
    }
    self.init(red: red, green: green, blue: blue)
  }

  /// A colour from hue, saturation and brightness. Each of the three values is clamped to 0…1.
  public init(hue: Double, saturation: Double, brightness: Double) {
    let saturation = min(max(saturation, 0), 1)
    let brightness = min(max(brightness, 0), 1)
    let turn = (hue - hue.rounded(.down)) * 6
    let sector = turn.rounded(.down)
    let fraction = turn - sector
    let low = brightness * (1 - saturation)
    let falling = brightness * (1 - saturation * fraction)
    let rising = brightness * (1 - saturation * (1 - fraction))
    let (red, green, blue) =
      switch Int(sector) {
      case 0: (brightness, rising, low)
      case 1: (falling, brightness, low)
      case 2: (low, brightness, rising)
      case 3: (low, falling, brightness)
      case 4: (rising, low, brightness)
      default: (brightness, low, falling)
      }
    self.init(
      red: UInt8((red * 255).rounded()),
      green: UInt8((green * 255).rounded()),
      blue: UInt8((blue * 255).rounded())
    )
  }
}

// MARK: - Text

extension Color {
  /// The length of the text, including `#`.
  public static let textLength = 7

  /// Reads `#RRGGBB`. The digits may be in upper or lower case.
  public init?(text bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Color.textLength, bytes[0] == UInt8(ascii: "#") else { return nil }
    var packed: UInt32 = 0
    for byte in bytes.dropFirst() {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
      default: return nil
      }
      packed = packed << 4 | UInt32(digit)
    }
    self.init(packed: packed)
  }

  public init?(_ text: String) {
    var text = text
    let parsed = text.withUTF8 { Color(text: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Writes the seven bytes of the text, with digits in upper case. `bytes` must have room for them.
  public func write(to bytes: UnsafeMutableRawBufferPointer) {
    precondition(bytes.count >= Color.textLength, "a colour's text takes seven bytes")
    bytes[0] = UInt8(ascii: "#")
    var rest = packed
    var index = Color.textLength - 1
    while index > 0 {
      let digit = UInt8(rest & 15)
      bytes[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
      rest >>= 4
      index -= 1
    }
  }

  /// The text, `#E4572E`.
  public var text: String {
    String(unsafeUninitializedCapacity: Color.textLength) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
      return Color.textLength
    }
  }
}

extension Color: CustomStringConvertible {
  public var description: String { text }
}
