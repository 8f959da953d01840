// What changes an array, as the standard library does it, in a third of the code. Its own is opened wherever an array
// is changed — is it shared, is there room, is the place within it — and grows, copies and moves by functions made anew
// for every kind of element, a kilobyte for each of the sixty. Here these are calls, and what does not depend on the kind
// of element is written once, on bytes. Declared here, they are what the module means by `append`, `remove` and `[…] =`.
//
// What the storage of an array looks like is taken from the standard library's `ArrayBody`: behind the sixteen bytes of
// count and capacity and of what every object has stand the elements. A value can be moved to another place bit by bit.

/// The storage of an array, whatever its elements are.
private struct ArrayStorage {
  private let start: UnsafeMutableRawPointer

  private static let countOffset = 8
  private static let capacityOffset = 12
  private static let headerBytes = 16

  /// The storage of the array at `array`.
  init(at array: UnsafeMutableRawPointer) {
    start = array.load(as: UnsafeMutableRawPointer.self)
  }

  var count: Int {
    get { start.load(fromByteOffset: ArrayStorage.countOffset, as: Int.self) }
    nonmutating set { start.storeBytes(of: newValue, toByteOffset: ArrayStorage.countOffset, as: Int.self) }
  }

  /// The lowest bit is a flag.
  var capacity: Int { Int(start.load(fromByteOffset: ArrayStorage.capacityOffset, as: UInt.self) >> 1) }

  func element(_ index: Int, stride: Int) -> UnsafeMutableRawPointer {
    start + (ArrayStorage.headerBytes + index * stride)
  }
}

/// An object like any other: whether there is but one reference to it is asked of all in the same way.
private final class AnyStorage {}

/// Whether nobody else refers to the storage of the array at `array`, and it has room for `added` elements more.
@inline(never)
private func isOwned(_ array: UnsafeMutableRawPointer, withRoomFor added: Int) -> Bool {
  guard isKnownUniquelyReferenced(&array.assumingMemoryBound(to: AnyStorage.self).pointee) else { return false }
  let storage = ArrayStorage(at: array)
  return added <= storage.capacity - storage.count
}

/// How much room there is to be for `added` elements more: twice as much as there was, so that adding one after the other
/// seldom needs more.
@inline(never)
private func wantedRoom(_ array: UnsafeMutableRawPointer, adding added: Int) -> Int {
  let count = ArrayStorage(at: array).count
  return added == 0 ? count : max(count + added, count * 2)
}

/// Moves all elements out of an array to where there is room for them; not if others refer to its storage.
@inline(never)
private func moveElements(_ array: UnsafeMutableRawPointer, to start: UnsafeMutableRawPointer, stride: Int) -> Bool {
  guard isOwned(array, withRoomFor: 0) else { return false }
  let storage = ArrayStorage(at: array)
  start.copyMemory(from: storage.element(0, stride: stride), byteCount: storage.count * stride)
  storage.count = 0
  return true
}

/// Makes a gap of `added` elements, for which there is room.
@inline(never)
private func openGap(
  _ array: UnsafeMutableRawPointer,
  at index: Int,
  count added: Int,
  stride: Int
) -> UnsafeMutableRawPointer {
  let storage = ArrayStorage(at: array)
  let count = storage.count
  precondition(index >= 0 && index <= count)
  let gap = storage.element(index, stride: stride)
  (gap + added * stride).copyMemory(from: gap, byteCount: (count - index) * stride)
  storage.count = count + added
  return gap
}

/// Closes the gap that `removed` elements have left.
@inline(never)
private func closeGap(_ array: UnsafeMutableRawPointer, at index: Int, count removed: Int, stride: Int) {
  let storage = ArrayStorage(at: array)
  let count = storage.count - removed
  let gap = storage.element(index, stride: stride)
  gap.copyMemory(from: gap + removed * stride, byteCount: (count - index) * stride)
  storage.count = count
}

/// Where an element is that there must be.
@inline(never)
private func element(_ array: UnsafeMutableRawPointer, _ index: Int, stride: Int) -> UnsafeMutableRawPointer {
  let storage = ArrayStorage(at: array)
  precondition(index >= 0 && index < storage.count)
  return storage.element(index, stride: stride)
}

extension Array {
  @inline(__always)
  private static var stride: Int { MemoryLayout<Element>.stride }

  /// Where the reference to the storage is.
  @inline(__always)
  private mutating func reference() -> UnsafeMutableRawPointer {
    withUnsafeMutablePointer(to: &self) { UnsafeMutableRawPointer($0) }
  }

  @inline(__always)
  private mutating func isReady(adding added: Int) -> Bool { isOwned(reference(), withRoomFor: added) }

