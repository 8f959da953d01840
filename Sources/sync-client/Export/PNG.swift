import CZlib

/// Encodes a picture as PNG, with eight bits a channel and no transparency.
enum PNG {
  /// - Parameter pixel: returns the red, green and blue at a row and a column.
  static func encode(
    width: Int,
    height: Int,
    pixel: (_ row: Int, _ column: Int) -> (red: UInt8, green: UInt8, blue: UInt8)
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // 8 bits, colour type RGB, compression and filter method 0, not interlaced.
    append("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0], to: &bytes)
    append("IDAT", compressed(rows(width, height, pixel)), to: &bytes)
    append("IEND", [], to: &bytes)
    return bytes
  }

  /// The rows with PNG's filter Up: each byte minus the byte above it. Areas of one colour become zeros.
  private static func rows(
    _ width: Int,
    _ height: Int,
    _ pixel: (Int, Int) -> (red: UInt8, green: UInt8, blue: UInt8)
  ) -> [UInt8] {
    let filterUp: UInt8 = 2
    var rows: [UInt8] = []
    rows.reserveCapacity(height * (width * 3 + 1))
    var above = [UInt8](repeating: 0, count: width * 3)
    for row in 0..<height {
      rows.append(filterUp)
      for column in 0..<width {
        let color = pixel(row, column)
        for (channel, value) in [color.red, color.green, color.blue].enumerated() {
          rows.append(value &- above[column * 3 + channel])
          above[column * 3 + channel] = value
        }
      }
    }
    return rows
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var compressed = [UInt8](repeating: 0, count: Int(length))
    let result = compress2(&compressed, &length, bytes, uLong(bytes.count), 6)
    precondition(result == Z_OK, "the bound is room enough")
    return Array(compressed.prefix(Int(length)))
  }

  private static func append(_ type: String, _ data: [UInt8], to bytes: inout [UInt8]) {
    bytes += bigEndian(data.count)
    let checked = Array(type.utf8) + data
    bytes += checked
    bytes += bigEndian(Int(crc32(0, checked, uInt(checked.count))))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
