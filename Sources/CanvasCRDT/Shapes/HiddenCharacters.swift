/// Invisible characters, and characters that set the direction of the text around them (S8).
///
/// With such characters, one name could look like another name, or reverse the sentence around it. So new names must
/// have none. Names that are already stored can have them, so decoders don't check this.
///
/// The joiners U+200C and U+200D and the variation selectors are invisible too, but Arabic and Indic scripts and many
/// emoji need them. They are allowed where they have an effect, and refused elsewhere, for example between Latin
/// letters.
public enum HiddenCharacters {
  /// Characters that are invisible in every context: Unicode's `Default_Ignorable_Code_Point` and the separators of
  /// lines and paragraphs. The joiners and variation selectors are left out, because their effect depends on their
  /// neighbours.
  public static let always: [ClosedRange<UInt32>] = [
    0x00AD...0x00AD, 0x034F...0x034F, 0x061C...0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F,
    0x200B...0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164,
    0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF,
  ]

  /// Whether the text has an invisible character.
  public static func occur(in text: Text) -> Bool {
    text.withBytes { bytes in
      var previous: UInt32 = 0
      var place = 0
      while place < bytes.count {
        let (scalar, next) = UTF8Scalars.read(bytes, at: place)
        // Every invisible character is at least U+00AD. Nearly all names have only smaller ones, so this check is
        // quick.
        if scalar >= 0xAD {
          let following = next < bytes.count ? UTF8Scalars.read(bytes, at: next).scalar : 0
          if isHidden(scalar, after: previous, before: following) { return true }
        }
        previous = scalar
        place = next
      }
      return false
    }
  }

  /// The text without its invisible characters. Joiners and selectors are judged by the neighbours that are left.
  public static func removed(from text: Text) -> Text {
    let visible = keeping(in: text) { scalar, _, _ in !isAlwaysHidden(scalar) }
    return keeping(in: visible) { !isHidden($0, after: $1, before: $2) }
  }

  /// - Parameter isKept: whether to keep a character, after the one that was kept last and before the next one.
  private static func keeping(in text: Text, _ isKept: (UInt32, UInt32, UInt32) -> Bool) -> Text {
    text.withBytes { bytes in
      var kept: [UInt8] = []
      var previous: UInt32 = 0
      var place = 0
      while place < bytes.count {
        let (scalar, next) = UTF8Scalars.read(bytes, at: place)
        let following = next < bytes.count ? UTF8Scalars.read(bytes, at: next).scalar : 0
        if isKept(scalar, previous, following) {
          kept += bytes[place..<next]
          previous = scalar
        }
        place = next
      }
      return kept.withUnsafeBytes { Text(uncheckedUTF8: $0) }
    }
  }

  /// Whether a character is invisible in any context.
  public static func isAlwaysHidden(_ scalar: UInt32) -> Bool {
    scalar >= 0xAD && always.contains { $0.contains(scalar) }
  }

  private static func isHidden(_ scalar: UInt32, after previous: UInt32, before next: UInt32) -> Bool {
    switch scalar {
    case 0x200C, 0x200D: !(joins(previous) && joins(next))
    // A selector has an effect after an emoji, and U+00A9 is the first emoji. It also has an effect between a digit,
    // `#` or `*` and U+20E3, which draws a key around that character.
    case 0xFE00...0xFE0F: isSelector(previous) || !(previous >= 0xA9 || next == 0x20E3)
    default: isAlwaysHidden(scalar)
    }
  }

  /// Whether joiners can have an effect in the character's script: in Arabic and all scripts after it in Unicode. The
  /// scripts before it (Latin, Greek, Cyrillic, Armenian, Hebrew) have no joined forms.
  private static func joins(_ scalar: UInt32) -> Bool {
    scalar >= 0x600 && scalar != 0x200C && scalar != 0x200D
  }

  private static func isSelector(_ scalar: UInt32) -> Bool { (0xFE00...0xFE0F).contains(scalar) }
}

extension PropertyRules {
  /// Whether a new edit may use this name. Unlike stored names, a new name must have no invisible characters.
  public static func takesName(_ name: Text) -> Bool { allowsName(name) && !HiddenCharacters.occur(in: name) }
}

extension Properties {
  /// Throws if a new edit may not assign one of these values.
  public func checkNew() throws(PropertyProblem) {
    try check()
    if assigned.contains(.name), HiddenCharacters.occur(in: name) { throw PropertyProblem(.name) }
  }
}
