extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8 throughout: no overlong forms, no surrogates, nothing cut off.
  var isValidUTF8: Bool {
    let span = assumingMemoryBound(to: UInt8.self).span
    return (try? UTF8Span(validating: span)) != nil
  }
}
