/// Parses a terminal's input: keys, the mouse (SGR, mode 1006), bracketed paste, focus, and answers.
///
/// The bytes can be split anywhere, with any pause between two parts. An incomplete sequence waits for its end. Only an
/// escape with nothing after it becomes the key Escape when `timeout` is called. Invalid bytes are skipped. The
/// parser's memory is limited.
public struct KeyParser: Sendable {
  /// An upper bound on the bytes of a sequence. A longer sequence is read to its end and ignored.
  private static let sequenceBytesMax = 64
  /// An upper bound on the bytes of a paste, which is more than any text may have. The rest of a longer paste is dropped.
  private static let pasteBytesMax = 16_384

  private enum State {
    case ground
    case escape
    /// After `ESC [`, with the bytes so far.
    case control([UInt8])
    /// After `ESC O`.
    case function
    /// Inside an answer that began with an escape and this byte. It ends with BEL or `ESC \`.
    case answer(Answer, [UInt8], sawEscape: Bool)
    case paste([UInt8], matched: Int)
    /// Within a UTF-8 character: its bytes so far, how many it needs, and whether Alt was held.
    case character([UInt8], wanted: Int, Modifiers)
  }

  /// A terminal's answer, by the byte after its escape. Each of these bytes is also a key with Alt.
  private enum Answer: UInt8 {
    /// `ESC ]`: an operating system command.
    case command = 0x5D
    /// `ESC P`: a device control string.
    case device = 0x50
    /// `ESC _`: an application program command.
    case application = 0x5F

    func canBegin(with byte: UInt8) -> Bool {
      let isDigit = (0x30...0x39).contains(byte)
      return switch self {
      case .command: isDigit
      case .device: isDigit || "!$+>".utf8.contains(byte)
      case .application: byte == UInt8(ascii: "G")
      }
    }
  }

  private var state = State.ground
  private var events: [TerminalEvent] = []
  /// Whether an escape byte was reported as the key Escape, and no byte has come since then.
  private var isAfterEscape = false

  public init() {}

  /// Whether the last byte was an escape. The caller then waits for a moment, and calls `timeout` if no byte comes.
  public var isWaiting: Bool {
    if case .escape = state { return true }
    return false
  }

  public mutating func feed(_ bytes: some Collection<UInt8>) -> [TerminalEvent] {
    // The end of a paste can be lost on the way. Then Control-C ends it, but only by itself, as a key comes: what is hidden
    // in a pasted text must not become keys.
    if case .paste(let pasted, _) = state, !bytes.isEmpty, bytes.allSatisfy({ $0 == KeyParser.controlC }) {
      state = .ground
      events.append(.paste(String(decoding: pasted, as: UTF8.self)))
    }
    if isAfterEscape, KeyParser.goesOn(bytes) { state = .escape }
    if !bytes.isEmpty { isAfterEscape = false }
    for byte in bytes { take(byte) }
    // Nothing asks for such answers, and one that comes all the same comes as a whole. So this was a key.
    if case .answer(let answer, [], false) = state, answer != .command {
      state = .ground
      key(.character(Unicode.Scalar(answer.rawValue)), .alt)
    }
    defer { events = [] }
    return events
  }

  /// Called when nothing has come after an escape for a while. The escape is then the key Escape.
  public mutating func timeout() -> [TerminalEvent] {
    guard isWaiting else { return [] }
    state = .ground
    isAfterEscape = true
    return [.key(.escape, [])]
  }

  /// Whether bytes look like the rest of a sequence whose escape was already taken for the key Escape. Such bytes
  /// arrive together, which typed keys would not.
  private static func goesOn(_ bytes: some Collection<UInt8>) -> Bool {
    let start = Array(bytes.prefix(2))
    guard start.count == 2 else { return false }
    let isDigit = (0x30...0x39).contains(start[1])
    return switch start[0] {
    case UInt8(ascii: "["): isDigit || "<[ABCDFHIOZ".utf8.contains(start[1])
    case UInt8(ascii: "O"): "ABCDFHPQRS".utf8.contains(start[1])
    case UInt8(ascii: "]"): isDigit
    default: false
    }
  }

  private mutating func key(_ key: Key, _ modifiers: Modifiers = []) {
    events.append(.key(key, modifiers))
  }

