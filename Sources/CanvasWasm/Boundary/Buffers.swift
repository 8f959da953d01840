// How bytes cross between JavaScript and Swift: one buffer each way, in linear memory, used over and over.
//
// JavaScript asks for room with `input`, writes there, and calls with how much it has written. What a call answers is
// in the output until the next call; the call returns its length in bytes, and `output` where it begins. Lists of
// numbers are doubles, which hold an identifier's 47 bits exactly. Either buffer may move when it grows, and the memory
// with it, so JavaScript looks anew each time.

/// Room that only grows.
struct Buffer: ~Copyable {
  private(set) var start: UnsafeMutableRawPointer?
  private(set) var capacity = 0

  /// Such that doubles are aligned.
  private static let alignment = 8
  private static let capacityMin = 4_096

  deinit {
    start?.deallocate()
  }

  /// Makes room for so many bytes, the first `kept` of which stay.
  mutating func reserve(_ wanted: Int, keeping kept: Int) {
    guard wanted > capacity else { return }
    let grown = max(wanted, capacity * 2, Buffer.capacityMin)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: Buffer.alignment)
    if let start {
      moved.copyMemory(from: start, byteCount: kept)
      start.deallocate()
    }
    start = moved
    capacity = grown
  }
}

/// What JavaScript has written.
struct InputBuffer: ~Copyable {
  private var buffer = Buffer()

  mutating func makeRoom(_ count: Int) -> UnsafeMutableRawPointer? {
    buffer.reserve(count, keeping: 0)
    return buffer.start
  }

  /// The first `count` bytes, until there is to be room for more.
  func bytes(_ count: UInt32) -> UnsafeRawBufferPointer {
    precondition(Int(count) <= buffer.capacity, "more than there was room for")
    return UnsafeRawBufferPointer(start: buffer.start, count: Int(count))
  }

  func array(_ count: UInt32) -> [UInt8] { [UInt8](bytes(count)) }

  func number(_ index: Int) -> Double {
    precondition((index + 1) * 8 <= buffer.capacity, "more than there was room for")
    return UnsafeRawBufferPointer(start: buffer.start, count: buffer.capacity)
      .load(fromByteOffset: index * 8, as: Double.self)
  }

  /// Shapes that JavaScript has named, as so many numbers. What is no identifier names nothing.
  func identifiers(_ count: UInt32) -> [Identifier] {
    var identifiers: [Identifier] = []
    identifiers.reserveCapacity(Int(count))
    for index in 0..<Int(count) {
      if let identifier = Identifier(number: number(index)) { identifiers.append(identifier) }
    }
    return identifiers
  }
}

/// What JavaScript is about to read.
struct OutputBuffer: ~Copyable {
  private var buffer = Buffer()
  private(set) var count = 0

  var start: UnsafeMutableRawPointer? { buffer.start }

  mutating func clear() {
    count = 0
  }

  /// The next bytes, which are to be written.
  private mutating func room(for added: Int) -> UnsafeMutableRawBufferPointer {
    buffer.reserve(count + added, keeping: count)
    defer { count += added }
    return UnsafeMutableRawBufferPointer(start: buffer.start.map { $0 + count }, count: added)
  }

  mutating func append(_ number: Double) {
    room(for: 8).storeBytes(of: number, as: Double.self)
  }

  mutating func append(_ flag: Bool) { append(flag ? 1 : 0) }

  mutating func append(_ identifier: Identifier) { append(identifier.number) }

  mutating func append(_ point: Point) {
    append(point.x)
    append(point.y)
  }

  mutating func append(_ identifiers: [Identifier]) {
    for identifier in identifiers { append(identifier) }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    room(for: bytes.count).copyMemory(from: bytes)
  }

  mutating func append(_ bytes: [UInt8]) {
    let span = bytes.span
    span.withUnsafeBytes { append($0) }
  }

  mutating func append(_ text: Text) {
    text.withBytes { append($0) }
  }

  /// Zeros up to where a double may stand.
  mutating func align() {
    while count & 7 != 0 { append(byte: 0) }
  }

  mutating func append(byte: UInt8) {
    room(for: 1)[0] = byte
  }

  mutating func append(word: UInt32) {
    room(for: 4).storeBytes(of: word.littleEndian, as: UInt32.self)
  }

  /// In place of one that was appended.
  mutating func store(word: UInt32, at offset: Int) {
    UnsafeMutableRawBufferPointer(start: buffer.start, count: count)
      .storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
}

extension Identifier {
  /// As JavaScript holds it.
  var number: Double { Double(packed) }

  init?(number: Double) {
    guard let packed = UInt64(exactly: number) else { return nil }
    self.init(packed: packed)
  }
}