  /// Goes over to other storage, which nobody else refers to and which has room for `added` elements more.
  @inline(never)
  private mutating func remake(adding added: Int) {
    self = Array(unsafeUninitializedCapacity: wantedRoom(reference(), adding: added)) { room, initialized in
      initialized = count
      guard let start = room.baseAddress, !moveElements(reference(), to: start, stride: Array.stride) else { return }
      withUnsafeBufferPointer { shared in
        if let first = shared.baseAddress { start.initialize(from: first, count: shared.count) }
      }
    }
  }

  @inline(never)
  private mutating func gap(at index: Int) -> UnsafeMutablePointer<Element> {
    if !isReady(adding: 1) { remake(adding: 1) }
    return openGap(reference(), at: index, count: 1, stride: Array.stride).assumingMemoryBound(to: Element.self)
  }

  /// An element's place in storage that nobody else refers to.
  @inline(never)
  mutating func place(_ index: Int) -> UnsafeMutablePointer<Element> {
    if !isReady(adding: 0) { remake(adding: 0) }
    return element(reference(), index, stride: Array.stride).assumingMemoryBound(to: Element.self)
  }

  subscript(index: Int) -> Element {
    @inline(__always)
    get { Array.read(self, at: index) }
    @inline(__always)
    unsafeMutableAddress { place(index) }
  }

  /// The standard library's own reading, which `[…]` no longer means here.
  @inline(__always)
  private static func read<Elements: Collection>(_ elements: Elements, at index: Elements.Index) -> Elements.Element {
    elements[index]
  }

  @inline(never)
  mutating func append(_ element: __owned Element) {
    gap(at: count).initialize(to: element)
  }

  mutating func insert(_ element: __owned Element, at index: Int) {
    gap(at: index).initialize(to: element)
  }

  @discardableResult
  @inline(never)
  mutating func remove(at index: Int) -> Element {
    let removed = place(index).move()
    closeGap(reference(), at: index, count: 1, stride: Array.stride)
    return removed
  }

  @discardableResult
  mutating func removeFirst() -> Element { remove(at: 0) }

  @discardableResult
  mutating func removeLast() -> Element { remove(at: count - 1) }

  mutating func popLast() -> Element? { isEmpty ? nil : remove(at: count - 1) }

  @inline(never)
  private mutating func removeRange(at index: Int, count removed: Int) {
    guard removed > 0 else { return }
    precondition(index >= 0 && index + removed <= count)
    place(index).deinitialize(count: removed)
    closeGap(reference(), at: index, count: removed, stride: Array.stride)
  }

  mutating func removeFirst(_ count: Int) { removeRange(at: 0, count: count) }

  mutating func removeLast(_ removed: Int) { removeRange(at: count - removed, count: removed) }

  mutating func removeAll(keepingCapacity keepsCapacity: Bool = false) {
    if keepsCapacity, isReady(adding: 0) { removeRange(at: 0, count: count) } else { self = [] }
  }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    var kept: [Element] = []
    for element in self where !isUnwanted(element) { kept.append(element) }
    self = kept
  }

  mutating func reserveCapacity(_ capacity: Int) {
    let added = capacity - count
    if added > 0, !isReady(adding: added) { remake(adding: added) }
  }

  mutating func append(contentsOf other: [Element]) {
    reserveCapacity(count + other.count)
    for element in other { append(element) }
  }

  mutating func append<S: Sequence>(contentsOf other: __owned S) where S.Element == Element {
    for element in other { append(element) }
  }

  static func += (left: inout [Element], right: [Element]) { left.append(contentsOf: right) }

  mutating func withUnsafeMutableBufferPointer<Outcome, Failure: Error>(
    _ body: (inout UnsafeMutableBufferPointer<Element>) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    var elements = UnsafeMutableBufferPointer(start: isEmpty ? nil : place(0), count: count)
    return try body(&elements)
  }

  mutating func withUnsafeMutableBytes<Outcome>(_ body: (UnsafeMutableRawBufferPointer) -> Outcome) -> Outcome {
    body(UnsafeMutableRawBufferPointer(start: isEmpty ? nil : place(0), count: count * Array.stride))
  }

  func reversed() -> [Element] {
    var reversed = self
    reversed.reverse()
    return reversed
  }

  mutating func reverse() {
    for index in 0..<(count / 2) {
      let (front, back) = (place(index), place(count - 1 - index))
      let moved = front.move()
      front.initialize(to: back.move())
      back.initialize(to: moved)
    }
  }

  func map<Value>(_ transform: (Element) -> Value) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for element in self { values.append(transform(element)) }
    return values
  }

  func filter(_ isWanted: (Element) -> Bool) -> [Element] {
    var kept: [Element] = []
    for element in self where isWanted(element) { kept.append(element) }
    return kept
  }
}
