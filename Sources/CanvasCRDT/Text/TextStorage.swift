/// The storage of a text's bytes: a contiguous string. A text of up to fifteen bytes needs no allocation.
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
    // The storage is always contiguous: see `init`. This call is several times as fast as access by a span or by
    // `withUTF8`.
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
