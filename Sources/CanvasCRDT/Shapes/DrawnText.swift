/// A text as it is drawn: its marks for bold words, lists and addresses are read and taken out (S18).
///
/// In their place are *signs*: control characters, which no text has. A sign of a look says how the characters behind it
/// are drawn, up to the next sign or the end of the line. Each line begins plain, so a line without marks has no signs.
public enum DrawnText {
  /// The sign of plain characters. The signs of the other looks are this one plus `bold`, `link` or both.
  public static let plain: UInt8 = 1
  public static let bold: UInt8 = 1
  public static let link: UInt8 = 2
  /// Stands before the words of an item, behind the item's bullet or number.
  public static let item: UInt8 = 5

  /// - Parameter text: UTF-8 that has been checked.
  public static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8] {
    var reader = MarkReader(bytes: text)
    reader.read()
    return reader.writer.finish()
  }

  public static func isSign(_ byte: UInt8) -> Bool { byte >= plain && byte <= item }
  public static func isBold(_ look: UInt8) -> Bool { (look - plain) & bold != 0 }
  public static func isLink(_ look: UInt8) -> Bool { (look - plain) & link != 0 }

  static func sign(_ look: UInt8) -> Text { withUnsafeBytes(of: look) { Text(uncheckedUTF8: $0) } }
}

extension Text {
  public var drawn: Text {
    withBytes { bytes in DrawnText.bytes(of: bytes).withUnsafeBytes { Text(uncheckedUTF8: $0) } }
  }
}

private struct MarkReader {
  let bytes: UnsafeRawBufferPointer
  var writer = ByteWriter()
  private var place = 0
  /// The end of the line that is being read.
  private var end = 0
  private var look = DrawnText.plain

  private static let space = UInt8(ascii: " ")
  private static let asterisk = UInt8(ascii: "*")
  private static let bullet: StaticString = "•"
  private static let spacesMax = 8
  private static let numberLengthMax = 3
  /// Characters that don't belong to an address if they are at its end.
  private static let closers: StaticString = ".,:;!?'\">)]}"

  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func read() {
    while true {
      end = place
      while end < bytes.count, bytes[end] != PropertyRules.lineFeed { end += 1 }
      readItem()
      readWords()
      guard end < bytes.count else { return }
      writer.append(PropertyRules.lineFeed)
      place += 1
    }
  }

  /// Writes the bullet or the number of an item, if the line is one.
  private mutating func readItem() {
    var start = place
    while byte(start) == MarkReader.space, start < place + MarkReader.spacesMax { start += 1 }
    var mark = start
    while let digit = byte(mark), digit >= 0x30, digit <= 0x39 { mark += 1 }
    let isNumber = mark > start && mark <= start + MarkReader.numberLengthMax && byte(mark) == UInt8(ascii: ".")
    guard isNumber || (mark == start && byte(mark) == UInt8(ascii: "-")), byte(mark + 1) == MarkReader.space else {
      return
    }
    copy(to: isNumber ? mark + 1 : mark)
    if !isNumber { writer.append(MarkReader.bullet) }
    place = mark + 1
    copy(to: mark + 2)
    writer.append(DrawnText.item)
  }

  private mutating func readWords() {
    var boldEnd: Int?
    look = DrawnText.plain
    while place < end {
      if place == boldEnd {
        boldEnd = nil
        begin(DrawnText.plain)
        place += 2
      } else if boldEnd == nil, let closing = closing(of: place) {
        boldEnd = closing
        begin(DrawnText.plain + DrawnText.bold)
        place += 2
      } else if let addressEnd = addressEnd(boldEnd) {
        let around = look
        begin(around + DrawnText.link)
        copy(to: addressEnd)
        begin(around)
      } else {
        copy(to: place + 1)
      }
    }
  }

  private mutating func begin(_ look: UInt8) {
    writer.append(look)
    self.look = look
  }

  private mutating func copy(to next: Int) {
    while place < next {
      // Presence can have control characters, which would be taken for signs.
      if bytes[place] >= 0x20 { writer.append(bytes[place]) }
      place += 1
    }
  }

  /// The byte at a place of the line; `nil` at the line's end.
  private func byte(_ place: Int) -> UInt8? { place < end ? bytes[place] : nil }

  private func isPair(_ place: Int) -> Bool {
    byte(place) == MarkReader.asterisk && byte(place + 1) == MarkReader.asterisk
  }

  /// Where the two asterisks are that close the bold words which begin at `opening`. `nil` if none begin there.
  private func closing(of opening: Int) -> Int? {
    guard isPair(opening), let first = byte(opening + 2), first != MarkReader.space, first != MarkReader.asterisk else {
      return nil
    }
    var place = opening + 3
    while place < end, !isPair(place) { place += 1 }
    return place < end && bytes[place - 1] != MarkReader.space ? place : nil
  }

  /// The end of the address that begins here. `nil` if none does.
  ///
  /// - Parameter boldEnd: the end of the bold words, if it begins within these.
  private func addressEnd(_ boldEnd: Int?) -> Int? {
    guard byte(place) == UInt8(ascii: "h"), place == 0 || !isLetterOrDigit(bytes[place - 1]) else { return nil }
    guard let start = after("https://") ?? after("http://") else { return nil }
    var last = start
    var openBrackets = 0
    while let byte = byte(last), byte > MarkReader.space, byte < 0x7F, last != boldEnd {
      if boldEnd == nil, closing(of: last) != nil { break }
      openBrackets += bracket(byte)
      last += 1
    }
    while last > start, isCloser(bytes[last - 1]) {
      let closing = bracket(bytes[last - 1])
      guard closing == 0 || openBrackets < 0 else { break }
      openBrackets -= closing
      last -= 1
    }
    return last > start ? last : nil
  }

  private func after(_ words: StaticString) -> Int? {
    let next = place + words.utf8CodeUnitCount
    guard next <= end else { return nil }
    for index in 0..<words.utf8CodeUnitCount where bytes[place + index] != words.utf8Start[index] { return nil }
    return next
  }

  /// 1 for a bracket that opens, −1 for one that closes.
  private func bracket(_ byte: UInt8) -> Int {
    byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
  }

  private func isCloser(_ byte: UInt8) -> Bool {
    for index in 0..<MarkReader.closers.utf8CodeUnitCount where MarkReader.closers.utf8Start[index] == byte {
      return true
    }
    return false
  }

  private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
