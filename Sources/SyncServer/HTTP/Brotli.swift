import CBrotli

/// Compresses the page's files with brotli, whose results are a seventh shorter than gzip's. Browsers accept brotli
/// only over HTTPS and on loopback, which are also the only places where the page can open a room.
enum Brotli {
  /// The longest file that is compressed here, at brotli's highest level. Compressing a short file at that level takes
  /// milliseconds. A long file would hold up the event loop for half a second. So `scripts/wasm` and `scripts/page`
  /// compress long files beforehand.
  private static let shortMax = 64 << 10
  private static let shortQuality: Int32 = 11
  private static let longQuality: Int32 = 9

  /// - Returns: `nil` if brotli has no memory, or the result would not be shorter.
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

  /// Whether `compressed` is what brotli makes of `plain`.
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
