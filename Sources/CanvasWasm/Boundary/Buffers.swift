// How bytes are passed between JavaScript and Swift: in one buffer for each direction. The buffers are in linear memory
// and are reused for each call.
//
// JavaScript asks for space with `input`, writes there, and passes the number of bytes to the call. The call returns
// the length of its answer in bytes, and `output` returns the answer's address. The answer stays valid until the next
// call. Lists of numbers are doubles, which represent an identifier's 47 bits exactly. A buffer can move when it or the
// whole memory grows, so JavaScript must ask for the address each time.

/// Memory that grows and never shrinks.
struct Buffer: ~Copyable {
  private(set) var start: UnsafeMutableRawPointer?
  private(set) var capacity = 0

  /// The alignment that doubles need.
  private static let alignment = 8
  private static let capacityMin = 4_096

  deinit {
    start?.deallocate()
  }

  /// Grows the buffer to `wanted` bytes. The first `kept` of them keep their values.
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

/// The bytes that JavaScript has written.
struct InputBuffer: ~Copyable {
  private var buffer = Buffer()

  mutating func makeRoom(_ count: Int) -> UnsafeMutableRawPointer? {
    buffer.reserve(count, keeping: 0)
    return buffer.start
  }

  /// The first `count` bytes. They are valid until JavaScript asks for more space.
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

  /// Reads `count` identifiers that JavaScript has written as doubles. Invalid ones are left out.
  func identifiers(_ count: UInt32) -> [Identifier] {
    var identifiers: [Identifier] = []
    identifiers.reserveCapacity(Int(count))
    for index in 0..<Int(count) {
      if let identifier = Identifier(number: number(index)) { identifiers.append(identifier) }
    }
    return identifiers
  }
}

/// The bytes for JavaScript to read.
struct OutputBuffer: ~Copyable {
  private var buffer = Buffer()
  private(set) var count = 0

  var start: UnsafeMutableRawPointer? { buffer.start }

  mutating func clear() {
    count = 0
  }

  /// Space for the next `added` bytes, which the caller has to write.
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

  /// Appends zeros up to the next multiple of a double's alignment.
  mutating func align() {
    while count & 7 != 0 { append(byte: 0) }
  }

  mutating func append(byte: UInt8) {
    room(for: 1)[0] = byte
  }

  mutating func append(word: UInt32) {
    room(for: 4).storeBytes(of: word.littleEndian, as: UInt32.self)
  }

  /// Overwrites a word that was appended earlier.
  mutating func store(word: UInt32, at offset: Int) {
    UnsafeMutableRawBufferPointer(start: buffer.start, count: count)
      .storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
}

extension Identifier {
  /// The identifier as a number, which is its form in JavaScript.
  var number: Double { Double(packed) }

  init?(number: Double) {
    guard let packed = UInt64(exactly: number) else { return nil }
    self.init(packed: packed)
  }
}
