// Where a text keeps its bytes.

#if hasFeature(Embedded)
  /// One reference. A `String` has four forms on wasm32, told apart wherever one is copied or let go, and a shape holds
  /// two: an eighth of core.wasm would be nothing else.
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
    init(_ string: String) { bytes = [UInt8](string.utf8) }

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
#else
  /// A contiguous string. Up to fifteen bytes need no allocation.
  @usableFromInline
  struct TextStorage: Sendable {
    @usableFromInline let string: String

    @usableFromInline
    init(capacity: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
      string = String(unsafeUninitializedCapacity: capacity) { write(UnsafeMutableRawBufferPointer($0)) }
    }

    @inlinable
    init(_ string: String) {
      var string = string
      string.makeContiguousUTF8()
      self.string = string
    }

    @inlinable var count: Int { string.utf8.count }

    @inlinable
    func withBytes<Result, Failure: Error>(
      _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      // The storage is always contiguous, see `init`. This is several times as fast as the span or `withUTF8`.
      let outcome = string.utf8.withContiguousStorageIfAvailable { bytes -> Swift.Result<Result, Failure> in
        do throws(Failure) {
          return .success(try body(UnsafeRawBufferPointer(bytes)))
        } catch {
          return .failure(error)
        }
      }
      return try outcome!.get()
    }
  }
#endif
