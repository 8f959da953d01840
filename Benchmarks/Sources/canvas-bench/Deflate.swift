import CMeasure

/// The size of these bytes after zlib's compression at level 6.
func deflatedCount(_ bytes: [UInt8]) -> Int {
  var count = compressBound(UInt(bytes.count))
  var deflated = [UInt8](repeating: 0, count: Int(count))
  let status = compress2(&deflated, &count, bytes, UInt(bytes.count), 6)
  precondition(status == Z_OK, "zlib does not compress")
  return Int(count)
}