  // MARK: - One byte

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: begin(byte, [])
    case .escape: takeEscaped(byte)
    case .control(let bytes): takeControl(byte, bytes)
    case .function:
      state = byte == 0x1B ? .escape : .ground
      finish([], byte)
    case .answer(let answer, let bytes, let sawEscape): take(byte, of: answer, bytes, sawEscape)
    case .paste(let bytes, let matched): takePasted(byte, bytes, matched)
    case .character(let bytes, let wanted, let modifiers): takeCharacter(byte, bytes, wanted, modifiers)
    }
  }

  private mutating func begin(_ byte: UInt8, _ modifiers: Modifiers) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: key(.enter, modifiers)
    case 0x09: key(.tab, modifiers)
    case 0x08, 0x7F: key(.backspace, modifiers)
    case 0: key(.character(" "), modifiers.union(.control))
    case 1...26: key(.character(Unicode.Scalar(byte + 0x60)), modifiers.union(.control))
    case 28...31: key(.character(Unicode.Scalar(byte + 0x40)), modifiers.union(.control))
    case 0x20..<0x7F: key(.character(Unicode.Scalar(byte)), modifiers)
    case 0xC2...0xDF: state = .character([byte], wanted: 2, modifiers)
    case 0xE0...0xEF: state = .character([byte], wanted: 3, modifiers)
    case 0xF0...0xF4: state = .character([byte], wanted: 4, modifiers)
    default: break
    }
  }

  private mutating func takeEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "["): state = .control([])
    case UInt8(ascii: "O"): state = .function
    case 0x1B: key(.escape)
    default:
      guard let answer = Answer(rawValue: byte) else { return begin(byte, .alt) }
      state = .answer(answer, [], sawEscape: false)
    }
  }

  private mutating func takeCharacter(_ byte: UInt8, _ bytes: [UInt8], _ wanted: Int, _ modifiers: Modifiers) {
    guard byte & 0xC0 == 0x80 else {
      // The character is incomplete, because this byte interrupts it. The byte begins a key or a sequence of its own.
      begin(byte, [])
      return
    }
    let bytes = bytes + [byte]
    guard bytes.count == wanted else {
      state = .character(bytes, wanted: wanted, modifiers)
      return
    }
    state = .ground
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    if scalars.count == 1, let scalar = scalars.first, scalar != "\u{FFFD}", scalar.value >= 0xA0 {
      key(.character(scalar), modifiers)
    }
  }

  private mutating func take(_ byte: UInt8, of answer: Answer, _ bytes: [UInt8], _ sawEscape: Bool) {
    if byte == 0x07 || sawEscape && byte == UInt8(ascii: "\\") {
      state = .ground
      if answer == .command { readColor(bytes) }
    } else if sawEscape {
      state = .ground
      takeEscaped(byte)
    } else if byte == 0x1B {
      state = .answer(answer, bytes, sawEscape: true)
    } else if byte < 0x20 || bytes.isEmpty && !answer.canBegin(with: byte) {
      // A terminal's answer contains no control character. So the bytes so far were a key that was pressed with Alt,
      // and only looked like the beginning of an answer.
      state = .ground
      if bytes.isEmpty { key(.character(Unicode.Scalar(answer.rawValue)), .alt) }
      begin(byte, [])
    } else {
      // A sequence that is too long is read to its end, but its further bytes are dropped.
      let kept = bytes.count < KeyParser.sequenceBytesMax ? bytes + [byte] : bytes
      state = .answer(answer, kept, sawEscape: false)
    }
  }

  // MARK: - Paste

  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  private static let controlC: UInt8 = 3

  private mutating func takePasted(_ byte: UInt8, _ bytes: [UInt8], _ matched: Int) {
    var bytes = bytes
    state = .ground
    if byte == KeyParser.pasteEnd[matched] {
      if matched + 1 == KeyParser.pasteEnd.count {
        events.append(.paste(String(decoding: bytes, as: UTF8.self)))
      } else {
        state = .paste(bytes, matched: matched + 1)
      }
      return
    }
    // This byte doesn't continue the end marker, so the matched bytes were text. The marker contains only one escape,
    // its first byte. So only this byte can begin the marker again.
    if bytes.count < KeyParser.pasteBytesMax { bytes += KeyParser.pasteEnd[..<matched] }
    let begins = byte == KeyParser.pasteEnd[0]
    if !begins, bytes.count < KeyParser.pasteBytesMax { bytes.append(byte) }
    state = .paste(bytes, matched: begins ? 1 : 0)
  }

  // MARK: - Control sequences

  private mutating func takeControl(_ byte: UInt8, _ bytes: [UInt8]) {
    switch byte {
    case 0x40...0x7E where !(byte == UInt8(ascii: "[") && bytes.isEmpty):
      state = .ground
      finish(bytes, byte)
    case 0x20...0x3F, UInt8(ascii: "["):
      // A sequence that is too long is read to its end and then ignored.
      state = .control(bytes.count < KeyParser.sequenceBytesMax ? bytes + [byte] : bytes)
    case 0x1B: state = .escape
    default: state = .ground
    }
  }

  private mutating func finish(_ bytes: [UInt8], _ final: UInt8) {
    if bytes.first == UInt8(ascii: "<") {
      mouse(bytes.dropFirst(), final)
      return
    }
    // The function keys of the Linux console: `ESC [ [ A` and so on.
    if bytes == [UInt8(ascii: "[")], (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(final) {
      key(.function(Int(final - UInt8(ascii: "A")) + 1))
      return
    }
    guard let numbers = KeyParser.numbers(bytes) else { return }
    let modifiers = KeyParser.modifiers(numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case UInt8(ascii: "A"): key(.up, modifiers)
    case UInt8(ascii: "B"): key(.down, modifiers)
    case UInt8(ascii: "C"): key(.right, modifiers)
    case UInt8(ascii: "D"): key(.left, modifiers)
    case UInt8(ascii: "H"): key(.home, modifiers)
    case UInt8(ascii: "F"): key(.end, modifiers)
    case UInt8(ascii: "Z"): key(.tab, modifiers.union(.shift))
    case UInt8(ascii: "M") where bytes.isEmpty: key(.enter)
    case UInt8(ascii: "P")...UInt8(ascii: "S"): key(.function(Int(final - UInt8(ascii: "P")) + 1), modifiers)
    case UInt8(ascii: "I") where bytes.isEmpty: events.append(.focus(true))
    case UInt8(ascii: "O") where bytes.isEmpty: events.append(.focus(false))
    case UInt8(ascii: "u"): keyByNumber(numbers.first ?? 0, modifiers)
    case UInt8(ascii: "~"): tilde(numbers, modifiers)
    default: break
    }
  }

  private mutating func tilde(_ numbers: [Int], _ modifiers: Modifiers) {
    switch numbers.first ?? 0 {
    case 1, 7: key(.home, modifiers)
    case 2: key(.insert, modifiers)
    case 3: key(.delete, modifiers)
    case 4, 8: key(.end, modifiers)
    case 5: key(.pageUp, modifiers)
    case 6: key(.pageDown, modifiers)
    case 11...15: key(.function(numbers[0] - 10), modifiers)
    case 17...21: key(.function(numbers[0] - 11), modifiers)
    case 23, 24: key(.function(numbers[0] - 12), modifiers)
    case 27 where numbers.count == 3: keyByNumber(numbers[2], modifiers)
    case 200: state = .paste([], matched: 0)
    default: break
    }
  }

  /// A key that the terminal sends as the number of its character, with the modifiers that were held.
  private mutating func keyByNumber(_ number: Int, _ modifiers: Modifiers) {
    switch number {
    case 9: key(.tab, modifiers)
    case 13: key(.enter, modifiers)
    case 27: key(.escape, modifiers)
    case 8, 127: key(.backspace, modifiers)
    case 32...0x10FFFF:
      if let scalar = Unicode.Scalar(UInt32(number)), !(0x7F..<0xA0).contains(number) {
        key(.character(scalar), modifiers)
      }
    default: break
    }
  }

  private mutating func mouse(_ bytes: ArraySlice<UInt8>, _ final: UInt8) {
    guard let numbers = KeyParser.numbers(Array(bytes)), numbers.count == 3, numbers[1] > 0, numbers[2] > 0,
      final == UInt8(ascii: "M") || final == UInt8(ascii: "m")
    else { return }
    let code = numbers[0]
    var modifiers: Modifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    let buttons: [Mouse.Button] = [.left, .middle, .right, .none]
    let wheels: [Mouse.Action] = [.wheelUp, .wheelDown, .wheelLeft, .wheelRight]
    let place = (row: numbers[2] - 1, column: numbers[1] - 1)
    let action: Mouse.Action
    var button = buttons[code & 3]
    if code & 128 != 0 {
      return
    } else if code & 64 != 0 {
      action = wheels[code & 3]
      button = .none
    } else if code & 32 != 0 {
      action = button == .none ? .move : .drag
    } else {
      action = final == UInt8(ascii: "M") ? .press : .release
    }
    events.append(.mouse(Mouse(action, button, row: place.row, column: place.column, modifiers: modifiers)))
  }

  /// The numbers between semicolons. A missing number is 1, as terminals define it. If a number has several parts
  /// between colons, the first part is used.
  private static func numbers(_ bytes: [UInt8]) -> [Int]? {
    guard bytes.count < sequenceBytesMax else { return nil }
    var numbers: [Int] = []
    for part in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      let digits = part.prefix { $0 != UInt8(ascii: ":") }
      var number = 0
      for digit in digits {
        guard (0x30...0x39).contains(digit), number < 1_000_000 else { return nil }
        number = number * 10 + Int(digit - 0x30)
      }
      numbers.append(digits.isEmpty ? 1 : number)
    }
    return numbers
  }

  private static func modifiers(_ number: Int) -> Modifiers {
    Modifiers(rawValue: UInt8(truncatingIfNeeded: max(number, 1) - 1) & 7)
  }

  // MARK: - Answers

  /// Reads the terminal's background colour: `11;rgb:1616/1818/1c1c`.
  private mutating func readColor(_ bytes: [UInt8]) {
    let prefix = Array("11;rgb:".utf8)
    guard bytes.starts(with: prefix) else { return }
    let parts = bytes.dropFirst(prefix.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    var channels: [UInt8] = []
    for part in parts {
      guard (1...4).contains(part.count), let value = Int(String(decoding: part, as: UTF8.self), radix: 16), value >= 0
      else { return }
      let most = (1 << (4 * part.count)) - 1
      channels.append(UInt8(min(255, value * 255 / most)))
    }
    events.append(.background(red: channels[0], green: channels[1], blue: channels[2]))
  }
}
