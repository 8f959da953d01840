import CBrotli

/// Compresses the page's files. Smaller than gzip by a seventh, and browsers take it wherever a page may be a room.
enum Brotli {
  /// The highest makes the most of what is short, in milliseconds. For what is long it would hold up the loop for half a
  /// second, and save a tenth: `scripts/wasm` and `scripts/page` do that beforehand.
  private static let shortMax = 64 << 10
  private static let shortQuality: Int32 = 11
  private static let longQuality: Int32 = 9

  /// Nothing where brotli has no memory, or it would not be shorter.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var count = bytes.count
    var output = [UInt8](repeating: 0, count: bytes.count)
    let isDone = bytes.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        BrotliEncoderCompress(
          bytes.count <= shortMax ? shortQuality : longQuality,
          BROTLI_DEFAULT_WINDOW,
          BROTLI_MODE_GENERIC,
          input.count,
          input.baseAddress,
          &count,
          output.baseAddress
        )
      }
    }
    guard isDone != 0, count < bytes.count else { return nil }
    output.removeLast(bytes.count - count)
    return output
  }

  /// Whether that is what the bytes are, compressed.
  static func isForm(_ compressed: [UInt8], of plain: [UInt8]) -> Bool {
    var count = plain.count
    var output = [UInt8](repeating: 0, count: plain.count)
    let result = compressed.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        BrotliDecoderDecompress(input.count, input.baseAddress, &count, output.baseAddress)
      }
    }
    return result == BROTLI_DECODER_RESULT_SUCCESS && count == plain.count && output == plain
  }
}
