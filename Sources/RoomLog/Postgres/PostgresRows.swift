import Basics

/// The rows that answer a statement. Their values are in PostgreSQL's binary form, with numbers in network byte order.
final class PostgresRows {
  private let library: PostgresLibrary
  private let result: PostgresLibrary.Result
  let count: Int

  init(_ result: PostgresLibrary.Result, _ library: PostgresLibrary) {
    self.library = library
    self.result = result
    count = Int(library.rowCount(result))
  }

  deinit { library.clear(result) }

  /// The executed command, such as `COMMIT`.
  var tag: String { library.commandTag(result).map { String(cString: $0) } ?? "" }

  func isNull(_ row: Int, _ column: Int) -> Bool { library.isNull(result, Int32(row), Int32(column)) != 0 }

  private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let count = Int(library.length(result, Int32(row), Int32(column)))
    return UnsafeRawBufferPointer(start: library.value(result, Int32(row), Int32(column)), count: count)
  }

  /// A number of any width, or a boolean.
  func number(_ row: Int, _ column: Int) -> Int64 {
    let bytes = value(row, column)
    guard let first = bytes.first else { return 0 }
    return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
  }

  /// 64 bits without a meaning as a number.
  func unsigned(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: number(row, column)) }
  /// A position, a time or a count. Somebody who writes to the tables can store negative ones. They count as 0, so that
  /// sums of a few such numbers can't overflow.
  func natural(_ row: Int, _ column: Int) -> UInt64 { UInt64(clamping: number(row, column)) }
  func truth(_ row: Int, _ column: Int) -> Bool { number(row, column) != 0 }
  func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(value(row, column)) }
  func text(_ row: Int, _ column: Int) -> String { String(decoding: value(row, column), as: UTF8.self) }
}

/// A parameter of a statement, in PostgreSQL's binary form. Values from outside are never part of a statement's text.
enum PostgresValue {
  case number(Int64)
  case truth(Bool)
  case text(String)
  case bytes([UInt8])
  case numbers([Int64])
  case texts([String])
  case byteStrings([[UInt8]])

  static func unsigned(_ value: UInt64) -> PostgresValue { .number(Int64(bitPattern: value)) }

  var encoded: [UInt8] {
    switch self {
    case .number(let number): return PostgresValue.form(number)
    case .truth(let isTrue): return [isTrue ? 1 : 0]
    case .text(let text): return Array(text.utf8)
    case .bytes(let bytes): return bytes
    case .numbers(let numbers): return PostgresValue.array(numbers.map(PostgresValue.form), of: 20)
    case .texts(let texts): return PostgresValue.array(texts.map { Array($0.utf8) }, of: 25)
    case .byteStrings(let strings): return PostgresValue.array(strings, of: 17)
    }
  }

  private static func form<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// - Parameter type: the number of the elements' type in PostgreSQL's catalogue. It is fixed for built-in types.
  private static func array(_ elements: [[UInt8]], of type: Int32) -> [UInt8] {
    let dimensions: Int32 = elements.isEmpty ? 0 : 1
    var bytes = form(dimensions) + form(0 as Int32) + form(type)
    guard !elements.isEmpty else { return bytes }
    bytes += form(Int32(elements.count)) + form(1 as Int32)
    for element in elements {
      bytes += form(Int32(element.count))
      bytes += element
    }
    return bytes
  }
}

/// Why a request to the database failed.
enum PostgresFailure: Error {
  /// The connection was lost. The request might have been carried out.
  case lost
  /// The database refused the whole request. `state` is an SQLSTATE.
  case refused(state: String, message: String)

  /// Whether the database can't read what it has stored: damaged pages (SQLSTATE class XX), or a missing file (58P01).
  /// Other errors of its disk and its system (58000, 58030) are not about the rows that were asked for, and may pass.
  var isDamage: Bool {
    guard case .refused(let state, _) = self else { return false }
    return state.hasPrefix("XX") || state == "58P01"
  }
}

extension PostgresFailure {
  /// Whether a refusal with this SQLSTATE is about the statement's values or rows, and not about the whole database.
  /// These are the classes 22, 23, 40, 54, P0 and XX, and locks of others.
  static func isAboutWhatWasAsked(_ state: String) -> Bool {
    ["22", "23", "40", "54", "P0", "XX", lockTimeout].contains { state.hasPrefix($0) }
  }

  /// The SQLSTATE of a statement that has waited too long for a lock.
  static let lockTimeout = "55P03"
}

extension Checksum {
  /// A checksum as a signed number, as the database stores it.
  static func stored(of bytes: [UInt8]) -> Int64 { Int64(bitPattern: Checksum(of: bytes).value) }
}
