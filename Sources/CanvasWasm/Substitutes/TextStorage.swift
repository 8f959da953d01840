/// Stores a text's bytes behind one reference, instead of in a `String`.
///
/// On wasm32, a `String` has four forms, which have to be told apart at each copy and release, and each shape has two
/// texts. With `String`, updates would take a tenth longer, and the module that a page loads would be 16 KB larger.
@usableFromInline
struct TextStorage: Sendable {
  private let bytes: [UInt8]

  @usableFromInline
  init(capacity: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
    bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = write(UnsafeMutableRawBufferPointer(buffer))
    }
  }

  @usableFromInline
  init(_ string: String) { bytes = string.utf8.span.withUnsafeBytes { [UInt8]($0) } }

  @usableFromInline var count: Int { bytes.count }

  @usableFromInline
  var string: String {
    withBytes { bytes in
      String(unsafeUninitializedCapacity: bytes.count) { buffer in
        UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
        return bytes.count
      }
    }
  }

  @usableFromInline
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.span.withUnsafeBytes(body)
  }
}
